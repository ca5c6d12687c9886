// What the engine remembers of the filters that servers held, and the filters it makes of it.
#include <gtest/gtest.h>

#include <algorithm>

#include "net/sync/engine_memory.h"
#include "net/sync/filter_policy.h"
#include "net/sync/mirror.h"

namespace petal::net {
namespace {

chain::Outpoint outpoint(std::uint32_t number) {
    chain::Outpoint result;
    result.txid.bytes[0] = static_cast<std::uint8_t>(number);
    result.index = number;
    return result;
}

chain::ProvenBlock block_spending(std::uint32_t height, std::vector<chain::Outpoint> spent) {
    chain::ProvenBlock block;
    block.block.height = height;
    chain::ProvenTransaction proven;
    for (const auto& prevout : spent) {
        chain::TxInput input;
        input.prevout = prevout;
        proven.transaction.inputs.push_back(input);
    }
    block.transactions.push_back(proven);
    return block;
}

bool holds(const OutpointMemory& memory, const chain::Outpoint& wanted) {
    const auto all = memory.outpoints();
    return std::find(all.begin(), all.end(), wanted) != all.end();
}

TEST(OutpointMemory, KeepsASpentOutpointWithinReorgReach) {
    OutpointMemory memory;
    memory.add(outpoint(1));
    memory.add(outpoint(2));
    memory.on_block(block_spending(1'000, {outpoint(1)}));
    memory.on_block(block_spending(1'000 + kReorgReach, {}));
    EXPECT_TRUE(holds(memory, outpoint(1)));
    memory.on_block(block_spending(1'000 + 4 * kReorgReach, {}));
    EXPECT_FALSE(holds(memory, outpoint(1)));
    EXPECT_TRUE(holds(memory, outpoint(2)));
}

TEST(OutpointMemory, TakesASpendBackThatAReorganisationUndid) {
    OutpointMemory memory;
    memory.add(outpoint(1));
    memory.on_block(block_spending(600, {outpoint(1)}));
    memory.undo_to(599);
    memory.on_block(block_spending(5'000, {}));
    EXPECT_TRUE(holds(memory, outpoint(1)));
}

TEST(OutpointMemory, KnowsASpendInTheBlockThatMadeTheOutput) {
    OutpointMemory memory;
    memory.add(outpoint(1));
    memory.on_block(block_spending(500, {outpoint(1)}));
    memory.on_block(block_spending(5'000, {}));
    EXPECT_EQ(memory.size(), 0U);
}

EngineMemory sample_memory() {
    EngineMemory memory;
    memory.tweak = 0x12345678;
    memory.locator.resize(3);
    memory.locator[1].bytes[5] = 9;
    memory.outpoints.add(outpoint(1));
    memory.outpoints.add(outpoint(2));
    memory.outpoints.on_block(block_spending(7, {outpoint(2)}));
    memory.applied = chain::BlockRef{9, {}};
    memory.covered = chain::BlockRef{6, {}};
    HeightRanges missed;
    missed.add(7, 8);
    memory.coverage.note_found(outpoint(1), 6, missed);
    return memory;
}

TEST(EngineMemory, SurvivesAsBytes) {
    const EngineMemory memory = sample_memory();
    const auto read = decode_engine_memory(memory.encode());
    ASSERT_TRUE(read);
    EXPECT_EQ(read->tweak, memory.tweak);
    EXPECT_EQ(read->locator, memory.locator);
    EXPECT_EQ(read->outpoints.size(), 2U);
    EXPECT_TRUE(holds(read->outpoints, outpoint(2)));
    EXPECT_EQ(read->applied, memory.applied);
    EXPECT_EQ(read->covered, memory.covered);
    EXPECT_EQ(read->coverage.open(), memory.coverage.open());
}

TEST(EngineMemory, IsRefusedWhenCutAnywhere) {
    const chain::Bytes bytes = sample_memory().encode();
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        EXPECT_FALSE(decode_engine_memory(chain::ByteView{bytes}.first(size))) << size;
    }
}

TEST(EngineMemory, IsRefusedInAnotherVersionOrWithMoreBehind) {
    chain::Bytes bytes = sample_memory().encode();
    bytes.push_back(0);
    EXPECT_EQ(decode_engine_memory(bytes).error(), chain::DecodeError::trailing_bytes);
    bytes.pop_back();
    ++bytes[0];
    EXPECT_EQ(decode_engine_memory(bytes).error(), chain::DecodeError::invalid_value);
}

chain::WatchList list_of(std::size_t elements) {
    chain::WatchList list;
    for (std::size_t i = 0; i < elements; ++i) {
        list.elements.push_back(
            {static_cast<chain::Byte>(i), static_cast<chain::Byte>(i >> 8U), 1});
    }
    return list;
}

TEST(FilterPolicy, PutsElementsAndAllOutpointsIn) {
    chain::WatchList list = list_of(100);
    list.outpoints = {outpoint(1), outpoint(2)};
    const std::vector remembered{outpoint(2), outpoint(3)};
    const auto filter = make_filter(list, remembered, 1e-5, 42);
    for (const auto& element : list.elements) EXPECT_TRUE(filter.contains(element));
    for (std::uint8_t i = 1; i <= 3; ++i) EXPECT_TRUE(filter.contains(outpoint(i).serialize()));
    EXPECT_FALSE(filter.contains(outpoint(4).serialize()));
    EXPECT_EQ(filter.tweak(), 42U);
    EXPECT_EQ(filter.update_mode(), bloom::UpdateMode::all);
}

TEST(FilterPolicy, MakesTheSameFilterOfTheSameThingsInAnyOrder) {
    const chain::WatchList list = list_of(50);
    const std::vector one_way{outpoint(1), outpoint(2)};
    const std::vector other_way{outpoint(2), outpoint(1)};
    EXPECT_EQ(make_filter(list, one_way, 1e-5, 1), make_filter(list, other_way, 1e-5, 1));
}

TEST(FilterPolicy, HasTheSameSizeForSimilarWallets) {
    const auto bytes = [](std::size_t elements) {
        return make_filter(list_of(elements), {}, 1e-5, 1).bytes().size();
    };
    EXPECT_EQ(bytes(1), bytes(500));
    EXPECT_LT(bytes(500), bytes(1'500));
}

TEST(FilterPolicy, LeavesRoomForOutpoints) {
    const auto filter = make_filter(list_of(2'000), {}, 1e-5, 1);
    EXPECT_LT(filter.false_positive_rate(), 0.5e-5);
}

TEST(FilterPolicy, CallsAFilterWornAboveOneAndAHalfTimesItsRate) {
    EXPECT_DOUBLE_EQ(worn_rate(1e-6, 1e-5), 1.5e-5);
    // One that had to start above the wanted rate is not replaced by the same again.
    EXPECT_DOUBLE_EQ(worn_rate(1.5e-5, 1e-5), 2.25e-5);
    EXPECT_LT(busy_rate(1e-6, 1e-5), worn_rate(1e-6, 1e-5));
}

TEST(FilterPolicy, KnowsHowManyOutpointsAFilterHasRoomFor) {
    for (const double rate : {1e-3, 1e-5}) {
        Mirror mirror{make_filter(list_of(300), {}, rate, 7)};
        const double room = mirror.room(rate);
        EXPECT_GE(room, kLeastRoom);
        for (std::uint32_t i = 0; i < static_cast<std::uint32_t>(room); ++i) {
            mirror.on_added(outpoint(i));
        }
        EXPECT_NEAR(mirror.false_positive_rate(), rate, 0.1 * rate);
        EXPECT_EQ(mirror.insertions(), static_cast<std::uint64_t>(room));
        EXPECT_LT(mirror.room(1.25 * rate), 0.05 * room);
        EXPECT_EQ(mirror.room(mirror.false_positive_rate()), 0);
        EXPECT_EQ(mirror.room(0.5 * mirror.false_positive_rate()), 0);
    }
}

TEST(Mirror, CountsWhatTheServerAddsByItself) {
    Mirror mirror{make_filter(list_of(3), {}, 1e-5, 7)};
    const auto before = mirror.snapshot();
    chain::Transaction paid;
    chain::Bytes script = list_of(3).elements[1];
    script.insert(script.begin(), static_cast<chain::Byte>(script.size()));  // pushes the element
    paid.outputs = {{1'000, script}, {2'000, script}, {3'000, chain::Bytes{0x51}}};
    EXPECT_EQ(mirror.replay(paid, paid.txid()).inserted.size(), 2U);
    EXPECT_EQ(mirror.insertions(), 2U);
    EXPECT_TRUE(mirror.snapshot()->contains(chain::Outpoint{paid.txid(), 1}.serialize()));
    EXPECT_FALSE(before->contains(chain::Outpoint{paid.txid(), 1}.serialize()));
    mirror.on_added(outpoint(9));
    EXPECT_EQ(mirror.insertions(), 3U);
    EXPECT_TRUE(mirror.snapshot()->contains(outpoint(9).serialize()));
}

}  // namespace
}  // namespace petal::net
