// Which addresses of a descriptor are awaited, and that pages never change.
#include "wallet/descriptors/awaited_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace petal::wallet {
namespace {

struct PagesCase {
    std::string name;
    LookAhead look_ahead;
    std::uint32_t used_end;
    std::uint32_t issued_end;
    std::vector<IndexRange> pages;
};

void PrintTo(const PagesCase& row, std::ostream* out) {
    *out << row.name;
}

class AwaitedPages : public testing::TestWithParam<PagesCase> {};

TEST_P(AwaitedPages, CoverTheNextAddressesAndTheUnpaid) {
    const PagesCase& row = GetParam();
    EXPECT_EQ(awaited_pages(row.look_ahead, row.used_end, row.issued_end), row.pages);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Cases, AwaitedPages, testing::ValuesIn(std::initializer_list<PagesCase>{
    {"New",               {20, 1'000}, 0, 0,       {{0, 100}}},
    {"LastBeforeTheNext", {20, 1'000}, 80, 80,     {{0, 100}}},
    {"NextPageIsNear",    {20, 1'000}, 81, 81,     {{0, 100}, {100, 200}}},
    {"LastPageIsNear",    {20, 1'000}, 119, 119,   {{0, 100}, {100, 200}}},
    {"LastPageIsFar",     {20, 1'000}, 120, 120,   {{100, 200}}},
    {"Unpaid",            {20, 1'000}, 5, 250,     {{0, 100}, {100, 200}, {200, 300}}},
    {"Paid",              {20, 1'000}, 250, 250,   {{200, 300}}},
    {"NextStep",          {20, 1'000}, 990, 990,   {{900, 1'000}, {1'000, 1'100}}},
    {"FewWatched",        {20, 50},    25, 25,     {{0, 50}}},
    {"UnevenSteps",       {20, 470},   460, 460,   {{354, 470}, {470, 588}}},
    {"LongGap",           {1'000, 1'000}, 3, 3,    {{0, 1'000}, {1'000, 2'000}}},
    {"End",               {20, 1'000}, kHardened, kHardened, {{2'147'483'600, kHardened}}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// A filter pads each page by itself, so pages must not overlap, and be the same for every state.
TEST(AwaitedPagesOfAllStates, AreAPartition) {
    for (const LookAhead look_ahead :
         {LookAhead{20, 1'000}, LookAhead{20, 470}, LookAhead{7, 50}}) {
        const auto all = awaited_pages(look_ahead, 0, 3'000);
        for (std::size_t i = 1; i < all.size(); ++i) EXPECT_EQ(all[i - 1].end, all[i].begin);
        for (std::uint32_t issued = 0; issued < 3'000; issued += 7) {
            for (const IndexRange& page : awaited_pages(look_ahead, issued, issued)) {
                EXPECT_TRUE(std::ranges::find(all, page) != all.end()) << page.begin;
                EXPECT_EQ(page.begin / look_ahead.watched, (page.end - 1) / look_ahead.watched)
                    << "a step of the watched range ends within the page";
            }
        }
    }
}

}  // namespace
}  // namespace petal::wallet
