#include "bloom/measures/verdict.h"

#include <algorithm>
#include <string>
#include <vector>

#include "bloom/measures/filter_comparison.h"
#include "samples.h"

namespace petal::bloom {
namespace {

std::string text_of(const Verdict& verdict) {
    std::string text = std::string(describe(verdict.grade)) + "\n";
    for (const Finding& finding : verdict.findings) {
        if (!finding.if_made_by.empty()) text += "if made by " + finding.if_made_by + ": ";
        text += std::string(key_of(finding.grade)) + ' ' + std::string(key_of(finding.attack)) +
                " | " + finding.number + " | " + finding.reason + " | " + finding.fix + "\n";
    }
    return text;
}

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
    EXPECT_EQ(text_of(judge(with_empty, {})), text_of(judge(std::vector{test::filter_d()}, {})));
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
    EXPECT_EQ(growth.worst().attack, Attack::growth);
    EXPECT_TRUE(std::ranges::none_of(growth.findings, [](const Finding& finding) {
        return finding.attack == Attack::cut;
    })) << "everything that matches the first filter also matches the second";
    const std::vector<BloomFilter> other_tweak{
        test::filter_d(), test::reference_filter(test::kSizeD, 0x54321, 2'048)};
    const Verdict two = judge(other_tweak, context);
    EXPECT_EQ(two.worst().attack, Attack::cut);
    EXPECT_EQ(two.grade, Grade::weak);
    auto three = other_tweak;
    three.push_back(test::reference_filter(test::kSizeD, 0x77777, 2'048));
    EXPECT_EQ(judge(three, context).grade, Grade::exposed);
}

TEST(Verdict, OfABitcoinjFilterReads) {
    test::RandomElements random(22);
    BloomFilter filter(client_filter_size(Sizer::real_division, 642, 1e-5), 1, UpdateMode::all);
    random.insert_into(filter, 542);
    EXPECT_EQ(
        text_of(judge(inspect(filter, {}))),
        "weak: a peer needs to know little more to find this wallet\n"
        "weak candidate | 19.3 bits per address | 2 known addresses of one owner single out "
        "the wallet among 100 million others. | A higher rate; better, several filters that "
        "share no element, each for peers of its own.\n"
        "best count | 0.44 % of guesses are right | Of all addresses ever used, 2,283 others match "
        "by chance, so each of the wallet's hides among 229. | None needed: counting alone does "
        "not find this wallet.\n"
        "if made by bitcoinj (since 2016): exposed pair | practically no pairs match by chance | "
        "bitcoinj (since 2016) inserts a public key and its hash for every key. The bits do not "
        "tell whether this filter has any; if it has, both can be tested by anyone, once the key "
        "was used. | Insert the hash alone; hardly anything is paid to bare public keys.\n"
        "if made by bitcoinj (since 2016): exposed pair | practically no pairs match by chance | "
        "bitcoinj (since 2016) inserts an address and the outpoint of its coin once it has coins. "
        "The bits do not tell whether this filter has any; if it has, both can be tested by "
        "anyone, from the set of unspent outputs. | Leave outpoints out, or insert those of all "
        "that matched, true or false.\n");
    InspectionContext owner;
    owner.truth = FilterTruth{542, 0, 1e-5, {DerivablePair::key_and_hash}, 0, 0};
    EXPECT_NE(
        text_of(judge(inspect(filter, owner)))
            .find("exposed pair | practically no pairs match by chance | It holds a public key and "
                  "its hash. A test of both (anyone, once the key was used) finds practically no "
                  "pairs by chance among 1.2 billion, so those that match are the wallet's."),
        std::string::npos);
}

TEST(Verdict, OfABcoinFilterReads) {
    EXPECT_EQ(
        text_of(judge(inspect(test::filter_e(), {}))),
        "exposed: a peer knows addresses of this wallet\n"
        "exposed count | 100 % of guesses are right | Of all addresses ever used, practically "
        "no others match by chance, so most that match are the wallet's. | Make the filter for "
        "what "
        "is in it, at a rate of 0.001: that hides each address among 150,001.\n"
        "exposed candidate | 94.5 bits per address | Any single address that matches is the "
        "wallet's: by chance fewer than one in a billion does. | Make the filter for what is in "
        "it, at a rate of 0.001.\n"
        "weak under-fill | fewer than one in a billion instead of 1 in 512 to 1 in 1,290 | There "
        "is less in it "
        "than it was "
        "made for: a stranger matches more than a million times more rarely than at the rate "
        "it was designed for. | Fill it with random elements up to the number it was made for.\n");
}

// 1.5 billion addresses at a rate of 0.001 are 1.5 million matches, for 20 used addresses.
TEST(Verdict, AdvisesByTheAddressesThatAreUsed) {
    InspectionContext context;
    context.used = 20;
    const Verdict verdict = judge(inspect(test::filter_e(), context));
    EXPECT_NE(verdict.worst().fix.find("at a rate of 0.001: that hides each address among 75,001"),
              std::string::npos)
        << verdict.worst().fix;
}

TEST(Verdict, AdvisesOneTweakOnlyIfThereAreSeveral) {
    test::RandomElements random(23);
    std::vector<BloomFilter> filters(2, BloomFilter({1'000, 10, false}, 7, UpdateMode::all));
    random.insert_into(filters[0], 100);
    random.insert_into(filters[1], 120);
    const auto fix_of_cut = [&] {
        for (const Finding& finding : judge(filters, {}).findings) {
            if (finding.attack == Attack::cut) return finding.fix;
        }
        return std::string();
    };
    EXPECT_TRUE(fix_of_cut().starts_with("Put all addresses in from the start")) << fix_of_cut();
    filters[1] = BloomFilter({1'000, 10, false}, 8, UpdateMode::all);
    random.insert_into(filters[1], 120);
    EXPECT_TRUE(fix_of_cut().starts_with("Keep one tweak")) << fix_of_cut();
}

TEST(Verdict, OfAFilledFilterReads) {
    EXPECT_EQ(text_of(judge(inspect(test::filter_d(), {}))),
              "limited: not found by the filter alone, but every match tells much\n"
              "limited candidate | 11.9 bits per address | 3 known addresses of one owner single "
              "out the wallet among 100 million others. | Several filters that share no element, "
              "each for peers of its own, give each peer less.\n"
              "best count | 0.0026 % of guesses are right | Of all addresses ever used, 382,416 "
              "others match by chance, so each of the wallet's hides among 38,243. | None needed: "
              "counting "
              "alone does not find this wallet.\n");
}

std::string pair_text(std::size_t strangers) {
    InspectionContext context;
    context.truth = FilterTruth{600, 42, 0, {}, 10, strangers};
    Verdict verdict = judge(inspect(test::filter_d(), context));
    std::erase_if(verdict.findings, [](const Finding& f) { return f.attack != Attack::pair; });
    return text_of(verdict);
}

TEST(Verdict, OfCoinsAmongStrangersReads) {
    EXPECT_EQ(pair_text(0),
              "weak: a peer needs to know little more to find this wallet\n"
              "weak pair | 11.2 pairs match by chance | It holds an address and the outpoint of "
              "its coin. A test of both (anyone, from the set of unspent outputs) finds 11.2 "
              "pairs by chance among 173 million, so 48.3 % of guesses are right. | Time "
              "brings strangers' coins that hide the wallet's; a higher rate brings more.\n");
    EXPECT_EQ(pair_text(20),
              "weak: a peer needs to know little more to find this wallet\n"
              "weak pair | 31.2 pairs are strangers' | It holds an address and the outpoint of its "
              "coin, and those of strangers. A test of both (anyone, from the set of unspent "
              "outputs) finds 31.2 pairs of strangers among 173 million, so 24.7 % of guesses are "
              "right. | Time brings strangers' coins that hide the wallet's; a higher rate brings "
              "more.\n");
    EXPECT_EQ(pair_text(3'000),
              "limited: not found by the filter alone, but every match tells much\n"
              "best pair | 3,011 pairs are strangers' | It holds an address and the outpoint of "
              "its coin, and those of strangers. A test of both (anyone, from the set of "
              "unspent outputs) finds 3,011 pairs of strangers among 173 million, so 0.33 % of "
              "guesses are right. | None needed: strangers' pairs hide the wallet's.\n");
}

TEST(Verdict, OfAGrownFilterReads) {
    const std::vector<BloomFilter> filters{test::filter_a(), test::filter_b(), test::filter_c()};
    EXPECT_EQ(text_of(judge(filters, {})),
              "weak: a peer needs to know little more to find this wallet\n"
              "weak cut | 0.81 % of guesses are right | Only 1,231 addresses match all 3 filters "
              "by chance, while the wallet's match every one. | Keep one tweak and one size for "
              "ever, over restarts and restores; give new addresses a new filter and new peers.\n"
              "weak growth | 3.49 ± 2.87 elements were added | What was added is hidden only among "
              "313,222 addresses that match the later filter and not the earlier one; of the "
              "outputs of one day, among 263. | Put all addresses in from the start, a thousand "
              "ahead; never send a filter that grew.\n"
              "limited candidate | 10.3 bits per address | 4 known addresses of one owner single "
              "out the wallet among 100 million others. | Several filters that share no element, "
              "each for peers of its own, give each peer less.\n"
              "best count | < 0.001 % of guesses are right | Of all addresses ever used, 1.19 "
              "million others match by chance, so each of the wallet's hides among 119,339. | None "
              "needed: "
              "counting alone does not find this wallet.\n");
}

}  // namespace
}  // namespace petal::bloom
