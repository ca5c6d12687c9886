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
    // Computed with the clients' formulas.
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

// For every client and every number of elements, the client is recognised by its size, with that
// number.
TEST(Recognition, FindsEveryClientFromItsSize) {
    for (const KnownClient& client : known_clients()) {
        const std::size_t first = std::max<std::size_t>(1, client.fewest + client.spare);
        for (std::size_t n = first; n <= 20'000; n += n < 700 ? 1 : 97) {
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
    // With 24 bits for each element, the size determines the number exactly.
    const SizedFor bitcoinj = sized_for(Sizer::real_division, 1e-5, {1'923, 16, false});
    EXPECT_EQ(bitcoinj.fewest, 642U);
    EXPECT_EQ(bitcoinj.most, 642U);
    const SizedFor none = sized_for(Sizer::real_division, 1e-5, {1'923, 9, false});
    EXPECT_EQ(none.most, 0U);
    // At the limit of 36,000 bytes, the number of functions still depends on the number of
    // elements.
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
    // bitcoinj sizes a filter for a hundred elements more than it contains.
    EXPECT_TRUE(recognise(size, UpdateMode::all, {300, 4}).empty());
    EXPECT_TRUE(recognise({100, 33, false}, UpdateMode::all, {50, 1}).empty());
}

std::vector<std::string_view> names(const std::vector<ClientGuess>& guesses) {
    std::vector<std::string_view> keys;
    for (const ClientGuess& guess : guesses) keys.push_back(guess.client->key);
    return keys;
}

// Early versions of breadwallet used bitcoinj's rate of that time and the same spare room.
TEST(Recognition, NamesEveryClientThatFits) {
    using Names = std::vector<std::string_view>;
    const FilterSize both = client_filter_size(Sizer::real_division, 642, 5e-4);
    EXPECT_EQ(names(recognise(both, UpdateMode::all, {542, 4})),
              Names({"bitcoinj-2015", "breadwallet-early"}));
    const FilterSize breadwallet = client_filter_size(Sizer::real_division, 315, 5e-5);
    EXPECT_EQ(names(recognise(breadwallet, UpdateMode::all, {215, 2})), Names({"breadwallet"}));
    // breadwallet derives at least 215 addresses.
    const FilterSize small = client_filter_size(Sizer::real_division, 314, 5e-4);
    EXPECT_EQ(names(recognise(small, UpdateMode::all, {214, 2})), Names({"bitcoinj-2015"}));
}

// petal's filters always have the same size, and decoys up to its lowest rate.
TEST(Recognition, KnowsPetalByItsSizeAndFill) {
    const FilterSize size{36'000, 6, false};
    const auto guesses = recognise(size, UpdateMode::all, {7'620, 20});
    ASSERT_EQ(names(guesses), std::vector<std::string_view>({"petal"}));
    EXPECT_NEAR(classical_rate(size, 7'620).value(), 1e-5, 1e-8);
    EXPECT_EQ(guesses[0].design_rates(size).lowest, 1e-5);
    EXPECT_EQ(guesses[0].design_rates(size).highest, 2.5e-4);
    EXPECT_TRUE(recognise(size, UpdateMode::all, {2'048, 9}).empty());
}

// At 36,000 bytes, a filter matches more often than its client demanded.
TEST(Recognition, KnowsWhatTheLimitLeavesOfARate) {
    const FilterSize size = client_filter_size(Sizer::real_division, 40'000, 1e-5);
    ASSERT_EQ(size.bytes, kMaxFilterBytes);
    const auto guesses = recognise(size, UpdateMode::all, {40'000, 200});
    ASSERT_FALSE(guesses.empty());
    const RateRange rates = guesses[0].design_rates(size);
    const double then = classical_rate(size, 40'000).value();
    EXPECT_LE(rates.lowest, then);
    EXPECT_GE(rates.highest, then);
    EXPECT_GT(rates.lowest, 1e-3);
}

}  // namespace
}  // namespace petal::bloom
