// Which blocks were searched without which elements.
#include "net/sync/filters/coverage.h"

#include <gtest/gtest.h>

#include <random>
#include <set>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"

namespace petal::net {
namespace {

chain::Outpoint first_output_of(std::uint8_t number) {
    chain::Outpoint result;
    result.txid.bytes[0] = number;
    return result;
}

HeightRanges range(std::uint32_t from, std::uint32_t to) {
    HeightRanges result;
    result.add(from, to);
    return result;
}

std::set<std::uint32_t> heights_of(const HeightRanges& ranges) {
    std::set<std::uint32_t> heights;
    for (const auto& [from, to] : ranges.ranges()) {
        for (std::uint32_t height = from; height <= to; ++height) heights.insert(height);
    }
    return heights;
}

TEST(HeightRanges, BehaveAsASetOfHeights) {
    std::mt19937 random(7);
    const auto pick = [&random](std::uint32_t below) {
        return static_cast<std::uint32_t>(random() % below);
    };
    for (int round = 0; round < 200; ++round) {
        HeightRanges ranges;
        std::set<std::uint32_t> naive;
        for (int step = 0; step < 30; ++step) {
            const std::uint32_t from = pick(60);
            const std::uint32_t to = from + pick(10);
            switch (pick(4)) {
                case 0:
                    ranges.remove(from, to);
                    naive.erase(naive.lower_bound(from), naive.upper_bound(to));
                    break;
                case 1:
                    if (pick(5) > 0) break;
                    ranges.remove_above(from);
                    naive.erase(naive.upper_bound(from), naive.end());
                    break;
                default:
                    ranges.add(from, to);
                    for (std::uint32_t height = from; height <= to; ++height) naive.insert(height);
            }
            ASSERT_EQ(heights_of(ranges), naive);
            ASSERT_EQ(ranges.lowest(),
                      naive.empty() ? std::optional<std::uint32_t>{} : *naive.begin());
        }
        std::optional<std::uint32_t> end;
        for (const auto& [from, to] : ranges.ranges()) {
            EXPECT_TRUE(!end || from > *end + 1) << "ranges touch";
            end = to;
        }
    }
}

TEST(HeightRanges, AreRefusedIfARangeEndsBeforeItBegins) {
    for (const auto& [from, to] : {std::pair{5U, 4U}, std::pair{5U, 0xffffffffU}}) {
        const chain::Bytes bytes = chain::ByteWriter().compact_size(1).u32(from).u32(to).take();
        chain::ByteReader reader{bytes};
        HeightRanges::read(reader);
        EXPECT_EQ(reader.error(), chain::DecodeError::invalid_value);
    }
}

TEST(Coverage, IsSettledOnlyByBlocksRequestedAfterTheFind) {
    Coverage coverage;
    const auto before = coverage.mark();
    coverage.add_found(first_output_of(1), 10, range(11, 13));
    coverage.on_served(12, before);
    EXPECT_EQ(coverage.open(), range(11, 13));
    coverage.on_served(11, coverage.mark());
    EXPECT_EQ(coverage.open(), range(12, 13));
    coverage.on_served(12, coverage.mark());
    coverage.on_served(13, coverage.mark());
    EXPECT_TRUE(coverage.empty());
}

TEST(Coverage, IsTrackedForEachOutpointSeparately) {
    Coverage coverage;
    coverage.add_found(first_output_of(1), 10, range(11, 20));
    const auto between = coverage.mark();
    coverage.add_found(first_output_of(2), 15, range(16, 25));
    for (std::uint32_t height = 11; height <= 25; ++height) coverage.on_served(height, between);
    EXPECT_EQ(coverage.open(), range(16, 25));
}

TEST(Coverage, EndsForSpentAndIrrelevantOutpoints) {
    Coverage coverage;
    coverage.add_found(first_output_of(1), 10, range(11, 12));
    coverage.add_found(first_output_of(2), 10, range(13, 14));
    coverage.add_found(first_output_of(3), 20, range(21, 22));
    coverage.on_spent(first_output_of(1), 60);
    EXPECT_EQ(coverage.open().lowest(), 13U);
    coverage.keep_only({}, 19);  // the owner of the output found at 20 is not known yet
    EXPECT_EQ(coverage.open(), range(21, 22));
    coverage.keep_only({first_output_of(3)}, 20);
    EXPECT_EQ(coverage.open(), range(21, 22));
    coverage.keep_only({}, 20);
    EXPECT_TRUE(coverage.empty());
}

// A made-up block spends an outpoint whose true spend was never searched for.
TEST(Coverage, ReturnsWhenTheBlockThatSpendsIsUndone) {
    Coverage coverage;
    coverage.add_found(first_output_of(1), 10, range(11, 30));
    coverage.add_found(first_output_of(2), 10, range(11, 12));
    coverage.on_spent(first_output_of(1), 40);
    coverage.on_spent(first_output_of(2), 35);
    coverage.on_spent(first_output_of(1), 45);
    EXPECT_TRUE(coverage.empty());
    EXPECT_TRUE(coverage.open().empty());
    coverage.on_served(20, coverage.mark());
    coverage.drop_above(40);
    EXPECT_TRUE(coverage.empty()) << "the lowest spend counts";
    coverage.drop_above(39);
    HeightRanges left = range(11, 30);
    left.remove(20);
    EXPECT_EQ(coverage.open(), left);
    coverage.on_spent(first_output_of(1), 39);
    coverage.forget_spent(39);
    coverage.drop_above(38);
    EXPECT_EQ(coverage.open(), left);
    coverage.on_spent(first_output_of(1), 38);
    coverage.forget_spent(39);
    coverage.drop_above(30);
    EXPECT_TRUE(coverage.empty()) << "no reorganisation reaches a forgotten spend";
}

TEST(Coverage, EndsAtTheForkPoint) {
    Coverage coverage;
    coverage.add_found(first_output_of(1), 10, range(11, 30));
    coverage.distrust(range(5, 40));
    coverage.drop_above(20);
    EXPECT_EQ(coverage.open(), range(5, 20));
    coverage.drop_above(4);
    EXPECT_TRUE(coverage.empty());
}

TEST(Coverage, OfDoubtfulBlocksIsSettledOnlyByLaterRequests) {
    Coverage coverage;
    const auto before = coverage.mark();
    coverage.distrust(range(5, 6));
    coverage.on_served(5, before);
    coverage.on_served(6, coverage.mark());
    EXPECT_EQ(coverage.open(), range(5, 5));
}

TEST(Coverage, OfTooManyOutpointsBecomesDoubt) {
    Coverage coverage;
    for (std::uint32_t i = 0; i < 6'000; ++i) {
        chain::Outpoint found;
        found.index = i;
        coverage.add_found(found, 10, range(100 + i, 100 + i));
    }
    EXPECT_EQ(coverage.open(), range(100, 6'099));
    coverage.keep_only({}, 10);
    EXPECT_EQ(coverage.open(), range(5'100, 6'099));
}

// Outpoints that return are not limited by those that were found meanwhile.
TEST(Coverage, OfTooManyReturningOutpointsBecomesDoubtAndCanBeRead) {
    constexpr std::uint32_t kOutpoints = 5'000;
    Coverage coverage;
    const auto outpoint = [](std::uint32_t number) {
        chain::Outpoint result;
        result.index = number;
        return result;
    };
    for (std::uint32_t i = 0; i < kOutpoints; ++i) {
        coverage.add_found(outpoint(i), 10, range(100 + i, 100 + i));
        coverage.on_spent(outpoint(i), 20'000);
    }
    for (std::uint32_t i = kOutpoints; i < 2 * kOutpoints; ++i) {
        coverage.add_found(outpoint(i), 10, range(100 + i, 100 + i));
    }
    coverage.drop_above(19'999);
    const HeightRanges all = range(100, 99 + 2 * kOutpoints);
    EXPECT_EQ(coverage.open(), all);
    chain::ByteWriter writer;
    coverage.write(writer);
    const chain::Bytes bytes = writer.take();
    chain::ByteReader reader{bytes};
    const Coverage read = Coverage::read(reader);
    reader.expect_end();
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(read.open(), all);
}

TEST(Coverage, SurvivesSerializationAndIsSettledByAnyRequest) {
    Coverage coverage;
    coverage.add_found(first_output_of(1), 10, range(11, 12));
    coverage.distrust(range(3, 4));
    coverage.add_found(first_output_of(2), 10, range(15, 16));
    coverage.on_spent(first_output_of(2), 20);
    chain::ByteWriter writer;
    coverage.write(writer);
    const chain::Bytes bytes = writer.take();
    chain::ByteReader reader{bytes};
    Coverage read = Coverage::read(reader);
    reader.expect_end();
    ASSERT_TRUE(reader.ok());
    EXPECT_EQ(read.open(), coverage.open());
    read.on_served(3, 0);
    read.on_served(11, 0);
    EXPECT_EQ(heights_of(read.open()).size(), 2U);
    Coverage undone = read;
    undone.drop_above(19);
    EXPECT_EQ(heights_of(undone.open()).size(), 4U);
    read.keep_only({}, 10);
    EXPECT_EQ(read.open(), range(4, 4));
}

}  // namespace
}  // namespace petal::net
