#include "bloom/measures/known_clients.h"

#include <algorithm>

#include "samples.h"

namespace petal::bloom {
namespace {

struct ClientSizingCase {
    std::size_t elements;
    double rate;
    FilterSize core;
    FilterSize real;
    FilterSize unrounded;
};

TEST(ClientSizing, DiffersInTheNumberOfFunctions) {
    // By running the clients' formulas.
    const std::array<ClientSizingCase, 5> cases{{
        {642, 5e-4, {1'269, 10, false}, {1'269, 10, false}, {1'269, 10, false}},
        {642, 1e-5, {1'923, 15, false}, {1'923, 16, false}, {1'923, 16, false}},
        {315, 5e-5, {811, 13, false}, {811, 14, false}, {811, 14, false}},
        {20'000, 1e-3, {35'943, 9, false}, {35'943, 9, false}, {35'943, 9, false}},
        {2'048, 1e-4, {4'907, 13, false}, {4'907, 13, false}, {4'907, 13, false}},
    }};
    for (const ClientSizingCase& c : cases) {
        EXPECT_EQ(client_filter_size(Sizer::bitcoin_core, c.elements, c.rate), c.core);
        EXPECT_EQ(client_filter_size(Sizer::real_division, c.elements, c.rate), c.real);
        EXPECT_EQ(client_filter_size(Sizer::unrounded, c.elements, c.rate), c.unrounded);
    }
    EXPECT_EQ(client_filter_size(Sizer::unrounded, 1, 0.9).bytes, 1U);
    EXPECT_EQ(client_filter_size(Sizer::unrounded, 1'000'000, 1e-9).bytes, kMaxFilterBytes);
}

// Every client, every number of elements: its own size is recognised, for that number.
TEST(Recognition, FindsEveryClientFromItsSize) {
    for (const KnownClient& client : known_clients()) {
        for (std::size_t n = 1; n <= 20'000; n += n < 700 ? 1 : 97) {
            const std::size_t sized = client.capacity > 0 ? client.capacity : n;
            const FilterSize size = client_filter_size(client.sizer, sized, client.rate);
            const SizedFor found = sized_for(client.sizer, client.rate, size);
            ASSERT_LE(found.fewest, sized) << client.key;
            ASSERT_GE(found.most, sized) << client.key;
            const double put_in =
                std::max(0.0, static_cast<double>(sized) - static_cast<double>(client.spare));
            const auto guesses = recognise(size, client.flags, {put_in, 1});
            ASSERT_TRUE(std::ranges::any_of(
                guesses, [&](const ClientGuess& guess) { return guess.client == &client; }))
                << client.key << ' ' << sized;
        }
    }
}

TEST(Recognition, KnowsHowManyElementsASizeIsFor) {
    // 24 bits an element: the size tells the number exactly.
    const SizedFor bitcoinj = sized_for(Sizer::real_division, 1e-5, {1'923, 16, false});
    EXPECT_EQ(bitcoinj.fewest, 642U);
    EXPECT_EQ(bitcoinj.most, 642U);
    const SizedFor none = sized_for(Sizer::real_division, 1e-5, {1'923, 9, false});
    EXPECT_EQ(none.most, 0U);
    // At the limit of 36,000 bytes, the functions still tell.
    const SizedFor capped = sized_for(Sizer::real_division, 1e-5, {36'000, 10, false});
    EXPECT_EQ(client_filter_size(Sizer::real_division, capped.fewest, 1e-5).hash_functions, 10U);
    EXPECT_EQ(client_filter_size(Sizer::real_division, capped.fewest - 1, 1e-5).hash_functions,
              11U);
    EXPECT_EQ(client_filter_size(Sizer::real_division, capped.most + 1, 1e-5).hash_functions, 9U);
}

TEST(Recognition, HeedsFlagsAndContent) {
    const FilterSize size{1'923, 16, false};
    EXPECT_EQ(recognise(size, UpdateMode::all, {542, 4}).size(), 1U);
    EXPECT_TRUE(recognise(size, UpdateMode::none, {542, 4}).empty());
    // bitcoinj makes a filter for what is in it and a hundred more.
    EXPECT_TRUE(recognise(size, UpdateMode::all, {300, 4}).empty());
    EXPECT_TRUE(recognise({100, 33, false}, UpdateMode::all, {50, 1}).empty());
}

}  // namespace
}  // namespace petal::bloom
