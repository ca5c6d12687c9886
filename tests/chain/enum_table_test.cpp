#include "chain/enum_table.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <stdexcept>

namespace petal::chain {
namespace {

enum class Colour : std::uint8_t { red, green1, blue };

struct ColourRow {
    std::string_view code;
    bool is_warm;
};

constexpr auto kColours = enum_table<Colour, ColourRow>({
    {Colour::red, {"red", true}},
    {Colour::green1, {"green", false}},
    {Colour::blue, {"blue", false}},
});

// These refuse a table that lacks a row, has one too many, or has two rows swapped.
static_assert(is_enumerator<Colour::red>());
static_assert(is_enumerator<Colour::green1>());
static_assert(!is_enumerator<static_cast<Colour>(3)>());
static_assert(kColours.size() == 3);

TEST(EnumTable, HasARowForEachEnumerator) {
    EXPECT_EQ(kColours[Colour::blue].code, "blue");
    EXPECT_TRUE(kColours[Colour::red].is_warm);
    EXPECT_THROW(static_cast<void>(kColours[static_cast<Colour>(3)]), std::out_of_range);
}

TEST(EnumTable, FindsTheEnumeratorOfARow) {
    EXPECT_EQ(kColours.find(&ColourRow::code, std::string_view("green")), Colour::green1);
    EXPECT_EQ(kColours.find(&ColourRow::code, std::string_view("pink")), std::nullopt);
}

}  // namespace
}  // namespace petal::chain
