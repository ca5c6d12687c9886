// What peers are sent for each source of matches, and when an answer settles its block.
#include "net/sync/matches/match_source.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <variant>
#include <vector>

#include "net/sync/matches/filtered_block_source.h"
#include "net/sync/matches/full_block_source.h"
#include "tests/support/list_watcher.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

const std::vector<chain::BlockRef> kBlocks{{1, {{1}}}, {2, {{2}}}, {3, {{3}}}};
const chain::Outpoint kFound{chain::Txid{{7}}, 1};

class MatchSourceTest : public testing::Test {
protected:
    SyncPeer& add(PeerId id, std::uint64_t services = 0) {
        sync.peers.add(Peer(id, {}, {.services = 0}, {}, {}), {}, {});
        SyncPeer& peer = *sync.peers.find(id);
        Version theirs;
        theirs.protocol = kMinProtocolVersion;
        theirs.services = services;
        theirs.nonce = id;
        EXPECT_TRUE(peer.connection.on_message(theirs, sync.outbox, {}));
        sync.outbox.take();
        return peer;
    }
    /// The messages that were sent since the last call.
    std::vector<Send> sent() {
        std::vector<Send> messages;
        for (Command& command : sync.outbox.take()) {
            messages.push_back(std::get<Send>(std::move(command)));
        }
        return messages;
    }
    /// The inventory types of the request that is sent for the blocks.
    std::vector<InventoryType> asked_for(MatchSource& source, SyncPeer& peer,
                                         BlockPurpose purpose = BlockPurpose::scan) {
        source.request(peer, kBlocks, purpose);
        std::vector<InventoryType> types;
        for (const Send& send : sent()) {
            const auto* const request = std::get_if<GetData>(&send.message);
            if (request == nullptr) continue;
            for (const Inventory& entry : request->entries) types.push_back(entry.type);
        }
        return types;
    }
    /// An answer for a block, which holds no matches.
    static Delivery answer(const chain::BlockRef& block, bool is_filtered) {
        Delivery delivery;
        delivery.block.block = block;
        if (is_filtered) {
            delivery.filter = std::make_shared<const bloom::BloomFilter>(bloom::filter_size(1, 0.5),
                                                                         0, bloom::UpdateMode::all);
        }
        return delivery;
    }

    static SyncOptions waiting() {
        SyncOptions options;
        options.wait_unconfirmed = SyncOptions::kForever;
        return options;
    }

    chain::HeaderChain chain{test::regtest_params()};
    test::ListWatcher watcher;
    SyncEvents events;
    SyncContext sync{chain, watcher, waiting(), nullptr, events};
    FilteredBlockSource filtered{sync};
    FullBlockSource full{sync};
    static constexpr InventoryType kFiltered = InventoryType::filtered_block;
    static constexpr InventoryType kFull = InventoryType::block;
};

TEST_F(MatchSourceTest, LoadsAFilterBeforeTheFirstRequest) {
    SyncPeer& peer = add(1);
    filtered.request(peer, kBlocks, BlockPurpose::scan);
    const auto first = sent();
    ASSERT_EQ(first.size(), 4U);
    EXPECT_TRUE(std::holds_alternative<FilterLoad>(first[0].message));
    EXPECT_TRUE(std::holds_alternative<GetData>(first[2].message));
    filtered.request(peer, kBlocks, BlockPurpose::scan);
    EXPECT_EQ(sent().size(), 2U) << "getdata and ping";
    filtered.on_watched_changed();
    filtered.request(peer, kBlocks, BlockPurpose::scan);
    EXPECT_EQ(sent().size(), 4U) << "a new filter";
}

TEST_F(MatchSourceTest, RequestsABlockInFullIfItsProofIsAmbiguous) {
    SyncPeer& peer = add(1);
    Delivery ambiguous = answer(kBlocks[1], /*is_filtered=*/true);
    EXPECT_TRUE(filtered.settle(ambiguous));
    ambiguous.needs_full_block = true;
    EXPECT_FALSE(filtered.settle(ambiguous));
    EXPECT_EQ(asked_for(filtered, peer), (std::vector{kFiltered, kFull, kFiltered}));
    EXPECT_EQ(asked_for(filtered, peer, BlockPurpose::second_opinion), (std::vector(3, kFiltered)));

    Delivery other = answer(kBlocks[1], /*is_filtered=*/true);
    EXPECT_FALSE(filtered.settle(other)) << "requested before";
    Delivery whole = answer(kBlocks[1], /*is_filtered=*/false);
    EXPECT_TRUE(filtered.settle(whole));
}

TEST_F(MatchSourceTest, AddsNewOutpointsToTheFiltersOfAllPeersButTheFinder) {
    SyncPeer& finder = add(1);
    SyncPeer& other = add(2);
    add(3);  // without a filter
    filtered.prepare(finder);
    filtered.prepare(other);
    sent();
    filtered.on_found({kFound}, &finder);
    const auto messages = sent();
    ASSERT_EQ(messages.size(), 1U);
    EXPECT_EQ(messages[0].peer, 2U);
    EXPECT_TRUE(std::holds_alternative<FilterAdd>(messages[0].message));
}

TEST_F(MatchSourceTest, RequestsFullBlocksWithWitnessesOfPeersThatServeThem) {
    EXPECT_EQ(asked_for(full, add(1)), (std::vector(3, kFull)));
    EXPECT_EQ(asked_for(full, add(2, kNodeWitness)),
              (std::vector(3, InventoryType::witness_block)));
}

TEST_F(MatchSourceTest, LimitsFullBlocksInFlightByTheirExpectedSize) {
    using std::chrono::milliseconds;
    const auto block_of = [](std::size_t bytes) {
        chain::Block block;
        block.transactions.resize(1);
        block.transactions[0].inputs.resize(1);
        block.transactions[0].inputs[0].witness = {chain::Bytes(bytes)};
        return FullBlock{chain::BlockView(block)};
    };
    const FullBlock small = block_of(500);
    const FullBlock medium = block_of(16'000);
    const FullBlock big = block_of(1'600'000);
    const auto receive = [&](SyncPeer& peer, const FullBlock& block) {
        for (int i = 0; i < 100; ++i) static_cast<void>(full.search(peer, block));
        return full.window(peer);
    };

    SyncPeer& peer = add(1);
    peer.pacer.on_round_trip(milliseconds{100});
    peer.pacer.on_asked(64, 64, milliseconds{0});
    peer.pacer.on_answered(0, milliseconds{101});
    EXPECT_EQ(full.window(peer), 16U) << "blocks are expected to have 1 MB";
    EXPECT_EQ(receive(peer, small), 2'000U) << "BlockOptions::in_flight";
    EXPECT_NEAR(static_cast<double>(receive(peer, medium)), 1'000, 10);
    EXPECT_EQ(receive(peer, big), 9U);
    EXPECT_EQ(full.window(add(2)), 9U);

    SyncPeer& slow = add(3);
    slow.pacer.on_round_trip(milliseconds{100});
    slow.pacer.on_asked(16, 16, milliseconds{0});
    slow.pacer.on_answered(0, milliseconds{16'100});
    EXPECT_EQ(receive(slow, small), 2U) << "a block a second";
}

TEST_F(MatchSourceTest, TellsPeersNothingAboutFullBlocks) {
    SyncPeer& peer = add(1);
    full.prepare(peer);
    full.on_found({kFound}, nullptr);
    full.on_watched_changed();
    full.on_unconfirmed_changed();
    EXPECT_TRUE(sent().empty());
}

TEST_F(MatchSourceTest, NeedsPeersThatServeItsRequests) {
    EXPECT_EQ(filtered.needs_of_next_peer().services, kNodeNetwork | kNodeBloom);
    EXPECT_EQ(full.needs_of_next_peer().services, kNodeNetwork);
}

}  // namespace
}  // namespace petal::net
