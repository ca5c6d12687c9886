// Peers that follow another chain.
#include <gtest/gtest.h>

#include "tests/net/sync/awkward_scene.h"
#include "tests/net/sync/headers/header_answer.h"
#include "tests/net/sync/hostile_peer.h"
#include "tests/support/test_chain.h"

namespace petal {
namespace {

using net::DisconnectReason;
using std::chrono::milliseconds;
using std::chrono::minutes;
using std::chrono::seconds;
using test::following_with;
using test::HostilePeer;
using test::ListWatcher;
using test::options_for;

/// A sync over connections that carry bytes.
using ByteSync = test::Sync<test::ByteNetwork>;

/// A node whose headers after this height have 164 bytes.
HostilePeer forking_after(std::uint32_t height) {
    HostilePeer peer;
    peer.behaviour.forks_after = height;
    return peer;
}

/// A node that sends these headers instead of its own.
HostilePeer with_headers(std::vector<chain::BlockHeader> headers) {
    HostilePeer peer;
    peer.say = [headers = std::move(headers)](const net::Message& message) {
        const bool is_headers = std::holds_alternative<net::Headers>(message);
        return test::as_sent(is_headers ? net::Headers{headers} : message);
    };
    return peer;
}

/// Announces the fork's blocks only by inv, of which petal knows nothing.
test::Say announcing_by_inv(const regtest::RegtestChain& chain) {
    return [&chain, told = std::size_t{0}](const net::Message& message) mutable {
        const auto* headers = std::get_if<net::Headers>(&message);
        const bool is_of_fork = headers != nullptr && headers->in_other_format > 0;
        if (!is_of_fork || told++ > 0) return test::as_sent(message);
        chain::Hash256 unknown{chain.tip().bytes};
        unknown.bytes[0] ^= 1U;
        return test::as_sent(net::Inv{{{net::InventoryType::block, unknown}}});
    };
}

class PeersOnOtherChains : public testing::Test {
protected:
    PeersOnOtherChains() { chain.mine(2'500); }

    regtest::RegtestChain chain;
};

TEST_F(PeersOnOtherChains, WithOtherHeadersEndTheConnectionAndTheirHeadersBeforeTheForkCount) {
    // In a message of ordinary headers, at its begin, and in the second message.
    for (const std::uint32_t fork : {60U, 0U, 2'000U, 2'100U}) {
        ByteSync sync(options_for(1));
        const auto peer = sync.network.connect(chain, forking_after(fork));
        const auto start = sync.network.now().steady;
        EXPECT_FALSE(sync.network.run([&] { return !sync.network.is_open(peer); }));
        EXPECT_EQ(sync.network.now().steady, start) << "it was dropped at once";
        EXPECT_EQ(sync.network.dropped(peer), DisconnectReason::other_chain);
        EXPECT_EQ(sync.headers.tip().height, fork);
        EXPECT_EQ(sync.engine.status().counts.headers, fork);
        EXPECT_EQ(sync.engine.status().peers[0].misbehaviour, 0U);
    }
}

TEST_F(PeersOnOtherChains, OfSevenPeersCostASyncLessThanTwoSeconds) {
    struct Case {
        std::uint32_t fork;
        bool has_substitutes;
    };
    for (const auto [fork, has_substitutes] :
         {Case{0, false}, {2'100, false}, {0, true}, {2'100, true}}) {
        net::SyncOptions options = options_for(8);
        options.has_substitutes = has_substitutes;
        ByteSync sync(options);
        for (int i = 0; i < 7; ++i) {
            HostilePeer peer = forking_after(fork);
            peer.behaviour.lag = milliseconds{80};
            sync.network.connect(chain, std::move(peer));
        }
        HostilePeer honest;
        honest.behaviour.lag = milliseconds{80};
        sync.network.connect(chain, std::move(honest));
        const auto start = sync.network.now().steady;
        EXPECT_TRUE(sync.network.run());
        EXPECT_LT(sync.network.now().steady - start, seconds{2});
        EXPECT_EQ(sync.watcher.sync_state().synced->hash, chain.tip());
    }
}

// More peers are to come in their place, and the sync does not rely on a single one.
TEST_F(PeersOnOtherChains, DoNotCountAsPeersIfThereAreSubstitutes) {
    net::SyncOptions options = options_for(2);
    options.has_substitutes = true;
    ByteSync sync(options);
    sync.network.connect(chain, forking_after(0));
    sync.network.connect(chain);
    EXPECT_TRUE(sync.network.run());
    EXPECT_GE(sync.network.now().steady, milliseconds{1'500});
}

// The peer follows the fork from a block on that is mined while it is connected.
TEST_F(PeersOnOtherChains, AreNoticedWhileTheyAreFollowed) {
    for (const bool by_inv : {false, true}) {
        ByteSync sync(following_with(2));
        HostilePeer peer = forking_after(chain.height() + 1);
        if (by_inv) peer.say = announcing_by_inv(chain);
        const auto forks = sync.network.connect(chain, std::move(peer));
        const auto honest = sync.network.connect(chain);
        sync.network.run_for(minutes{1});
        chain.mine();
        sync.network.run_for(minutes{1});
        ASSERT_TRUE(sync.network.is_open(forks));
        chain.mine();
        sync.network.run_for(seconds{1});
        EXPECT_EQ(sync.network.dropped(forks), DisconnectReason::other_chain) << by_inv;
        EXPECT_TRUE(sync.network.is_open(honest));
        EXPECT_EQ(sync.watcher.sync_state().synced->hash, chain.tip());
    }
}

TEST_F(PeersOnOtherChains, OfAnotherGenesisBlockEndTheConnectionWithoutBlame) {
    const chain::BlockHeader genesis = test::mine_header({}, 1'600'000'000);
    for (const std::size_t length : {2U, 8U, 9U, 2'000U}) {
        ByteSync sync(options_for(2));
        const auto other =
            sync.network.connect(chain, with_headers(test::mine_headers(genesis, length)));
        sync.network.connect(chain);
        EXPECT_TRUE(sync.network.run());
        EXPECT_EQ(sync.network.dropped(other), DisconnectReason::other_chain) << length;
        EXPECT_EQ(sync.engine.status().peers[0].misbehaviour, 0U);
        EXPECT_EQ(sync.watcher.sync_state().synced->hash, chain.tip());
    }
}

// With 80 bytes, such a header is refused for its version, whatever its proof of work.
TEST_F(PeersOnOtherChains, WithAVersionThatIsNotValidHereAreNotBlamed) {
    for (const bool has_work : {true, false}) {
        chain::BlockHeader header = test::mine_header(chain.block_at(10).header, 1'600'000'000);
        header.version = -2'000'000'000;
        test::find_nonce(header);
        if (!has_work) header.bits = 0x1d00ffff;
        std::vector<chain::BlockHeader> headers = test::answer(chain, 1, 10).headers;
        headers.push_back(header);
        ByteSync sync(options_for(1));
        const auto other = sync.network.connect(chain, with_headers(headers));
        EXPECT_FALSE(sync.network.run());
        EXPECT_EQ(sync.network.dropped(other), DisconnectReason::other_chain);
        EXPECT_EQ(sync.headers.tip().height, 10U);
    }
    // Version 1 is refused, too, but marks no fork.
    chain::BlockHeader header = test::mine_header(chain.block_at(0).header, 1'600'000'000);
    header.version = 1;
    test::find_nonce(header);
    ByteSync sync(options_for(1));
    const auto other = sync.network.connect(chain, with_headers({header}));
    EXPECT_FALSE(sync.network.run());
    EXPECT_EQ(sync.network.dropped(other), DisconnectReason::invalid_header);
}

// Its branch is too far below the best chain to overtake it, which no race of blocks explains.
TEST_F(PeersOnOtherChains, WithFarLessWorkGiveTheirSlotAwayIfAPeerHasTheBestChain) {
    regtest::RegtestChain fork;
    fork.mine(500, ListWatcher::script(3));
    ByteSync sync(following_with(2));
    const auto honest = sync.network.connect(chain);
    sync.network.run_for(seconds{5});
    const auto other = sync.network.connect(fork);
    sync.network.run_for(seconds{1});
    EXPECT_EQ(sync.network.dropped(other), DisconnectReason::lesser_branch);
    EXPECT_TRUE(sync.network.is_open(honest));

    sync.network.cut(honest);
    const auto alone = sync.network.connect(fork);
    sync.network.run_for(seconds{10});
    EXPECT_TRUE(sync.network.is_open(alone)) << "the stored chain may be the wrong one";
    sync.network.run_for(minutes{1});
    EXPECT_EQ(sync.network.dropped(alone), DisconnectReason::lesser_branch);
}

// A merkleblock whose header has 164 bytes.
TEST_F(PeersOnOtherChains, WithBlocksOfOtherHeadersAreNotBlamed) {
    HostilePeer peer;
    peer.say = [](const net::Message& message) {
        const auto* block = std::get_if<net::MerkleBlock>(&message);
        if (block == nullptr) return test::as_sent(message);
        chain::Bytes payload(164 + 40, 0xff);
        return net::encode_frame(test::regtest_params().magic, "merkleblock", payload);
    };
    ByteSync sync(options_for(2));
    const auto other = sync.network.connect(chain, std::move(peer));
    sync.network.connect(chain);
    EXPECT_TRUE(sync.network.run());
    EXPECT_EQ(sync.network.dropped(other), DisconnectReason::other_chain);
}

}  // namespace
}  // namespace petal
