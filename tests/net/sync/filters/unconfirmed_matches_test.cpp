// The memory of unconfirmed payments by itself: decisions by blocks, bounds, and serialisation.
#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

#include "net/sync/filters/unconfirmed_matches.h"

namespace petal {
namespace {

using net::UnconfirmedMatches;

chain::Outpoint outpoint(std::uint32_t number) {
    chain::Outpoint result;
    result.txid.bytes[0] = 1;
    result.index = number;
    return result;
}

chain::Transaction spending(const std::vector<std::uint32_t>& numbers) {
    chain::Transaction transaction;
    for (const std::uint32_t number : numbers) {
        transaction.inputs.emplace_back().prevout = outpoint(number);
    }
    return transaction;
}

/// Spends one output, with a witness of this many items of this many bytes.
chain::Transaction with_witness(std::uint32_t number, std::size_t items, std::size_t bytes) {
    auto transaction = spending({number});
    for (std::size_t i = 0; i < items; ++i) {
        transaction.inputs[0].witness.push_back(chain::Bytes(bytes));
    }
    return transaction;
}

constexpr std::uint32_t kHeight = 500;
constexpr std::uint32_t kSettled = kHeight + chain::kReorganisationReach + 1;
constexpr std::size_t kMost = net::kMaxUnconfirmedOutpoints;

chain::ProvenBlock block_of(const std::vector<chain::Transaction>& transactions,
                            std::uint32_t height = kHeight) {
    chain::ProvenBlock block;
    block.block.height = height;
    for (const auto& transaction : transactions) {
        block.transactions.push_back({1, transaction.txid(), transaction});
    }
    return block;
}

net::FirstSeen from(std::string_view network_group, std::int64_t time = 0) {
    return {chain::as_bytes(network_group), time};
}

/// Adds the transaction and marks it as shown to the watcher. Returns whether it was taken.
bool add(UnconfirmedMatches& memory, const chain::Transaction& transaction,
         const net::FirstSeen& source = {}) {
    const chain::Txid txid = transaction.txid();
    const auto answer = memory.add(transaction, txid, {net::MatchedOutput{{txid, 0}}}, source);
    memory.mark_shown();
    return answer == UnconfirmedMatches::AddResult::taken;
}

/// Adds copies of the transaction that spend the outpoints from number `first` on, until one is
/// refused. Returns how many were taken.
std::uint32_t flood(UnconfirmedMatches& memory, std::string_view network_group, std::uint32_t first,
                    chain::Transaction transaction = spending({0})) {
    for (std::uint32_t taken = 0;; ++taken) {
        transaction.inputs[0].prevout = outpoint(first + taken);
        if (!add(memory, transaction, from(network_group))) return taken;
    }
}

chain::Bytes encoded(const UnconfirmedMatches& memory) {
    chain::ByteWriter writer;
    memory.write(writer);
    return writer.take();
}

/// The outpoints that are decoded; nothing if the bytes are refused.
std::optional<std::vector<chain::Outpoint>> decoded(const chain::Bytes& bytes) {
    chain::ByteReader reader{bytes};
    const UnconfirmedMatches memory = UnconfirmedMatches::read(reader);
    reader.expect_end();
    if (!reader.ok()) return std::nullopt;
    return memory.outpoints();
}

TEST(UnconfirmedMatches, HoldsTheInputsAndOutputsOfATransaction) {
    UnconfirmedMatches memory;
    const auto pending = spending({1, 2});
    EXPECT_TRUE(add(memory, pending));
    EXPECT_EQ(memory.add(pending, pending.txid(), {}, {}), UnconfirmedMatches::AddResult::known);
    EXPECT_EQ(memory.size(), 3U);
    for (const auto& held : {outpoint(1), outpoint(2), chain::Outpoint{pending.txid(), 0}}) {
        EXPECT_TRUE(memory.contains(held));
    }
    EXPECT_FALSE(memory.contains(outpoint(3)));
    EXPECT_EQ(memory.outpoints().size(), 3U);
}

// A later process would assume that the watcher was shown it, and never show it.
TEST(UnconfirmedMatches, StoresNoMatchBeforeTheWatcherIsShownIt) {
    UnconfirmedMatches memory;
    EXPECT_TRUE(add(memory, spending({1})));
    const auto unseen = spending({2, 3});
    memory.add(unseen, unseen.txid(), {}, {});
    EXPECT_TRUE(memory.find(unseen.txid())->is_open());
    EXPECT_EQ(decoded(encoded(memory))->size(), 2U);
    memory.mark_shown();
    EXPECT_EQ(decoded(encoded(memory))->size(), 4U);
    EXPECT_EQ(memory.outpoints_of(unseen.txid()), (std::vector{outpoint(2), outpoint(3)}));
}

TEST(UnconfirmedMatches, NamesNoOutpointsOfAConfirmedMatch) {
    UnconfirmedMatches memory;
    const auto confirmed = spending({1});
    const auto impossible = spending({2});
    for (const auto& each : {confirmed, impossible}) memory.add(each, each.txid(), {}, {});
    memory.on_block(block_of({confirmed, spending({2, 9})}));
    EXPECT_FALSE(memory.find(confirmed.txid())->is_open());
    EXPECT_FALSE(memory.find(impossible.txid())->is_open());
    EXPECT_TRUE(memory.outpoints_of(confirmed.txid()).empty());
    EXPECT_EQ(memory.outpoints_of(impossible.txid()), std::vector{outpoint(2)})
        << "its block may be disconnected";
    EXPECT_EQ(decoded(encoded(memory))->size(), 1U)
        << "the watcher learns of confirmed transactions from blocks";
}

TEST(UnconfirmedMatches, HoldsAConflictedMatchUntilTheBlockIsSettled) {
    const auto confirmed = spending({1, 2});
    const auto replaced = spending({3, 4});
    const auto stays = spending({4, 5});
    UnconfirmedMatches memory;
    for (const auto& pending : {confirmed, replaced, stays}) EXPECT_TRUE(add(memory, pending));
    EXPECT_EQ(memory.size(), 8U) << "two of them spend the same outpoint";
    memory.on_block(block_of({confirmed, spending({3, 9})}));
    EXPECT_EQ(memory.size(), 5U);
    EXPECT_FALSE(memory.contains(outpoint(1)));
    EXPECT_TRUE(memory.contains(outpoint(3)));
    memory.forget_settled(kSettled - 1);
    EXPECT_TRUE(memory.contains(outpoint(3)));
    memory.forget_settled(kSettled);
    EXPECT_EQ(memory.size(), 3U);
    EXPECT_FALSE(memory.contains(outpoint(3)));
    EXPECT_TRUE(memory.contains(outpoint(4))) << "another transaction spends it, too";
    memory.undo_to(0);
    EXPECT_FALSE(memory.contains(outpoint(1))) << "the decision is final";
}

// A block that is searched again may come after blocks above it.
TEST(UnconfirmedMatches, DatesAConflictFromTheLowestBlock) {
    for (const bool in_order : {true, false}) {
        UnconfirmedMatches memory;
        add(memory, spending({1, 2}));
        const auto low = block_of({spending({1, 8})}, kHeight);
        const auto high = block_of({spending({2, 9})}, kHeight + 10);
        memory.on_block(in_order ? low : high);
        memory.on_block(in_order ? high : low);
        memory.undo_to(kHeight + 5);
        memory.forget_settled(kSettled);
        EXPECT_EQ(memory.size(), 0U);
    }
}

TEST(UnconfirmedMatches, HoldsAMatchAgainIfItsBlockIsUndone) {
    const auto confirmed = spending({1});
    const auto replaced = spending({3});
    UnconfirmedMatches memory;
    add(memory, confirmed);
    add(memory, replaced);
    memory.on_block(block_of({confirmed, spending({3, 9})}));
    memory.undo_to(kHeight);
    EXPECT_FALSE(memory.contains(outpoint(1)));
    memory.undo_to(kHeight - 1);
    EXPECT_EQ(memory.size(), 4U);
    memory.on_block(block_of({replaced}));
    EXPECT_TRUE(memory.contains(outpoint(1)));
    EXPECT_FALSE(memory.contains(outpoint(3)));
}

TEST(UnconfirmedMatches, HoldsAMatchFirstSeenInABlockThatIsUndone) {
    UnconfirmedMatches memory;
    const auto confirmed = spending({1, 2});
    memory.add_confirmed(confirmed, confirmed.txid(), {net::MatchedOutput{{confirmed.txid(), 0}}},
                         kHeight);
    EXPECT_EQ(memory.size(), 0U);
    EXPECT_EQ(memory.add(confirmed, confirmed.txid(), {}, {}),
              UnconfirmedMatches::AddResult::known);
    memory.undo_to(kHeight);
    EXPECT_EQ(memory.size(), 0U);
    memory.undo_to(kHeight - 1);
    EXPECT_EQ(memory.size(), 3U);
    add(memory, spending({7}), {{}, 1'000'000'000});
    add(memory, spending({8}), {{}, 1'000'000'000 + chain::kUnconfirmedLifetime});
    EXPECT_TRUE(memory.contains(outpoint(1)));
    add(memory, spending({9}), {{}, 1'000'000'001 + chain::kUnconfirmedLifetime});
    EXPECT_FALSE(memory.contains(outpoint(1)));
}

TEST(UnconfirmedMatches, KeepsTheLastConfirmedMatchesWithinItsBound) {
    UnconfirmedMatches memory;
    constexpr auto kHigher = static_cast<std::uint32_t>(net::kMaxConfirmedOutpoints);
    const auto confirm = [&memory](std::uint32_t number, std::uint32_t height) {
        const auto transaction = spending({number});
        memory.add_confirmed(transaction, transaction.txid(), {}, height);
    };
    for (std::uint32_t i = 0; i < kHigher; ++i) confirm(i, kHeight);
    for (std::uint32_t i = 0; i < kHigher; ++i) confirm(kHigher + i, kHeight + 1);
    EXPECT_TRUE(add(memory, spending({3 * kHigher})))
        << "confirmed transactions take no room of the unconfirmed";
    memory.keep_last_confirmed();
    EXPECT_TRUE(add(memory, spending({3 * kHigher + 1})));
    EXPECT_TRUE(decoded(encoded(memory)));
    memory.undo_to(0);
    EXPECT_EQ(memory.size(), net::kMaxConfirmedOutpoints + 4);
    EXPECT_FALSE(memory.contains(outpoint(0)));
    EXPECT_TRUE(memory.contains(outpoint(kHigher)));
    EXPECT_TRUE(decoded(encoded(memory)));
}

TEST(UnconfirmedMatches, ForgetsExpiredMatches) {
    UnconfirmedMatches memory;
    add(memory, spending({1}), {{}, 1'000});
    add(memory, spending({2}), {{}, 1'000 + chain::kUnconfirmedLifetime});
    add(memory, spending({7}), {{}, 1'000});
    memory.on_block(block_of({spending({7, 8})}));
    EXPECT_TRUE(memory.contains(outpoint(1)));
    add(memory, spending({3}), {{}, 1'001 + chain::kUnconfirmedLifetime});
    EXPECT_FALSE(memory.contains(outpoint(1)));
    EXPECT_TRUE(memory.contains(outpoint(2)));
    EXPECT_TRUE(memory.contains(outpoint(7))) << "what a block decided does not expire";
}

TEST(UnconfirmedMatches, ForgetsAMatchThatAFastClockDated) {
    UnconfirmedMatches memory;
    add(memory, spending({1}), {{}, 1'001 + chain::kUnconfirmedLifetime});
    add(memory, spending({2}), {{}, 1'001});
    EXPECT_TRUE(memory.contains(outpoint(1)));
    add(memory, spending({3}), {{}, 1'000});
    EXPECT_FALSE(memory.contains(outpoint(1)));
    EXPECT_TRUE(memory.contains(outpoint(2)));
}

TEST(UnconfirmedMatches, LimitsAFloodAndEvictsNothing) {
    UnconfirmedMatches memory;
    EXPECT_EQ(flood(memory, "a", 0), kMost / 4) << "half of the room";
    EXPECT_EQ(memory.size(), kMost / 2);
    EXPECT_TRUE(memory.contains(outpoint(0)));
    memory.on_block(block_of({spending({0})}));
    memory.forget_settled(kSettled);
    EXPECT_FALSE(add(memory, spending({5'000, 5'001}), from("a")))
        << "there is room for two outpoints, and it has three";
    EXPECT_TRUE(add(memory, spending({5'000}), from("a")));
}

TEST(UnconfirmedMatches, LeavesRoomForOtherPeersDuringAFlood) {
    UnconfirmedMatches memory;
    EXPECT_EQ(flood(memory, "a", 0), kMost / 4);
    EXPECT_EQ(flood(memory, "b", 10'000), kMost / 8) << "half of the room that is left";
    EXPECT_EQ(flood(memory, "a", 20'000), 0U);
    EXPECT_EQ(flood(memory, "c", 30'000), kMost / 16);
    EXPECT_TRUE(memory.contains(outpoint(0)));

    const chain::Bytes bytes = encoded(memory);
    chain::ByteReader reader{bytes};
    UnconfirmedMatches later = UnconfirmedMatches::read(reader);
    EXPECT_EQ(flood(later, "a", 20'000), 0U) << "the share of the group survives, too";
    EXPECT_EQ(flood(later, "d", 40'000), kMost / 32);
}

// However the bytes are split into items.
TEST(UnconfirmedMatches, BoundsBytesAndLeavesRoomForOtherPeers) {
    for (const std::size_t item_bytes : {0U, 500U}) {
        const std::size_t items = 90'000 / (item_bytes + 1);
        const auto transaction = with_witness(0, items, item_bytes);
        const std::size_t bytes = net::memory_bytes(transaction);
        EXPECT_GE(bytes, transaction.serialize().size());
        UnconfirmedMatches memory;
        std::size_t taken = flood(memory, "a", 0, transaction);
        EXPECT_EQ(taken, net::kMaxUnconfirmedBytes / 2 / bytes);
        for (std::uint32_t group = 1; group < 12; ++group) {
            taken += flood(memory, std::to_string(group), 1'000 * group, transaction);
        }
        EXPECT_LE(taken * bytes, net::kMaxUnconfirmedBytes);
        EXPECT_TRUE(add(memory, spending({99'999}), from("small"))) << "some room is left";
        EXPECT_EQ(flood(memory, "a", 70'000, transaction), 0U);

        const chain::Bytes stored = encoded(memory);
        chain::ByteReader reader{stored};
        UnconfirmedMatches later = UnconfirmedMatches::read(reader);
        EXPECT_EQ(flood(later, "a", 80'000, transaction), 0U)
            << "the share of the group survives, too";
    }
}

TEST(UnconfirmedMatches, RefusesTransactionsTooHeavyToBeRelayed) {
    UnconfirmedMatches memory;
    const std::size_t most = chain::kMaxRelayedWeight - with_witness(1, 1, 0).weight() - 4;
    const auto heavy = with_witness(1, 1, most);
    ASSERT_EQ(heavy.weight(), chain::kMaxRelayedWeight);
    const auto heavier = with_witness(1, 1, most + 1);
    EXPECT_FALSE(add(memory, heavier));
    EXPECT_TRUE(add(memory, heavy));
}

// A transaction that is forgotten frees its bytes.
TEST(UnconfirmedMatches, FreesTheBytesOfAForgottenMatch) {
    UnconfirmedMatches memory;
    const auto transaction = with_witness(0, 3, 30'000);
    const std::uint32_t taken = flood(memory, "a", 0, transaction);
    memory.on_block(block_of({transaction}));
    EXPECT_EQ(flood(memory, "a", taken, transaction), 1U);
}

TEST(UnconfirmedMatches, TakesAnUnverifiedMatchAgainWithinItsShare) {
    using enum UnconfirmedMatches::AddResult;
    UnconfirmedMatches memory;
    auto spender = with_witness(1, 1, 300'000);
    spender.inputs.push_back(spending({2}).inputs[0]);
    const auto confirmed = spending({3});
    const auto judged = spending({2, 4});
    const auto add_as = [&](const chain::Transaction& transaction, bool is_judged) {
        return memory.add(transaction, transaction.txid(), {}, {}, is_judged);
    };
    for (const auto& each : {spender, confirmed}) EXPECT_EQ(add_as(each, false), taken);
    EXPECT_EQ(add_as(judged, true), taken);
    EXPECT_EQ(add_as(judged, true), known);
    memory.on_block(block_of({confirmed}));
    EXPECT_TRUE(memory.reopen_unjudged_spenders({{outpoint(9)}}).empty());
    EXPECT_TRUE(memory.reopen_unjudged_spenders({{outpoint(3)}}).empty())
        << "a block has judged it";
    EXPECT_EQ(memory.reopen_unjudged_spenders({{outpoint(7)}, {outpoint(2)}}),
              std::vector{spender.txid()});
    UnconfirmedMatches before = memory;
    EXPECT_EQ(add_as(spender, true), again);
    EXPECT_EQ(add_as(spender, true), known);
    UnconfirmedMatches after = memory;
    for (const auto& more : {spending({0}), with_witness(0, 1, 90'000)}) {
        EXPECT_EQ(flood(after, "", 1'000, more), flood(before, "", 1'000, more));
    }
    memory.undo_to(0);
    EXPECT_EQ(add_as(confirmed, true), again) << "the watcher may not have it";
}

// The watcher may have been told to forget the transaction meanwhile.
TEST(UnconfirmedMatches, TakesAMatchOfAnEarlierProcessAgain) {
    UnconfirmedMatches memory;
    const auto spender = spending({1});
    EXPECT_TRUE(add(memory, spender));
    EXPECT_FALSE(memory.find(spender.txid())->is_unjudged());
    memory.mark_shown();
    const chain::Bytes bytes = encoded(memory);
    chain::ByteReader reader{bytes};
    EXPECT_TRUE(UnconfirmedMatches::read(reader).find(spender.txid())->may_come_again_from(0));
}

TEST(UnconfirmedMatches, TakesAVersionFromEachNetworkGroupOnce) {
    UnconfirmedMatches memory;
    const auto spender = spending({1});
    const auto add_from = [&](const char* group) {
        return memory.add(spender, spender.txid(), {}, {chain::as_bytes(group), 1}, false);
    };
    using enum UnconfirmedMatches::AddResult;
    EXPECT_EQ(add_from("a"), taken);
    EXPECT_EQ(add_from("a"), known);
    EXPECT_EQ(add_from("b"), again);
    EXPECT_EQ(add_from("b"), known);
    const net::MatchedOutput spent{spender.inputs[0].prevout, {}};
    EXPECT_EQ(memory.reopen_unjudged_spenders({spent}), std::vector{spender.txid()});
    EXPECT_EQ(add_from("a"), again) << "it may be verified now";
    int groups = 0;
    while (groups < 50 && add_from(std::to_string(groups).c_str()) == again) ++groups;
    EXPECT_EQ(groups, 7);
}

TEST(UnconfirmedMatches, LimitsAFloodOfSpendsOfOneCoin) {
    UnconfirmedMatches memory;
    std::uint32_t taken = 0;
    for (chain::Transaction pending = spending({1}); taken < 5'000; ++taken) {
        pending.lock_time = taken;
        const auto answer = memory.add(pending, pending.txid(), {}, {});
        if (answer != UnconfirmedMatches::AddResult::taken) break;
    }
    EXPECT_EQ(taken, kMost / 2);
    EXPECT_EQ(memory.size(), 1U);
    memory.mark_shown();
    EXPECT_EQ(decoded(encoded(memory)), memory.outpoints());
    EXPECT_EQ(memory.add(spending({1}), {}, {}, {}), UnconfirmedMatches::AddResult::no_room);
}

TEST(UnconfirmedMatches, HasRoomWhateverTheNumberOfConfirmedMatches) {
    UnconfirmedMatches memory;
    std::uint32_t confirmed = 0;
    for (; confirmed < net::kMaxConfirmedOutpoints; ++confirmed) {
        const auto pending = spending({confirmed});
        ASSERT_TRUE(add(memory, pending)) << confirmed;
        memory.on_block(block_of({pending}, kHeight + confirmed / 100));
        memory.keep_last_confirmed();
    }
    EXPECT_EQ(memory.size(), 0U);
    EXPECT_EQ(flood(memory, "a", 10'000), kMost / 4);
    EXPECT_TRUE(decoded(encoded(memory)));
    memory.undo_to(0);
    EXPECT_EQ(memory.size(), kMost / 2 + net::kMaxConfirmedOutpoints);
    EXPECT_TRUE(memory.contains(outpoint(confirmed - 1)));
    EXPECT_TRUE(memory.contains(outpoint(confirmed / 2)));
    EXPECT_FALSE(memory.contains(outpoint(confirmed / 2 - 1)));
    EXPECT_TRUE(decoded(encoded(memory)));
    EXPECT_FALSE(add(memory, spending({20'000}), from("b"))) << "the filters are full";
}

TEST(UnconfirmedMatches, StaysBoundedHoweverOftenBlocksAreUndone) {
    UnconfirmedMatches memory;
    std::uint32_t number = 0;
    for (std::uint32_t round = 0; round < 4; ++round) {
        for (std::size_t i = 0; i < net::kMaxConfirmedOutpoints; ++i) {
            const auto transaction = spending({number++});
            memory.add_confirmed(transaction, transaction.txid(), {}, kHeight);
        }
        memory.keep_last_confirmed();
        EXPECT_TRUE(decoded(encoded(memory)));
        memory.undo_to(0);
        EXPECT_LE(memory.size(), kMost + net::kMaxConfirmedOutpoints);
        EXPECT_TRUE(decoded(encoded(memory)));
    }
}

TEST(UnconfirmedMatches, SurvivesSerialization) {
    UnconfirmedMatches memory;
    for (const auto& pending : {spending({1, 2}), spending({2, 3}), spending({4})}) {
        add(memory, pending, {{}, 77});
    }
    memory.on_block(block_of({spending({4}), spending({1})}));
    const chain::Bytes bytes = encoded(memory);
    chain::ByteReader reader{bytes};
    UnconfirmedMatches read = UnconfirmedMatches::read(reader);
    reader.expect_end();
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(read.outpoints(), memory.outpoints());
    read.undo_to(0);
    memory.undo_to(0);
    EXPECT_EQ(read.outpoints(), memory.outpoints());
    EXPECT_EQ(read.size(), 7U);
    add(read, spending({9}), {{}, 78 + chain::kUnconfirmedLifetime});
    EXPECT_EQ(read.size(), 2U) << "the time survives, too";
}

TEST(UnconfirmedMatches, IsRefusedIfItIsInconsistent) {
    UnconfirmedMatches memory;
    add(memory, spending({1}));
    const chain::Bytes once = encoded(memory);
    EXPECT_TRUE(decoded(once));
    chain::Bytes twice = once;
    twice.insert(twice.end(), once.begin() + 1, once.end());
    twice[0] = 2;
    EXPECT_FALSE(decoded(twice)) << "the same transaction twice";
    chain::Bytes with_bad_time = once;
    with_bad_time[40] = 0xff;  // the highest byte of the time, after the count and the txid
    EXPECT_FALSE(decoded(with_bad_time));
    chain::Bytes with_bad_resolution = once;
    with_bad_resolution[once.size() - 5] = 3;  // the resolution, before the height
    EXPECT_FALSE(decoded(with_bad_resolution));
}

/// A memory with a transaction that only a block had, which is undone.
UnconfirmedMatches with_undone(const chain::Transaction& transaction) {
    UnconfirmedMatches memory;
    const chain::Txid txid = transaction.txid();
    memory.add_confirmed(transaction, txid, {net::MatchedOutput{{txid, 0}}}, kHeight);
    EXPECT_FALSE(memory.any_undone());
    memory.undo_to(kHeight - 1);
    return memory;
}

TEST(UnconfirmedMatches, ForgetTransactionsThatOnlyAnUndoneBlockHad) {
    const auto undone = spending({1, 2});
    auto memory = with_undone(undone);
    EXPECT_TRUE(add(memory, spending({3})));
    EXPECT_TRUE(memory.any_undone());
    EXPECT_EQ(decoded(encoded(memory))->size(), 5U);
    memory.forget_undone();
    EXPECT_FALSE(memory.any_undone());
    EXPECT_EQ(memory.find(undone.txid()), nullptr);
    EXPECT_EQ(memory.size(), 2U);
}

TEST(UnconfirmedMatches, KeepAnUndoneTransactionThatAPeerShows) {
    const auto undone = spending({1, 2});
    auto memory = with_undone(undone);
    EXPECT_EQ(memory.add(undone, undone.txid(), {}, from("a", 7)),
              UnconfirmedMatches::AddResult::again);
    EXPECT_FALSE(memory.any_undone());
    memory.forget_undone();
    ASSERT_NE(memory.find(undone.txid()), nullptr);
    EXPECT_EQ(memory.find(undone.txid())->seen, 7);
    // Once it is shown, it stays so, whatever blocks do.
    memory.on_block(block_of({undone}));
    memory.undo_to(kHeight - 1);
    EXPECT_FALSE(memory.any_undone());
}

TEST(UnconfirmedMatches, OfUndoneBlocksTakeNoRoomOfUnconfirmedOnes) {
    UnconfirmedMatches memory;
    for (std::uint32_t number = 0; number < kMost / 2; ++number) {
        const auto undone = spending({number});
        memory.add_confirmed(undone, undone.txid(), {net::MatchedOutput{{undone.txid(), 0}}},
                             kHeight);
    }
    memory.undo_to(kHeight - 1);
    EXPECT_TRUE(memory.any_undone());
    EXPECT_EQ(flood(memory, "a", 100'000), kMost / 4) << "half of the room, by pairs";
}

TEST(UnconfirmedMatches, GiveAShownTransactionOfAnUndoneBlockRoomOfItsSender) {
    const auto undone = spending({1, 2});
    auto memory = with_undone(undone);
    flood(memory, "a", 100'000);
    EXPECT_EQ(memory.add(undone, undone.txid(), {}, from("a")),
              UnconfirmedMatches::AddResult::no_room);
    EXPECT_TRUE(memory.any_undone());
    EXPECT_EQ(memory.add(undone, undone.txid(), {}, from("b")),
              UnconfirmedMatches::AddResult::again);
}

}  // namespace
}  // namespace petal
