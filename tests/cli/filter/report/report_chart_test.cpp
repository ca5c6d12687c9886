#include "cli/filter/report/report_chart.h"

#include <gtest/gtest.h>

namespace petal::cli {
namespace {

/// How often `part` occurs in `text`.
std::size_t count_in(const std::string& text, const std::string& part) {
    std::size_t count = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) {
        ++count;
    }
    return count;
}

// The inside of the frame spans 100 to 378 and 38 to 228 in units of the drawing.
TEST(Chart, NamesItselfAndCutsLinesAtItsFrame) {
    Chart chart({"x", 0, 10}, {"y", 1e-6, 1, true}, "A title", "What <it> shows");
    chart.add_line({{0, 1}, {10, 1e-6}});
    EXPECT_NE(chart.svg().find("<title>A title</title><desc>What &lt;it&gt; shows</desc>"),
              std::string::npos);
    EXPECT_NE(chart.svg().find("\"M100.0,38.0L378.0,228.0\""), std::string::npos) << chart.svg();
    EXPECT_NE(chart.svg().find(">0.0001<"), std::string::npos);

    Chart beyond({"x", 0, 10}, {"y", 1e-6, 1, true}, "", "");
    // The second half of the way down is below the frame. The way back up enters the frame at its
    // right end.
    beyond.add_line({{0, 1}, {10, 1e-12}, {10, 1e-3}});
    EXPECT_NE(beyond.svg().find("\"M100.0,38.0L239.0,228.0M378.0,228.0L378.0,133.0\""),
              std::string::npos)
        << beyond.svg();

    Chart outside({"x", 0, 10}, {"y", 1e-6, 1, true}, "", "");
    outside.add_line({{0, 1e-9}, {10, 1e-12}});
    EXPECT_NE(outside.svg().find("class=\"line\" d=\"\""), std::string::npos);
}

TEST(Chart, PointsOutsideIfAMarkIsBeyondTheAxes) {
    Chart chart({"x", 0, 10}, {"y", 1e-6, 1, true}, "", "");
    chart.add_own({5, 1e-3}, "inside");
    EXPECT_NE(chart.svg().find("class=\"own\" cx=\"239.0\" cy=\"133.0\""), std::string::npos);
    EXPECT_EQ(chart.svg().find("class=\"own\" d="), std::string::npos);
    chart.add_own({5, 1e-99}, "far & away");
    // An arrow whose tip is seven units below the inside of the frame.
    EXPECT_NE(chart.svg().find("class=\"own\" d=\"M232.0,223.0H246.0L239.0,235.0Z\""),
              std::string::npos)
        << chart.svg();
    EXPECT_NE(chart.svg().find("far &amp; away"), std::string::npos);
    chart.add_own({5, 0}, "");  // zero has no logarithm
    EXPECT_EQ(count_in(chart.svg(), "L239.0,235.0Z"), 2U);
    EXPECT_EQ(chart.svg().find("nan"), std::string::npos);
}

TEST(Chart, PutsNumbersOfNeighboursTogether) {
    Chart chart({"x", 0, 10}, {"y", 0, 10}, "", "");
    chart.add_other({5, 5}, "1");
    chart.add_other({5.1, 5.1}, "2");
    chart.add_other({9, 9}, "3");
    EXPECT_EQ(count_in(chart.svg(), "class=\"other\""), 3U);
    EXPECT_NE(chart.svg().find(">1, 2<"), std::string::npos);
    EXPECT_NE(chart.svg().find(">3<"), std::string::npos);
}

TEST(Chart, WritesNumbersForPeople) {
    Chart rates({"x", 0, 10}, {"y", 1e-9, 1, true, false, TickFormat::one_in}, "", "");
    EXPECT_NE(rates.svg().find(">10,000<"), std::string::npos) << rates.svg();
    EXPECT_NE(rates.svg().find(">100 million<"), std::string::npos);
    Chart shares({"x", 1, 3, false, true}, {"y", 0, 1, false, false, TickFormat::percentage}, "",
                 "");
    EXPECT_NE(shares.svg().find(">20&nbsp;%<"), std::string::npos) << shares.svg();
    EXPECT_NE(shares.svg().find(">2<"), std::string::npos);
    EXPECT_EQ(shares.svg().find("1.5"), std::string::npos);
}

TEST(BitMap, DrawsEachBitOfASmallFilter) {
    // Bits 0, 1 and 9 in rows of eight. The lowest bit of a byte comes first.
    const std::string svg = bit_map_svg(chain::Bytes{0x03, 0x02}, "The bits", "of <a>");
    EXPECT_NE(svg.find("viewBox=\"0 0 8 2\""), std::string::npos) << svg;
    EXPECT_NE(svg.find("<path opacity=\"1.0\" d=\"M0,0h2M1,1h1\"/>"), std::string::npos) << svg;
    EXPECT_NE(svg.find("<title>The bits</title><desc>of &lt;a&gt;</desc>"), std::string::npos);
    EXPECT_EQ(count_in(svg, "<path"), 1U);
}

TEST(BitMap, GathersTheBitsOfALargeFilter) {
    EXPECT_EQ(bits_per_cell(24), 1U);
    EXPECT_EQ(bits_per_cell(4'096), 1U);
    EXPECT_EQ(bits_per_cell(4'097), 2U);
    EXPECT_EQ(bits_per_cell(288'000), 71U);
    // 36,000 bytes in the worst case: every cell differs from its neighbours.
    chain::Bytes bits(36'000);
    for (std::size_t i = 0; i < bits.size(); ++i) bits[i] = (i / 9) % 2 == 0 ? 0xff : 0x01;
    const std::string svg = bit_map_svg(bits, "", "");
    EXPECT_LT(svg.size(), 50'000U);
    EXPECT_GT(count_in(svg, "h1M"), 1'000U);
    EXPECT_NE(svg.find("viewBox=\"0 0 100 41\""), std::string::npos) << svg.substr(0, 200);

    chain::Bytes one_bit(36'000);
    one_bit.back() = 0x80;
    const std::string faint = bit_map_svg(one_bit, "", "");
    EXPECT_EQ(count_in(faint, "h1"), 1U) << faint;
    EXPECT_NE(faint.find("opacity=\"0.3\""), std::string::npos);
}

}  // namespace
}  // namespace petal::cli
