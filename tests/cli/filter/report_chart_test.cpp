#include "cli/filter/report_chart.h"

#include <gtest/gtest.h>

namespace petal::cli {
namespace {

TEST(Base64, HasTheVectorsOfRfc4648) {
    EXPECT_EQ(base64({}), "");
    EXPECT_EQ(base64(chain::as_bytes("f")), "Zg==");
    EXPECT_EQ(base64(chain::as_bytes("fo")), "Zm8=");
    EXPECT_EQ(base64(chain::as_bytes("foo")), "Zm9v");
    EXPECT_EQ(base64(chain::as_bytes("foob")), "Zm9vYg==");
    EXPECT_EQ(base64(chain::as_bytes("foobar")), "Zm9vYmFy");
}

TEST(OneBitPng, IsWhatOtherProgramsRead) {
    // Two rows of eight: bits 0 and 9 of the filter. Checked with Python's zlib and Pillow.
    const chain::Bytes bits{0x01, 0x02};
    const std::string png = chain::to_hex(one_bit_png(bits, 8, 0x4f7fd9));
    EXPECT_TRUE(png.starts_with("89504e470d0a1a0a0000000d49484452000000080000000201030000"));
    // A stored block of four bytes: rows 80 and 40, each behind a filter byte of 0.
    EXPECT_NE(png.find("7801010400fbff00800040"), std::string::npos);
    EXPECT_TRUE(png.ends_with("0000000049454e44ae426082"));
}

TEST(Chart, NamesItselfAndKeepsPointsInside) {
    Chart chart({"x", 0, 10}, {"y", 1e-6, 1, true}, "A title", "What <it> shows");
    chart.add_line({{0, 1}, {10, 1e-6}, {10, 1e-9}});
    chart.add_own({99, 1e-99}, "far & away");
    chart.add_other({5, 1e-3}, "1");
    const std::string svg = chart.svg();
    EXPECT_NE(svg.find("<title>A title</title><desc>What &lt;it&gt; shows</desc>"),
              std::string::npos);
    EXPECT_NE(svg.find("M56.0,14.0L386.0,236.0\""), std::string::npos);
    EXPECT_NE(svg.find("cx=\"386.0\" cy=\"236.0\""), std::string::npos);
    EXPECT_NE(svg.find("far &amp; away"), std::string::npos);
    EXPECT_NE(svg.find("1e-6"), std::string::npos);
}

}  // namespace
}  // namespace petal::cli
