// Which outpoints filters hold, and which of them are spent.
#include "net/sync/filters/matched_outpoints.h"

#include <gtest/gtest.h>

#include "chain/byte_writer.h"
#include "tests/net/sync/filters/outpoints.h"

namespace petal::net {
namespace {

using test::block_spending;
using test::holds;
using test::outpoint;

chain::ProvenBlock block_creating(std::uint32_t height, const chain::Outpoint& created) {
    chain::ProvenBlock block;
    block.block.height = height;
    chain::ProvenTransaction proven;
    proven.txid = created.txid;
    proven.transaction.outputs.resize(created.index + 1);
    block.transactions.push_back(proven);
    return block;
}

TEST(MatchedOutpoints, KeepsASpentOutpointWithinReorgReach) {
    MatchedOutpoints memory;
    memory.add({outpoint(1)});
    memory.add({outpoint(2)});
    memory.on_block(block_spending(1'000, {outpoint(1)}), 1'000);
    memory.on_block(block_spending(1'000 + chain::kReorganisationReach, {}),
                    1'000 + chain::kReorganisationReach);
    EXPECT_TRUE(holds(memory, outpoint(1)));
    EXPECT_FALSE(memory.is_settled(outpoint(1)));
    memory.on_block(block_spending(1'000 + 4 * chain::kReorganisationReach, {}),
                    1'000 + 4 * chain::kReorganisationReach);
    EXPECT_FALSE(holds(memory, outpoint(1)));
    EXPECT_TRUE(memory.is_settled(outpoint(1)));
    EXPECT_TRUE(holds(memory, outpoint(2)));
}

chain::Bytes encoded(const MatchedOutpoints& memory) {
    chain::ByteWriter writer;
    memory.write(writer);
    return writer.take();
}

// A made-up block repeats an output and a spend, and is undone.
TEST(MatchedOutpoints, KeepTheFirstPlaceOfAnOutputAndOfASpend) {
    MatchedOutpoints memory;
    memory.add({outpoint(1)});
    memory.on_block(block_creating(10, outpoint(1)), 10);
    memory.on_block(block_spending(12, {outpoint(1)}), 12);
    const auto before = encoded(memory);
    for (const auto& repeated :
         {block_creating(14, outpoint(1)), block_spending(15, {outpoint(1)})}) {
        memory.on_block(repeated, 15);
        EXPECT_EQ(encoded(memory), before);
        EXPECT_TRUE(memory.is_repeated(repeated.transactions[0], repeated.block.height));
    }
    EXPECT_FALSE(memory.is_repeated(block_creating(10, outpoint(1)).transactions[0], 10));
    EXPECT_FALSE(memory.is_repeated(block_spending(12, {outpoint(1)}).transactions[0], 12));
    memory.undo_to(13);
    EXPECT_EQ(encoded(memory), before);
    EXPECT_TRUE(memory.is_spent(outpoint(1)));
    memory.undo_to(11);
    EXPECT_FALSE(memory.is_spent(outpoint(1)));
}

TEST(MatchedOutpoints, TakeALowerPlaceThatIsFoundLater) {
    MatchedOutpoints memory;
    memory.add({outpoint(1)});
    memory.on_block(block_creating(20, outpoint(1)), 20);
    memory.on_block(block_spending(30, {outpoint(1)}), 30);
    memory.on_block(block_creating(10, outpoint(1)), 30);
    memory.on_block(block_spending(25, {outpoint(1)}), 30);
    memory.undo_to(27);
    EXPECT_TRUE(memory.is_spent(outpoint(1)));
    EXPECT_FALSE(memory.forget_unexplained_spend(outpoint(1), 10)) << "block 10 explains it";
}

TEST(MatchedOutpoints, SettlesADeepSpendInARescanAtOnce) {
    MatchedOutpoints memory;
    memory.add({outpoint(1)});
    memory.add({outpoint(2)});
    memory.on_block(block_spending(1'000, {outpoint(1)}), 1'000 + chain::kReorganisationReach + 1);
    memory.on_block(block_spending(1'001, {outpoint(2)}), 1'000 + chain::kReorganisationReach + 1);
    EXPECT_FALSE(holds(memory, outpoint(1)));
    EXPECT_TRUE(holds(memory, outpoint(2)));
    EXPECT_FALSE(memory.add({outpoint(1)})) << "it is found again, and stays spent";
    EXPECT_FALSE(holds(memory, outpoint(1)));
}

TEST(MatchedOutpoints, KnowsSettledOutpointsWhileTheWatcherListsThem) {
    MatchedOutpoints memory;
    memory.add({outpoint(1)});
    memory.on_block(block_spending(1'000, {outpoint(1)}), 9'000);
    memory.forget_settled_below(1'000 + chain::kReorganisationReach);
    EXPECT_TRUE(memory.is_settled(outpoint(1)));
    memory.forget_settled_below(1'000 + 4 * chain::kReorganisationReach);
    EXPECT_FALSE(memory.is_settled(outpoint(1)));
    EXPECT_TRUE(memory.outpoints().empty());
}

TEST(MatchedOutpoints, UndoesASpendInAReorganisation) {
    for (const std::uint32_t applied_height : {600U, 5'000U}) {
        MatchedOutpoints memory;
        memory.add({outpoint(1)});
        memory.on_block(block_spending(600, {outpoint(1)}), applied_height);
        EXPECT_EQ(memory.is_settled(outpoint(1)), applied_height == 5'000);
        memory.undo_to(600);
        EXPECT_EQ(memory.is_settled(outpoint(1)), applied_height == 5'000);
        memory.undo_to(599);
        EXPECT_FALSE(memory.is_settled(outpoint(1)));
        memory.on_block(block_spending(5'000, {}), 5'000);
        EXPECT_TRUE(holds(memory, outpoint(1)));
    }
}

TEST(MatchedOutpoints, ForgetsOldSpendsThatWereNeverSettled) {
    MatchedOutpoints memory;
    memory.add({outpoint(1)});
    memory.on_block(block_spending(100, {outpoint(1)}), 100);
    memory.forget_settled_below(100 + 4 * chain::kReorganisationReach);
    EXPECT_FALSE(memory.is_settled(outpoint(1)));
    EXPECT_EQ(memory.size(), 0U);
}

TEST(MatchedOutpoints, ForgetsASpendThatWasAppliedWithoutItsOutput) {
    for (const std::uint32_t applied_height : {600U, 5'000U}) {  // settled at once, or not
        MatchedOutpoints memory;
        memory.add({outpoint(1)});
        memory.on_block(block_spending(600, {outpoint(1)}), applied_height);
        EXPECT_FALSE(memory.forget_unexplained_spend(outpoint(1), 600)) << "not in a higher block";
        EXPECT_FALSE(memory.forget_unexplained_spend(outpoint(2), 500)) << "unknown";
        EXPECT_EQ(memory.forget_unexplained_spend(outpoint(1), 500), 600U);
        EXPECT_FALSE(memory.is_spent(outpoint(1)));
        EXPECT_TRUE(holds(memory, outpoint(1)));
        memory.on_block(block_spending(9'000, {}), 9'000);
        memory.forget_settled_below(9'000);
        EXPECT_TRUE(holds(memory, outpoint(1))) << "no spend of it is left";
    }
}

TEST(MatchedOutpoints, KeepsASpendWhoseOutputWasAppliedToo) {
    MatchedOutpoints memory;
    memory.add({outpoint(1)});
    memory.on_block(block_creating(500, outpoint(1)), 500);
    memory.on_block(block_spending(600, {outpoint(1)}), 600);
    EXPECT_FALSE(memory.forget_unexplained_spend(outpoint(1), 500));
    memory.undo_to(499);  // searched again, and the output is left out
    memory.on_block(block_spending(600, {outpoint(1)}), 600);
    EXPECT_EQ(memory.forget_unexplained_spend(outpoint(1), 500), 600U);
}

TEST(MatchedOutpoints, RestoresSpends) {
    MatchedOutpoints written;
    for (const std::uint32_t number : {1U, 2U, 3U}) written.add({outpoint(number)});
    written.on_block(block_spending(500, {outpoint(1)}), 9'000);
    written.on_block(block_spending(600, {outpoint(2)}), 600);
    chain::ByteWriter writer;
    written.write(writer);
    const chain::Bytes bytes = writer.take();

    chain::ByteReader reader{bytes};
    MatchedOutpoints memory = MatchedOutpoints::read(reader);
    memory.undo_to(550);
    EXPECT_TRUE(memory.is_settled(outpoint(1)));
    EXPECT_FALSE(memory.is_spent(outpoint(2)));
    memory.undo_to(450);
    EXPECT_FALSE(memory.is_settled(outpoint(1)));
    chain::ByteReader again{bytes};
    memory = MatchedOutpoints::read(again);
    memory.on_block(block_spending(9'000, {}), 9'000);
    EXPECT_EQ(memory.outpoints(), std::vector{outpoint(3)});
}

TEST(MatchedOutpoints, RestoresWhichOutputsWereApplied) {
    MatchedOutpoints written;
    for (const std::uint32_t number : {1U, 2U}) written.add({outpoint(number)});
    written.on_block(block_creating(500, outpoint(1)), 500);
    written.on_block(block_spending(600, {outpoint(1), outpoint(2)}), 600);
    chain::ByteWriter writer;
    written.write(writer);
    const chain::Bytes bytes = writer.take();
    chain::ByteReader reader{bytes};
    MatchedOutpoints memory = MatchedOutpoints::read(reader);
    EXPECT_FALSE(memory.forget_unexplained_spend(outpoint(1), 500));
    EXPECT_TRUE(memory.forget_unexplained_spend(outpoint(2), 500));
}

TEST(MatchedOutpoints, DoesNotRememberTheSpendOfWhatItForgot) {
    using Forget = void (*)(MatchedOutpoints&);
    for (const Forget forget :
         {Forget{[](MatchedOutpoints& memory) { memory.keep_only({}); }},
          Forget{[](MatchedOutpoints& memory) {
              memory.on_block(block_spending(1'000, {}), 1'000);
              memory.keep_settled({});
          }},
          Forget{[](MatchedOutpoints& memory) { memory.forget_settled_below(1'000); }}}) {
        MatchedOutpoints memory;
        memory.add({outpoint(1)});
        memory.on_block(block_spending(500, {outpoint(1)}), 500);
        forget(memory);
        EXPECT_FALSE(memory.is_spent(outpoint(1)));
        EXPECT_TRUE(memory.add({outpoint(1)}));
        memory.on_block(block_spending(20'000, {}), 20'000);
        EXPECT_EQ(memory.size(), 1U);
    }
}

// Two spends of one outpoint occur only in a chain that is invalid.
TEST(MatchedOutpoints, UndoesTwoSpendsOfOneOutpoint) {
    MatchedOutpoints memory;
    memory.add({outpoint(1)});
    memory.on_block(block_spending(500, {outpoint(1)}), 500);
    memory.on_block(block_spending(900, {outpoint(1)}), 900);
    memory.forget_settled_below(900);
    memory.undo_to(700);
    EXPECT_FALSE(memory.is_spent(outpoint(1)));
}

TEST(MatchedOutpoints, KnowsASpendInTheBlockThatMadeTheOutput) {
    MatchedOutpoints memory;
    memory.add({outpoint(1)});
    memory.on_block(block_spending(500, {outpoint(1)}), 500);
    memory.on_block(block_spending(5'000, {}), 5'000);
    EXPECT_EQ(memory.size(), 0U);
}

TEST(MatchedOutpoints, KeepsOnlyRelevantOutpointsWhenItIsFull) {
    MatchedOutpoints memory;
    for (std::uint32_t i = 0; i < kMaxRemembered; ++i) {
        EXPECT_FALSE(memory.is_full());
        memory.add({outpoint(i)});
    }
    EXPECT_TRUE(memory.is_full());
    memory.on_block(block_spending(500, {outpoint(1), outpoint(2)}), 5'000);
    EXPECT_FALSE(memory.is_full()) << "outpoints that filters do not hold are not counted";
    memory.keep_only({outpoint(1), outpoint(3)});
    EXPECT_EQ(memory.outpoints(), std::vector{outpoint(3)});
    EXPECT_TRUE(memory.is_settled(outpoint(1)));
    EXPECT_TRUE(memory.is_settled(outpoint(2)));
    memory.keep_settled({outpoint(1)});
    EXPECT_TRUE(memory.is_settled(outpoint(1)));
    EXPECT_FALSE(memory.is_settled(outpoint(2)));
}

TEST(MatchedOutpoints, HasRoomForHalfAsManyAgainIfAllAreRelevant) {
    MatchedOutpoints memory;
    std::unordered_set<chain::Outpoint> relevant;
    for (std::uint32_t i = 0; i < kMaxRemembered; ++i) {
        memory.add({outpoint(i)});
        relevant.insert(outpoint(i));
    }
    EXPECT_TRUE(memory.is_full());
    memory.keep_only(relevant);
    for (std::uint32_t i = 0; i < kMaxRemembered / 2; ++i) {
        EXPECT_FALSE(memory.is_full());
        memory.add({outpoint(kMaxRemembered + i)});
    }
    EXPECT_TRUE(memory.is_full());
    memory.keep_only({outpoint(1)});
    for (std::uint32_t i = 0; i < kMaxRemembered; ++i) memory.add({outpoint(i)});
    EXPECT_TRUE(memory.is_full());
}

TEST(MatchedOutpoints, BoundsSettledOutpointsSeparately) {
    MatchedOutpoints memory;
    std::vector<chain::Outpoint> spent;
    for (std::uint32_t i = 0; i < kMaxRemembered; ++i) {
        EXPECT_FALSE(memory.has_too_many_settled());
        memory.add({outpoint(i)});
        spent.push_back(outpoint(i));
    }
    memory.on_block(block_spending(500, spent), 5'000);
    EXPECT_TRUE(memory.has_too_many_settled());
    EXPECT_FALSE(memory.is_full());
}

}  // namespace
}  // namespace petal::net
