#include "cli/options/option_values.h"

#include <gtest/gtest.h>

namespace petal::cli {
namespace {

using std::chrono::milliseconds;

std::string verdict(const CLI::Validator& validator, std::string text) {
    return validator(text);
}

TEST(OptionValues, WholeNumbersHaveBounds) {
    const auto validator = whole_number(1, 10);
    EXPECT_EQ(verdict(validator, "1"), "");
    EXPECT_EQ(verdict(validator, "10"), "");
    for (const char* bad :
         {"", "0", "11", "-1", "+1", "1.0", "0x1", "1 ", "99999999999999999999"}) {
        EXPECT_NE(verdict(validator, bad), "") << bad;
    }
}

TEST(OptionValues, SecondsMayHaveDecimals) {
    const auto validator = seconds(/*may_be_zero=*/false);
    EXPECT_EQ(verdict(validator, "0.5"), "");
    EXPECT_EQ(verdict(validator, "30"), "");
    for (const char* bad : {"", "0", "-1", "nan", "inf", "1s", "1e99", "99999999"}) {
        EXPECT_NE(verdict(validator, bad), "") << bad;
    }
    EXPECT_EQ(to_milliseconds("0.5"), milliseconds{500});
    EXPECT_EQ(to_milliseconds("0.00001"), milliseconds{1});
}

TEST(OptionValues, ProbabilitiesLieBetweenZeroAndOne) {
    const auto validator = probability();
    EXPECT_EQ(verdict(validator, "1e-5"), "");
    EXPECT_EQ(verdict(validator, "0.999"), "");
    for (const char* bad : {"", "0", "1", "-0.1", "1e-999", "nan", "x"}) {
        EXPECT_NE(verdict(validator, bad), "") << bad;
    }
}

TEST(OptionValues, ScriptsAreHexadecimalAndBounded) {
    const auto validator = script_hex();
    EXPECT_EQ(verdict(validator, "51"), "");
    EXPECT_EQ(verdict(validator, "aB"), "");
    EXPECT_EQ(verdict(validator, std::string(20'000, '5')), "");
    for (const std::string& bad :
         {std::string(), std::string("5"), std::string("0x51"), std::string("5g"),
          std::string("51 "), std::string(20'002, '5')}) {
        EXPECT_EQ(verdict(validator, bad), "must be a script in hexadecimal, of 1 to 10,000 bytes");
    }
}

TEST(OptionValues, OtherSignetsAreInNoTable) {
    EXPECT_EQ(table_network("signet")->name, "signet");
    EXPECT_EQ(table_network("signet-54d26fbd"), nullptr);
}

TEST(OptionValues, DatesAreCalendarDays) {
    EXPECT_EQ(parse_date("1970-01-01"), 0);
    EXPECT_EQ(parse_date("2009-01-03"), 1'230'940'800);
    EXPECT_EQ(parse_date("2024-02-29"), 1'709'164'800);
    for (const char* bad : {"2023-02-29", "2024-13-01", "2024-00-01", "2024-1-1", "24-01-01",
                            "2024/01/01", "2024-01-01x", ""}) {
        EXPECT_FALSE(parse_date(bad)) << bad;
    }
}

constexpr std::int64_t kNow = 1'795'392'000;  // 2026-11-23

TEST(OptionValues, BirthdaysAreHeightsOrDates) {
    const auto height = parse_birthday("840000", kNow);
    ASSERT_TRUE(height);
    EXPECT_EQ(height->height, 840'000U);
    EXPECT_EQ(height->time, 0);
    const auto date = parse_birthday("2009-01-04", kNow);
    ASSERT_TRUE(date);
    EXPECT_EQ(date->height, 0U);
    EXPECT_EQ(date->time, 1'231'027'200);
    for (const char* genesis : {"1970-01-01", "2009-01-03"}) {
        const auto early = parse_birthday(genesis, kNow);
        ASSERT_TRUE(early) << genesis;
        EXPECT_EQ(early->time, 0) << genesis;
    }
    for (const char* bad : {"", "-1", "yesterday", "4294967296", "1.5"}) {
        EXPECT_FALSE(parse_birthday(bad, kNow)) << bad;
    }
}

TEST(OptionValues, BirthdaysThatNoChainHasReachedAreRefused) {
    struct Row {
        const char* text;
        const char* error;
    };
    for (const Row& row :
         {Row{"2026-11-24", ""}, Row{"2026-11-25", "must not be in the future"},
          Row{"2030-01-01", "must not be in the future"}, Row{"9000000", ""},
          Row{"9500000", "no chain is that long"}, Row{"99999999", "no chain is that long"},
          Row{"20261101", "no chain is that long; did you mean 2026-11-01?"},
          Row{"20261201", "no chain is that long"}, Row{"20261301", "no chain is that long"}}) {
        const auto birthday = parse_birthday(row.text, kNow);
        EXPECT_EQ(birthday ? "" : birthday.error(), row.error) << row.text;
    }
}

}  // namespace
}  // namespace petal::cli
