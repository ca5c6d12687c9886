// Peers that show unconfirmed spends without a valid signature.
#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "net/peer/recent_txids.h"
#include "regtest/chain/regtest_block.h"
#include "tests/net/sync/unconfirmed/unconfirmed_scene.h"
#include "tests/support/unsigned_spend.h"

namespace petal {
namespace {

using net::DisconnectReason;
using std::chrono::milliseconds;
using std::chrono::seconds;
using test::ChainWithTwoCoins;
using test::Follow;
using test::ListWatcher;
using test::reaction_to;

class UnconfirmedSpends : public ChainWithTwoCoins {};

class UnconfirmedSpendsOfEachType : public ChainWithTwoCoins,
                                    public testing::WithParamInterface<chain::ScriptType> {
protected:
    UnconfirmedSpendsOfEachType() : ChainWithTwoCoins(GetParam()) {}
};

INSTANTIATE_TEST_SUITE_P(Types, UnconfirmedSpendsOfEachType, testing::ValuesIn(ListWatcher::kTypes),
                         [](const auto& row) { return std::string(describe(row.param)); });

TEST_P(UnconfirmedSpendsOfEachType, WithAValidSignatureCount) {
    Follow follow;
    const auto peer = follow.connect(chain);
    follow.run_for(seconds{20});
    ASSERT_EQ(follow.engine.status().phase, net::SyncPhase::listening);
    const auto spend = signed_spend(own);
    follow.show(peer, spend);
    EXPECT_FALSE(follow.knows(spend)) << "the timer stores it";
    follow.run_for(seconds{3});
    EXPECT_TRUE(follow.knows(spend));
    EXPECT_FALSE(follow.network.is_dropped(peer));
}

TEST_P(UnconfirmedSpendsOfEachType, WithoutAValidSignatureCostTheirSenderItsConnection) {
    for (const auto& coin : {own, strangers}) {
        for (const auto& lie : {unsigned_spend(coin), forged_spend(coin)}) {
            Follow follow;
            const auto liar = follow.connect(chain);
            follow.run_for(seconds{20});
            follow.show(liar, lie);
            EXPECT_TRUE(follow.network.is_dropped(liar));
            EXPECT_EQ(follow.report(liar).ended, DisconnectReason::invalid_transaction);
            EXPECT_EQ(follow.report(liar).misbehaviour, 1U);
            follow.run_for(seconds{3});
            EXPECT_FALSE(follow.knows(lie));
            EXPECT_TRUE(follow.watcher.batches.empty());
            EXPECT_EQ(follow.memory().unconfirmed.size(), 0U);
        }
    }
}

TEST_P(UnconfirmedSpendsOfEachType, CountFromAnHonestPeerThoughALiarShowedABadVersionFirst) {
    Follow follow;
    const auto liar = follow.connect(chain);
    const auto honest = follow.connect(chain);
    follow.run_for(seconds{20});
    const auto spend = signed_spend(own);
    follow.announce(honest, spend.txid());
    follow.show(liar, forged_spend(own));
    EXPECT_TRUE(follow.network.is_dropped(liar));
    follow.network.inject(honest, net::Tx{spend});
    follow.run_for(seconds{3});
    ASSERT_TRUE(follow.knows(spend));
    EXPECT_EQ(follow.watcher.last_unconfirmed(), spend);
    EXPECT_FALSE(follow.network.is_dropped(honest));
}

TEST_F(UnconfirmedSpends, OfAPeerWithoutWitnessesAreIgnoredWithoutBlame) {
    Follow follow;
    const auto old = follow.connect_without_witnesses(chain);
    const auto honest = follow.connect(chain);
    follow.run_for(seconds{20});
    const auto spend = signed_spend(own);
    follow.show(old, unsigned_spend(own));
    follow.run_for(seconds{3});
    EXPECT_FALSE(follow.network.is_dropped(old));
    EXPECT_FALSE(follow.knows(spend));
    EXPECT_TRUE(follow.watcher.batches.empty());
    follow.show(honest, spend);
    follow.run_for(seconds{3});
    EXPECT_TRUE(follow.knows(spend));
    follow.show(old, forged_spend(strangers));
    EXPECT_TRUE(follow.network.is_dropped(old)) << "this is not due to missing witnesses";
}

TEST_F(UnconfirmedSpends, OfCoinsSpentInABlockAreNotShown) {
    const auto replaced = signed_spend(own);
    auto confirmed = test::make_spend(chain, {{own}}, {{5'000, chain::Bytes{0x51}}});
    chain.mine_block({confirmed});
    Follow follow;
    const auto peer = follow.connect(chain);
    follow.run_for(seconds{20});
    follow.show(peer, replaced);
    follow.run_for(seconds{3});
    EXPECT_FALSE(follow.network.is_dropped(peer)) << "the peer may not have the block yet";
    EXPECT_FALSE(follow.knows(replaced));
    EXPECT_TRUE(follow.watcher.batches.empty());
}

TEST_F(UnconfirmedSpends, OfUnconfirmedCoinsAreVerifiedToo) {
    const auto payment = chain.make_payment({{7'000, ListWatcher::script(0)}});
    own = {payment.txid(), 0};
    Follow follow;
    const auto liar = follow.connect(chain);
    const auto honest = follow.connect(chain);
    follow.run_for(seconds{20});
    follow.show(honest, payment);
    follow.show(liar, forged_spend(own));
    EXPECT_TRUE(follow.network.is_dropped(liar));
    follow.show(honest, signed_spend(own));
    follow.run_for(seconds{3});
    EXPECT_TRUE(follow.knows(signed_spend(own)));
}

// A message may come after the end of the listening time but before the timer that notices it.
TEST_F(UnconfirmedSpends, AreStoredBeforeTheSyncIsDone) {
    auto options = Follow::options();
    options.wait_unconfirmed = seconds{60};
    Follow follow(options);
    const auto peer = follow.connect(chain);
    follow.run_for(seconds{20});
    ASSERT_EQ(follow.engine.status().phase, net::SyncPhase::listening);
    const auto spend = signed_spend(own);
    follow.show(peer, spend);
    net::Now later = follow.network.now();
    later.steady += seconds{61};
    follow.engine.on_message(peer, net::Ping{1}, later);
    EXPECT_FALSE(follow.engine.finished());
    follow.engine.on_time(later);
    EXPECT_TRUE(follow.engine.finished());
    EXPECT_TRUE(follow.knows(spend));
}

// Otherwise the time taken by the store would tell the sender whether the coin is the watcher's.
TEST_F(UnconfirmedSpends, AreStoredAtAMomentThatTheirSenderCannotForesee) {
    std::set<std::int64_t> moments;
    for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        auto options = Follow::options();
        options.random_seed = seed;
        Follow follow(options);
        const auto peer = follow.connect(chain);
        follow.run_for(seconds{20});
        follow.show(peer, signed_spend(own));
        std::int64_t waited = 0;
        for (; follow.watcher.batches.empty() && waited < 3'000; waited += 20) {
            follow.network.advance(std::chrono::milliseconds{20});
        }
        EXPECT_GE(waited, 1'000);
        EXPECT_LE(waited, 2'000);
        moments.insert(waited);
    }
    EXPECT_GT(moments.size(), 1U);
}

// A block may hold none of these, whatever their signatures.
TEST_F(UnconfirmedSpends, ThatAreInvalidByThemselvesCostTheirSenderItsConnection) {
    const auto signed_again = [this](chain::Transaction spend) {
        for (std::size_t i = 0; i < spend.inputs.size(); ++i) {
            test::sign_input(spend, i, own_key, output_of(own));
        }
        return spend;
    };
    auto greedy = unsigned_spend(own);
    greedy.outputs[0].value = 7'001;
    auto repeated = unsigned_spend(own);
    repeated.inputs.push_back(repeated.inputs[0]);
    auto negative = unsigned_spend(own);
    negative.outputs.push_back({-1, test::kForeign.script_pubkey});
    chain::Transaction rich;  // it spends an unknown coin, so its amounts cannot be compared
    rich.inputs.emplace_back().prevout.index = 1;
    rich.outputs = {{chain::kMaxMoney + 1, ListWatcher::script(1)}};
    const auto coinbase =
        regtest::make_coinbase(chain.height() + 1, 0, {7'000, ListWatcher::script(1)});
    const std::vector<std::pair<chain::Transaction, std::string>> rows{
        {signed_again(greedy), "it pays more than it spends"},
        {signed_again(repeated), "it spends an output twice"},
        {signed_again(negative),
         "the value of an output is below zero or above 21 million bitcoin"},
        {rich, "the value of an output is below zero or above 21 million bitcoin"},
        {coinbase, "it is a coinbase"},
    };
    for (const auto& [lie, why] : rows) {
        Follow follow;
        const auto liar = follow.connect(chain);
        follow.run_for(seconds{20});
        std::string detail;
        follow.network.on_command = [&](const net::Command& command) {
            const auto* const end = std::get_if<net::Disconnect>(&command);
            if (end) detail = end->detail;
        };
        follow.show(liar, lie);
        EXPECT_EQ(detail, lie.txid().to_hex() + ", " + why);
        EXPECT_EQ(follow.report(liar).ended, DisconnectReason::invalid_transaction) << why;
    }
}

// Verifying a signature takes 50 microseconds, so transactions that would not be taken are not
// verified.
TEST_F(UnconfirmedSpends, AreNotVerifiedIfThereIsNoRoom) {
    Follow follow;
    const auto flooder = follow.connect(chain);
    follow.run_for(seconds{20});
    for (std::uint32_t i = 0; i < net::kMaxUnconfirmedOutpoints / 4; ++i) {
        chain::Transaction made_up;
        made_up.inputs.emplace_back().prevout.index = i;
        made_up.outputs = {{7'000, ListWatcher::script(1)}};
        follow.show(flooder, made_up);
    }
    follow.show(flooder, unsigned_spend(own));
    EXPECT_FALSE(follow.network.is_dropped(flooder));
    follow.run_for(seconds{3});
    EXPECT_EQ(follow.watcher.batches, std::vector{net::kMaxUnconfirmedOutpoints / 4});
    follow.run_for(seconds{3});
    const auto honest = follow.connect(chain);
    follow.run_for(seconds{3});
    follow.show(honest, signed_spend(own));
    follow.run_for(seconds{3});
    EXPECT_TRUE(follow.knows(signed_spend(own))) << "the honest peer is of another network group";
}

// Until the spent output is known, a valid version of a transaction cannot be told from an invalid
// one.
TEST_F(UnconfirmedSpends, ThatPrecedeTheirParentAreRequestedAgain) {
    const auto payment = chain.make_payment({{7'000, ListWatcher::script(1)}});
    auto good = test::make_spend(chain, {{{payment.txid(), 0}}}, {{6'000, ListWatcher::script(2)}});
    test::sign_input(good, 0, ListWatcher::key(1), {7'000, ListWatcher::script(1)});
    auto bad = good;
    bad.inputs[0].witness = {chain::Bytes(71, 1), chain::Bytes(33, 2)};
    Follow follow;
    const auto liar = follow.connect(chain);
    const auto honest = follow.connect(chain);
    follow.run_for(seconds{20});
    follow.show(honest, bad);  // an honest peer may relay it, because it cannot be verified yet
    follow.run_for(seconds{3});
    const auto asked = follow.network.sent(honest, "getdata");
    follow.show(liar, payment);
    EXPECT_EQ(follow.network.sent(honest, "getdata"), asked + 1);
    follow.network.inject(honest, net::Tx{good});
    follow.run_for(seconds{3});
    EXPECT_EQ(follow.watcher.last_unconfirmed(), good);
    EXPECT_EQ(follow.watcher.batches, (std::vector<std::size_t>{1, 2}));
    EXPECT_FALSE(follow.network.is_dropped(honest));
}

// The sender lacks blocks. They are searched again for conflicts with the payment, but only once,
// and at most six: otherwise a peer that claims to have no blocks could have the whole chain
// searched again.
TEST_F(UnconfirmedSpends, RescanAFewBlocksOnlyWhenTheyAreNew) {
    struct Row {
        std::int32_t lacking;
        std::size_t searched;
    };
    for (const Row& row : {Row{3, 3}, Row{50, 6}}) {
        Follow follow;
        const auto honest = follow.connect(chain);
        follow.run_for(seconds{20});
        const auto behind = follow.connect(chain);
        follow.network.alter_messages(behind, [&](net::Message& message) {
            auto* const version = std::get_if<net::Version>(&message);
            if (version) {
                version->start_height = static_cast<std::int32_t>(chain.height()) - row.lacking;
            }
            if (auto* const headers = std::get_if<net::Headers>(&message)) headers->headers.clear();
        });
        follow.run_for(seconds{20});
        std::size_t asked = 0;
        follow.network.on_command = [&](const net::Command& command) {
            const auto* const send = std::get_if<net::Send>(&command);
            const auto* const request = send ? std::get_if<net::GetData>(&send->message) : nullptr;
            if (!request || send->peer != honest) return;
            asked += static_cast<std::size_t>(std::ranges::count(
                request->entries, net::InventoryType::filtered_block, &net::Inventory::type));
        };
        const auto payment = chain.make_payment({{7'000, ListWatcher::script(1)}});
        follow.show(behind, payment);
        follow.run_for(seconds{5});
        EXPECT_EQ(asked, row.searched) << "of " << row.lacking << " blocks that the sender lacks";
        follow.show(honest, payment);
        follow.run_for(seconds{5});
        EXPECT_EQ(follow.watcher.batches, (std::vector<std::size_t>{1, 1}));
        EXPECT_EQ(asked, row.searched);
    }
}

// A further version of each transaction is taken from another network group until one is verified.
// They do not count towards the group's share, but together take ten million bytes at most, and are
// a hundred at most.
class UnconfirmedVersions
    : public UnconfirmedSpends,
      public testing::WithParamInterface<std::pair<std::size_t, std::size_t>> {};

INSTANTIATE_TEST_SUITE_P(BytesAndTaken, UnconfirmedVersions,
                         testing::Values(std::pair{100'000, 99}, std::pair{10, 100}));

TEST_P(UnconfirmedVersions, AreTakenWithinABound) {
    const auto [bytes, taken] = GetParam();
    Follow follow;
    const auto peer = follow.connect(chain);
    const auto other = follow.connect(chain);
    follow.run_for(seconds{20});
    std::vector<chain::Transaction> payments;
    for (chain::Satoshis value = 7'000; value < 7'150; ++value) {
        payments.push_back(chain.make_payment({{value, ListWatcher::script(1)}}));
        follow.show(peer, payments.back());
    }
    const auto last = payments.back();
    for (chain::Transaction& payment : payments) {
        payment.inputs[0].witness = {chain::Bytes(bytes)};
        follow.show(peer, payment);
        follow.show(other, payment);
    }
    follow.run_for(seconds{3});
    EXPECT_EQ(follow.watcher.last_unconfirmed(), payments.at(taken - 1));
    EXPECT_EQ(follow.watcher.batches, std::vector<std::size_t>{150 + taken});
    EXPECT_TRUE(follow.knows(last));
}

// Otherwise a peer could find the wallet's coins among all that a filter matches.
TEST_P(UnconfirmedSpendsOfEachType, OfOwnAndForeignCoinsAreTreatedAlike) {
    const auto of_own = reaction_to(unsigned_spend(own), chain);
    ASSERT_FALSE(of_own.empty());
    EXPECT_EQ(of_own, reaction_to(unsigned_spend(strangers), chain));
    EXPECT_EQ(reaction_to(forged_spend(own), chain), reaction_to(forged_spend(strangers), chain));
    const auto valid = reaction_to(signed_spend(own), chain);
    EXPECT_EQ(valid, reaction_to(signed_spend(strangers), chain));
    EXPECT_NE(valid, of_own);
}

net::Frame frame_of(std::string_view command, const chain::Bytes& payload) {
    return {command, payload};
}

// Decoding four million bytes of made-up inputs takes three times their memory.
TEST_F(UnconfirmedSpends, AreDroppedUnreadUnlessRequested) {
    Follow follow;
    const chain::Bytes small(300);
    const chain::Bytes huge(4'000'000);
    const auto silent = follow.network.connect_silent_peer();
    const auto expects = [&](net::PeerId peer, std::string_view command,
                             const chain::Bytes& payload) {
        return follow.engine.expects(peer, frame_of(command, payload)).value_or(false);
    };
    for (const auto* command : {"tx", "block", "merkleblock", "headers", "inv", "addr"}) {
        EXPECT_FALSE(expects(silent, command, small)) << command << " before the handshake";
    }
    EXPECT_TRUE(expects(silent, "version", small));
    EXPECT_TRUE(expects(silent, "verack", {}));

    const auto peer = follow.connect(chain);
    follow.run_for(seconds{20});
    EXPECT_TRUE(expects(peer, "inv", huge));
    EXPECT_FALSE(expects(peer, "tx", small));
    const auto block = follow.engine.expects(peer, frame_of("block", small));
    ASSERT_FALSE(block);
    EXPECT_EQ(block.error().reason, DisconnectReason::unrequested);

    chain.mine_block({chain.make_payment({{7'000, ListWatcher::script(1)}})});
    while (!expects(peer, "tx", small)) ASSERT_TRUE(follow.network.deliver_next(peer));
    EXPECT_TRUE(expects(peer, "tx", chain::Bytes(1'000'000)));
    EXPECT_FALSE(expects(peer, "tx", chain::Bytes(1'000'001)))
        << "no transaction of a block is larger without its witnesses";
    follow.network.deliver_all(peer);
    EXPECT_FALSE(expects(peer, "tx", small)) << "the block is complete";

    const auto spend = signed_spend(own);
    follow.announce(peer, spend.txid());
    EXPECT_TRUE(expects(peer, "tx", small));
    EXPECT_FALSE(expects(peer, "tx", huge)) << "nodes do not relay a transaction of this size";
    follow.network.inject(peer, net::Tx{spend});
    EXPECT_FALSE(expects(peer, "tx", small)) << "the transaction has come already";
}

TEST_F(UnconfirmedSpends, AreDecodedNoMoreOftenThanRequested) {
    Follow follow;
    const auto peer = follow.connect(chain);
    follow.run_for(seconds{20});
    const auto is_decoded = [&] {
        return follow.engine.expects(peer, frame_of("tx", chain::Bytes(300))).value();
    };
    const auto spend = signed_spend(own);
    const auto other = signed_spend(strangers);
    follow.announce(peer, spend.txid());
    follow.announce(peer, other.txid());
    for (std::uint32_t i = 0; i < 2; ++i) {
        EXPECT_TRUE(is_decoded());
        auto unrequested = spend;
        unrequested.lock_time = 1'000 + i;
        follow.network.inject(peer, net::Tx{unrequested});
    }
    EXPECT_FALSE(is_decoded()) << "as many transactions came as were requested, but other ones";
    const auto third = chain.make_payment({{7'000, ListWatcher::script(1)}});
    follow.announce(peer, third.txid());
    EXPECT_TRUE(is_decoded());
    follow.network.inject(peer, net::NotFound{{{net::InventoryType::tx, {third.txid().bytes}}}});
    EXPECT_FALSE(is_decoded());
}

TEST_F(UnconfirmedSpends, EndTheConnectionIfTooManyAreUnrequested) {
    Follow follow;
    const auto peer = follow.connect(chain);
    follow.run_for(seconds{20});
    auto large = signed_spend(own);
    large.outputs.push_back({1, chain::Bytes(400'000)});
    int sent = 0;
    for (; !follow.network.is_dropped(peer) && sent < 100; ++sent) {
        follow.network.inject(peer, net::Tx{large});
    }
    EXPECT_EQ(sent, 16'000'000 / 400'000);
}

TEST_F(UnconfirmedSpends, AreRequestedWithinAShareDuringAFlood) {
    Follow follow;
    const auto flooder = follow.connect(chain);
    const auto honest = follow.connect(chain);
    follow.run_for(seconds{20});
    std::size_t asked = 0;
    follow.network.on_command = [&](const net::Command& command) {
        const auto* send = std::get_if<net::Send>(&command);
        const auto* request = send ? std::get_if<net::GetData>(&send->message) : nullptr;
        if (request) asked += request->entries.size();
    };
    for (std::uint32_t i = 0; i < 4; ++i) {
        net::Inv inv;
        for (std::uint32_t j = 0; j < 50'000; ++j) {
            chain::Hash256 hash;
            std::copy_n(reinterpret_cast<const chain::Byte*>(&j), 4, hash.bytes.begin());
            hash.bytes[4] = static_cast<chain::Byte>(i);
            inv.entries.push_back({net::InventoryType::tx, hash});
        }
        follow.network.inject(flooder, std::move(inv));
    }
    EXPECT_EQ(asked, net::kMaxTxids / 8);
    const auto spend = signed_spend(own);
    follow.show(honest, spend);
    follow.run_for(seconds{3});
    EXPECT_TRUE(follow.knows(spend));
    EXPECT_EQ(follow.engine.seen_from(spend.txid()), 1U);
}

}  // namespace
}  // namespace petal
