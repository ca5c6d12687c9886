#include "bloom/measures/verdict.h"

#include <algorithm>
#include <cmath>
#include <variant>
#include <vector>

#include "bloom/measures/filter_comparison.h"
#include "samples.h"

namespace petal::bloom {
namespace {

TEST(SeveralFilters, SayWhichOfThemIsTheWorst) {
    const BloomFilter empty({100, 7, false}, 1, UpdateMode::all);
    const std::vector<BloomFilter> filters{empty, test::filter_d(), test::filter_e(),
                                           test::filter_a()};
    EXPECT_EQ(judge(filters, {}).filter, 2U);
    EXPECT_EQ(judge(std::vector{test::filter_d()}, {}).filter, 0U);
}

// The addresses of the wallet do not match an empty filter either.
TEST(SeveralFilters, LearnNothingFromAnEmptyOne) {
    const BloomFilter empty({100, 7, false}, 1, UpdateMode::all);
    const std::vector<BloomFilter> with_empty{test::filter_d(), empty};
    const Verdict alone = judge(std::vector{test::filter_d()}, {});
    const Verdict together = judge(with_empty, {});
    EXPECT_EQ(together.grade, alone.grade);
    EXPECT_TRUE(std::ranges::equal(together.findings, alone.findings, {}, &Finding::attack,
                                   &Finding::attack));
    EXPECT_TRUE(common_matches(with_empty, {}).guess.is_zero());
    EXPECT_TRUE(compare(test::filter_d(), empty, {}).common.guess.is_zero());
    EXPECT_EQ(judge(std::vector{empty, empty}, {}).grade, Grade::nothing);
}

TEST(SeveralFilters, CompareAsTheirRelationsSay) {
    InspectionContext context;
    context.used = 100;
    const FilterComparison grown = compare(test::filter_a(), test::filter_b(), context);
    EXPECT_EQ(grown.relation, FilterRelation::nested);
    ASSERT_TRUE(grown.growth && grown.overlap);
    EXPECT_EQ(grown.growth->new_bits, 17U);
    EXPECT_SIX_DIGITS(grown.growth_cover, 313'222.2);
    const FilterComparison other = compare(test::filter_a(), test::filter_c(), context);
    EXPECT_EQ(other.relation, FilterRelation::independent);
    EXPECT_FALSE(other.growth || other.overlap);
    EXPECT_SIX_DIGITS(other.common.rate.value(), 8.209812e-7);
}

TEST(SeveralFilters, AreJudgedTogether) {
    InspectionContext context;
    context.used = 20;
    const std::vector<BloomFilter> same{test::filter_d(), test::filter_d()};
    EXPECT_EQ(judge(same, context).grade, Grade::limited);

    const std::vector<BloomFilter> grown{test::filter_a(), test::filter_b()};
    const Verdict growth = judge(grown, context);
    EXPECT_EQ(growth.grade, Grade::weak);
    EXPECT_EQ(growth.worst().attack(), Attack::growth);
    EXPECT_TRUE(std::ranges::none_of(growth.findings, [](const Finding& finding) {
        return finding.attack() == Attack::cut;
    })) << "everything that matches the first filter also matches the second";
    const std::vector<BloomFilter> other_tweak{
        test::filter_d(), test::reference_filter(test::kSizeD, 0x54321, 2'048)};
    const Verdict two = judge(other_tweak, context);
    EXPECT_EQ(two.worst().attack(), Attack::cut);
    EXPECT_EQ(two.grade, Grade::weak);
    auto three = other_tweak;
    three.push_back(test::reference_filter(test::kSizeD, 0x77777, 2'048));
    EXPECT_EQ(judge(three, context).grade, Grade::exposed);
}

template <typename Figures>
std::vector<Figures> figures_of(const Verdict& verdict) {
    std::vector<Figures> all;
    for (const Finding& finding : verdict.findings) {
        if (const auto* figures = std::get_if<Figures>(&finding.figures)) all.push_back(*figures);
    }
    return all;
}

TEST(Verdict, HasTheFiguresOfEachAttack) {
    InspectionContext context;
    context.used = 20;
    const Verdict verdict = judge(inspect(test::filter_e(), context));
    EXPECT_EQ(verdict.worst().attack(), Attack::count);
    // 1.5 billion addresses at a rate of 0.001 are 1.5 million matches, for 20 used addresses.
    EXPECT_NEAR(figures_of<CountFigures>(verdict).at(0).advised_anonymity, 75'001, 0.5);
    const CandidateFigures candidate = figures_of<CandidateFigures>(verdict).at(0);
    EXPECT_EQ(candidate.conclusive_cluster, 1U);
    EXPECT_NEAR(candidate.evidence, 94.5, 0.05);
    const UnderFillFigures filled = figures_of<UnderFillFigures>(verdict).at(0);
    EXPECT_NEAR(1 / filled.design.highest, 512, 1);
    EXPECT_GT(filled.ln_factor, std::log(1e6));
}

TEST(Verdict, HasTheFiguresOfAGrownFilter) {
    const std::vector<BloomFilter> filters{test::filter_a(), test::filter_b(), test::filter_c()};
    const Verdict verdict = judge(filters, {});
    const CutFigures cut = figures_of<CutFigures>(verdict).at(0);
    EXPECT_EQ(cut.filters, 3U);
    EXPECT_FALSE(cut.same_hashing);
    EXPECT_NEAR(cut.false_addresses, 1'231, 1);
    const GrowthFigures growth = figures_of<GrowthFigures>(verdict).at(0);
    EXPECT_NEAR(growth.new_elements.value, 3.49, 0.01);
    EXPECT_NEAR(growth.false_addresses, 313'222, 1);
    EXPECT_NEAR(growth.false_in_a_day, 263, 1);
    EXPECT_TRUE(figures_of<CutFigures>(judge(std::vector{test::filter_d()}, {})).empty());
}

Finding pair_among(std::size_t strangers) {
    InspectionContext context;
    context.truth = FilterTruth{600, 42, 0, {}, 10, strangers};
    const Verdict verdict = judge(inspect(test::filter_d(), context));
    return *std::ranges::find(verdict.findings, Attack::pair, &Finding::attack);
}

TEST(Verdict, GradesCoinsAmongStrangers) {
    EXPECT_EQ(pair_among(0).grade, Grade::weak);
    EXPECT_NEAR(pair_among(0).success, 0.483, 0.001);
    EXPECT_EQ(pair_among(20).grade, Grade::weak);
    EXPECT_EQ(pair_among(3'000).grade, Grade::best);
    EXPECT_EQ(std::get<PairMeasures>(pair_among(3'000).figures).strangers, 3'000U);
}

}  // namespace
}  // namespace petal::bloom
