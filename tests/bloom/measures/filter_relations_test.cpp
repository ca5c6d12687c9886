#include "bloom/measures/filter_relations.h"

#include <vector>

#include "bloom/measures/count_privacy.h"
#include "samples.h"

namespace petal::bloom {
namespace {

using test::RandomElements;

constexpr std::uint32_t kStep = 0xfba4c795;

struct PairCase {
    const char* name;
    FilterSize size_a;
    FilterSize size_b;
    std::uint32_t shift;  ///< added to the tweak
    FilterRelation relation;
    unsigned shared;
};
void PrintTo(const PairCase& c, std::ostream* out) {
    *out << c.name;
}

class TwoFilters : public testing::TestWithParam<PairCase> {};

// The same hundred elements in two filters that are related in every possible way.
TEST_P(TwoFilters, MatchTogetherAsOftenAsPredicted) {
    const PairCase& c = GetParam();
    RandomElements random(10);
    const std::uint32_t tweak = random.number();
    BloomFilter a(c.size_a, tweak, UpdateMode::none);
    BloomFilter b(c.size_b, tweak + c.shift, UpdateMode::none);
    for (int i = 0; i < 100; ++i) {
        const auto element = random.next();
        a.insert(element);
        b.insert(element);
    }
    EXPECT_EQ(relate(a, b), c.relation);
    EXPECT_EQ(relate(b, a), c.relation);
    EXPECT_EQ(shared_seeds(a, b), c.shared);

    constexpr int kTries = 200'000;
    int hits = 0;
    for (int i = 0; i < kTries; ++i) {
        const auto element = random.next();
        hits += a.contains(element) && b.contains(element) ? 1 : 0;
    }
    const double predicted = common_rate(a, b).value();
    EXPECT_FREQUENCY(predicted, hits, kTries);
    EXPECT_NEAR(common_rate(b, a).value(), predicted, 1e-12);
    EXPECT_LE(predicted, std::min(a.false_positive_rate(), b.false_positive_rate()) + 1e-12);
    const std::vector<BloomFilter> both{a, b};
    EXPECT_NEAR(common_rate(both).value(), predicted, 1e-12);
}

INSTANTIATE_TEST_SUITE_P(
    Relations, TwoFilters,
    testing::Values(
        PairCase{"OtherTweak", {78, 4}, {78, 4}, 12'345, FilterRelation::independent, 0},
        PairCase{"Identical", {78, 4}, {78, 4}, 0, FilterRelation::identical, 4},
        PairCase{"OtherSize", {78, 4}, {88, 4}, 0, FilterRelation::resized, 4},
        PairCase{"SizesThatDivide", {78, 4}, {156, 4}, 0, FilterRelation::resized, 4},
        PairCase{"FewerFunctions", {78, 4}, {78, 3}, 0, FilterRelation::resized, 3},
        PairCase{"ShiftedByOne", {78, 4}, {78, 4}, kStep, FilterRelation::shifted, 3},
        PairCase{"ShiftedBackByTwo", {78, 4}, {80, 5}, 0U - 2 * kStep, FilterRelation::shifted, 3},
        PairCase{"ShiftedByAll", {78, 4}, {78, 4}, 4 * kStep, FilterRelation::independent, 0}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(SeveralFilters, OfOneTweakAndThreeSizesAreSampled) {
    RandomElements random(11);
    std::vector<BloomFilter> filters;
    for (const std::size_t bytes : {60U, 90U, 100U}) {
        filters.emplace_back(FilterSize{bytes, 3, false}, 77, UpdateMode::none);
    }
    for (int i = 0; i < 110; ++i) {
        const auto element = random.next();
        for (BloomFilter& filter : filters) filter.insert(element);
    }
    constexpr int kTries = 200'000;
    int hits = 0;
    for (int i = 0; i < kTries; ++i) {
        const auto element = random.next();
        hits += filters[0].contains(element) && filters[1].contains(element) &&
                        filters[2].contains(element)
                    ? 1
                    : 0;
    }
    const double predicted = common_rate(filters).value();
    EXPECT_NEAR(static_cast<double>(hits) / kTries, predicted,
                0.01 * predicted + 4 * std::sqrt(predicted / kTries));
}

TEST(SeveralFilters, MultiplyAndIntersect) {
    const std::vector<BloomFilter> filters{test::filter_a(), test::filter_b(), test::filter_c(),
                                           test::filter_d()};
    // B contains A. C and D have other tweaks.
    const double expected = filters[0].false_positive_rate() * filters[2].false_positive_rate() *
                            filters[3].false_positive_rate();
    EXPECT_SIX_DIGITS(common_rate(filters).value(), expected);
    const BloomFilter full = test::reference_filter({1, 3, false}, 1, 200);
    EXPECT_EQ(common_rate(std::vector{full, full}).value(), 1);
}

TEST(FilterRelation, HasTheReferenceFigures) {
    const BloomFilter a = test::filter_a();
    const BloomFilter b = test::filter_b();
    EXPECT_EQ(relate(a, b), FilterRelation::nested);
    const Growth grown = growth(a, b);
    EXPECT_EQ(grown.new_bits, 17U);
    EXPECT_EQ(grown.lost_bits, 0U);
    EXPECT_NEAR(grown.new_elements.value, 3.488, 0.0005);
    EXPECT_SIX_DIGITS(grown.rate.value(), 2.088148e-4);
    EXPECT_SIX_DIGITS(1.5e9 * grown.rate.value(), 313222.2);

    const BloomFilter c = test::filter_c();
    EXPECT_EQ(relate(a, c), FilterRelation::independent);
    const LogProbability common = common_rate(a, c);
    EXPECT_SIX_DIGITS(common.value(), 8.2098119e-07);
    EXPECT_NEAR(1.5e9 * common.value(), 1231.472, 0.001);
    EXPECT_SIX_DIGITS(guess_probability(100, 1.5e9 * common.value(), 1).value(), 0.07510485);
    EXPECT_NEAR(linking_deviations(100, 1.5e9, common), 2.850, 0.0005);
}

TEST(Growth, HidesNewElementsAmongNewMatches) {
    RandomElements random(12);
    BloomFilter earlier(filter_size(100, 0.02), 7, UpdateMode::none);
    random.insert_into(earlier, 100);
    BloomFilter later = earlier;
    random.insert_into(later, 5);
    constexpr int kTries = 200'000;
    int hits = 0;
    for (int i = 0; i < kTries; ++i) {
        const auto element = random.next();
        hits += later.contains(element) && !earlier.contains(element) ? 1 : 0;
    }
    const Growth grown = growth(earlier, later);
    EXPECT_FREQUENCY(grown.rate.value(), hits, kTries);
    EXPECT_NEAR(grown.new_elements.value, 5, 4 * grown.new_elements.deviation);
    EXPECT_EQ(growth(later, earlier).lost_bits, grown.new_bits);
    EXPECT_TRUE(growth(later, earlier).rate.is_zero());
}

TEST(Overlap, FindsCommonElements) {
    RandomElements random(13);
    test::Mean in_both;
    test::Mean in_either;
    test::Mean unrelated;
    for (int trial = 0; trial < 200; ++trial) {
        BloomFilter a(filter_size(300, 0.001), 7, UpdateMode::none);
        random.insert_into(a, 60);
        BloomFilter b = a;
        random.insert_into(a, 100);
        random.insert_into(b, 140);
        const Overlap found = overlap(a, b);
        in_both.add(found.in_both);
        in_either.add(found.in_either);
        EXPECT_GT(found.deviations, 4);
        BloomFilter c(filter_size(300, 0.001), 7, UpdateMode::none);
        random.insert_into(c, 200);
        unrelated.add(overlap(a, c).deviations);
    }
    EXPECT_NEAR(in_both.value(), 60, 4 * in_both.error());
    EXPECT_NEAR(in_either.value(), 300, 4 * in_either.error());
    EXPECT_NEAR(unrelated.value(), 0, 4 * unrelated.error());
    EXPECT_NEAR(unrelated.deviation(), 1, 4 / std::sqrt(400.0));
}

TEST(Relation, HasAWord) {
    for (const auto relation :
         {FilterRelation::identical, FilterRelation::nested, FilterRelation::same_hashes,
          FilterRelation::resized, FilterRelation::shifted, FilterRelation::independent}) {
        EXPECT_FALSE(key_of(relation).empty());
    }
    EXPECT_EQ(relate(test::filter_b(), test::reference_filter(test::kSizeA, 5, 1)),
              FilterRelation::nested);
    BloomFilter other(test::kSizeA, 5, UpdateMode::none);
    other.insert(test::reference_element(1'000));
    EXPECT_EQ(relate(test::filter_a(), other), FilterRelation::same_hashes);
}

}  // namespace
}  // namespace petal::bloom
