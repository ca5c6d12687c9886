#include "cli/filter/measures/finding_text.h"

#include <algorithm>
#include <string>
#include <vector>

#include "cli/filter/measures/wording.h"
#include "cli/text/text.h"
#include "tests/bloom/measures/samples.h"

namespace petal::cli {
namespace {

using namespace bloom;

std::string whole_text(const Verdict& verdict) {
    std::string text = std::string(describe(verdict.grade)) + "\n";
    for (const Finding& finding : verdict.findings) {
        const FindingText told = text_of(finding);
        if (!told.if_made_by.empty()) text += "if made by " + told.if_made_by + ": ";
        text += std::string(key_of(finding.grade)) + ' ' + std::string(key_of(finding.attack())) +
                " | " + told.number + " | " + told.reason + " | " + told.fix + "\n";
    }
    return text;
}

TEST(Verdict, OfABitcoinjFilterReads) {
    test::RandomElements random(22);
    BloomFilter filter(client_filter_size(Sizer::real_division, 642, 1e-5), 1, UpdateMode::all);
    random.insert_into(filter, 542);
    EXPECT_EQ(
        whole_text(judge(inspect(filter, {}))),
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
        whole_text(judge(inspect(filter, owner)))
            .find("exposed pair | practically no pairs match by chance | It holds a public key and "
                  "its hash. A test of both (anyone, once the key was used) finds practically no "
                  "pairs by chance among 1.2 billion, so those that match are the wallet's."),
        std::string::npos);
}

TEST(Verdict, OfABcoinFilterReads) {
    EXPECT_EQ(
        whole_text(judge(inspect(test::filter_e(), {}))),
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
    const std::string fix = text_of(verdict.worst()).fix;
    EXPECT_NE(fix.find("at a rate of 0.001: that hides each address among 75,001"),
              std::string::npos)
        << fix;
}

TEST(Verdict, AdvisesOneTweakOnlyIfThereAreSeveral) {
    test::RandomElements random(23);
    std::vector<BloomFilter> filters(2, BloomFilter({1'000, 10, false}, 7, UpdateMode::all));
    random.insert_into(filters[0], 100);
    random.insert_into(filters[1], 120);
    const auto fix_of_cut = [&] {
        for (const Finding& finding : judge(filters, {}).findings) {
            if (finding.attack() == Attack::cut) return text_of(finding).fix;
        }
        return std::string();
    };
    EXPECT_TRUE(fix_of_cut().starts_with("Put all addresses in from the start")) << fix_of_cut();
    filters[1] = BloomFilter({1'000, 10, false}, 8, UpdateMode::all);
    random.insert_into(filters[1], 120);
    EXPECT_TRUE(fix_of_cut().starts_with("Keep one tweak")) << fix_of_cut();
}

TEST(Verdict, OfAFilledFilterReads) {
    EXPECT_EQ(whole_text(judge(inspect(test::filter_d(), {}))),
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
    std::erase_if(verdict.findings, [](const Finding& f) { return f.attack() != Attack::pair; });
    return whole_text(verdict);
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
    EXPECT_EQ(whole_text(judge(filters, {})),
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

TEST(Verdict, SaysWhyThereIsNothingToGuess) {
    const auto told = [](NothingToGuess why) {
        return text_of(Finding{Grade::all, 0, NoAttackFigures{why, 0.996, 0.981}});
    };
    EXPECT_EQ(told(NothingToGuess::no_bytes).reason,
              "Nodes send every transaction, since it has no bytes: a peer learns nothing of the "
              "wallet.");
    EXPECT_NE(told(NothingToGuess::no_hash_functions).reason.find("it has no hash functions"),
              std::string::npos);
    EXPECT_NE(told(NothingToGuess::all_ones).reason.find("every bit of it is set"),
              std::string::npos);
    EXPECT_EQ(told(NothingToGuess::saturated).number, "98.1 % of everything matches");
    EXPECT_EQ(told(NothingToGuess::no_bit_set).number, "nothing matches");
}

TEST(Wording, IsShort) {
    EXPECT_EQ(short_number(0), "0");
    EXPECT_EQ(short_number(0.002416), "0.00242");
    EXPECT_EQ(short_number(42.44), "42.4");
    EXPECT_EQ(short_number(999.6), "1,000");
    EXPECT_EQ(short_number(2'120.4), "2,120");
    EXPECT_EQ(short_number(999'999), "999,999");
    EXPECT_EQ(short_number(1.5e9), "1.5 billion");
    EXPECT_EQ(short_number(1e8), "100 million");
    EXPECT_EQ(short_number(2.873e28), "2.87e28");
    EXPECT_EQ(percentage(1), "100 %");
    EXPECT_EQ(percentage(0.9995), "> 99.9 %");
    EXPECT_EQ(percentage(0.2345), "23.4 %");
    EXPECT_EQ(percentage(0.0047), "0.47 %");
    EXPECT_EQ(percentage(1e-7), "< 0.001 %");
    EXPECT_EQ(percentage(0), "0 %");
    EXPECT_EQ(count_of(1, "filter"), "1 filter");
    EXPECT_EQ(count_of(1'234'567, "address", "es"), "1,234,567 addresses");
    EXPECT_EQ(mean_count(0.0024, "pair"), "practically no pairs");
    EXPECT_EQ(mean_count(0.34, "pair"), "0.34 pairs");
    EXPECT_EQ(mean_count(0.9999, "address", "es"), "1 address");
    EXPECT_EQ(mean_count(2'120.4, "address", "es"), "2,120 addresses");
    EXPECT_EQ(at_least_one(0.003), "fewer than one");
    EXPECT_EQ(at_least_one(1.234), "1.23");
    EXPECT_EQ(one_in(LogProbability()), "none");
    EXPECT_EQ(one_in(LogProbability::from_ln(-100)), "fewer than one in a billion");
    EXPECT_EQ(one_in(LogProbability::of(1e-5)), "1 in 100,000");
    EXPECT_EQ(one_in(LogProbability::of(0.451)), "45.1 %");
}

}  // namespace
}  // namespace petal::cli
