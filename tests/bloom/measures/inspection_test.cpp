#include "bloom/measures/inspection.h"

#include <algorithm>
#include <utility>

#include "bloom/measures/verdict.h"
#include "samples.h"

namespace petal::bloom {
namespace {

struct WalletCase {
    const char* name;
    Sizer sizer;
    std::size_t sized;
    double rate;
    int elements;
    UpdateMode flags;
    const char* client;
    double expected_rate;
    double false_addresses;
    double guess;
    Grade grade;
    Attack attack;
};
void PrintTo(const WalletCase& c, std::ostream* out) {
    *out << c.name;
}

class ShippedWallet : public testing::TestWithParam<WalletCase> {};

// Filters made as by the wallets, with as many elements as a new wallet has. The expected values
// are those of the mean filter, so a single filter's values are within four deviations of them.
TEST_P(ShippedWallet, IsRecognisedAndJudged) {
    const WalletCase& c = GetParam();
    const FilterSize size = client_filter_size(c.sizer, c.sized, c.rate);
    test::RandomElements random(20);
    BloomFilter filter(size, random.number(), c.flags);
    random.insert_into(filter, c.elements);
    const Inspection seen = inspect(filter, {});

    ASSERT_FALSE(seen.clients.empty());
    EXPECT_EQ(seen.clients.front().client->key, c.client);
    EXPECT_LE(seen.clients.front().fewest, c.sized);
    EXPECT_GE(seen.clients.front().most, c.sized);
    EXPECT_NEAR(seen.elements.value, c.elements, 4 * seen.elements.deviation + 0.01);
    const double spread = 4 * seen.rate_deviation;
    EXPECT_NEAR(seen.rate.ln(), std::log(c.expected_rate), std::max(0.05, spread));
    const CountMeasures& all = seen.counts.front();
    EXPECT_NEAR(all.false_addresses, c.false_addresses, c.false_addresses * std::max(0.05, spread));
    EXPECT_NEAR(all.guess_plug_in.value(), c.guess, c.guess * 0.3 + 1e-4);

    const Verdict verdict = judge(seen);
    EXPECT_EQ(verdict.grade, c.grade);
    EXPECT_EQ(verdict.worst().attack(), c.attack);
}

INSTANTIATE_TEST_SUITE_P(
    Wallets, ShippedWallet,
    testing::Values(
        WalletCase{"bitcoinj2015", Sizer::real_division, 642, 5e-4, 542, UpdateMode::all,
                   "bitcoinj-2015", 1.468e-4, 220'227, 0.00004, Grade::limited, Attack::candidate},
        WalletCase{"bitcoinj", Sizer::real_division, 642, 1e-5, 542, UpdateMode::all, "bitcoinj",
                   1.413e-6, 2'120, 0.0047, Grade::weak, Attack::candidate},
        WalletCase{"breadwallet", Sizer::real_division, 315, 5e-5, 215, UpdateMode::all,
                   "breadwallet", 9.436e-7, 1'415, 0.0070, Grade::weak, Attack::candidate},
        WalletCase{"breadwalletWithCoins", Sizer::real_division, 345, 5e-5, 245, UpdateMode::all,
                   "breadwallet", 1.461e-6, 2'191, 0.0045, Grade::weak, Attack::candidate},
        WalletCase{"bcoin", Sizer::unrounded, 20'000, 1e-3, 22, UpdateMode::all, "bcoin", 3.470e-29,
                   5.2e-20, 1, Grade::exposed, Attack::count},
        WalletCase{"bcoin1000", Sizer::unrounded, 20'000, 1e-3, 1'000, UpdateMode::all, "bcoin",
                   2.505e-14, 3.76e-5, 1, Grade::exposed, Attack::count},
        WalletCase{"bcoin10000", Sizer::unrounded, 20'000, 1e-3, 10'000, UpdateMode::all, "bcoin",
                   7.313e-6, 10'970, 0.0009, Grade::weak, Attack::candidate},
        WalletCase{"flowee", Sizer::bitcoin_core, 10'000, 1e-3, 100, UpdateMode::all, "flowee",
                   1.436e-20, 2.15e-11, 1, Grade::exposed, Attack::count},
        // 40 addresses of look-ahead on two chains, and three elements for each address.
        WalletCase{"bitcoinKit", Sizer::real_division, 240, 5e-5, 240, UpdateMode::none,
                   "bitcoin-kit", 5.01e-5, 75'100, 1.3e-4, Grade::limited, Attack::candidate}),
    [](const auto& test) { return std::string(test.param.name); });

TEST(Inspection, OfTheReferenceFilterHasItsFigures) {
    InspectionContext context;
    context.used = 100;
    const Inspection seen = inspect(test::filter_a(), context);
    EXPECT_EQ(seen.bits_set, 648U);
    EXPECT_SIX_DIGITS(seen.fill, 0.45251397);
    EXPECT_SIX_DIGITS(seen.rate.value(), 7.9558744e-4);
    EXPECT_SIX_DIGITS(seen.counts[0].false_addresses, 1'193'381.0);
    EXPECT_SIX_DIGITS(seen.counts[0].guess_plug_in.value(), 8.378851e-05);
    EXPECT_SIX_DIGITS(seen.counts[0].leaked_bits, 10.29563);
    EXPECT_SIX_DIGITS(seen.counts[0].left_bits, 14.93903);
    // With 9 functions, a filter is designed for at least 96 and at most 110 elements.
    ASSERT_TRUE(seen.design);
    EXPECT_SIX_DIGITS(seen.design->lowest, classical_rate(test::kSizeA, 96).value());
    EXPECT_SIX_DIGITS(seen.design->highest, classical_rate(test::kSizeA, 110).value());
    EXPECT_FALSE(seen.doubles) << "servers do not update this filter, so it does not drift";
    EXPECT_EQ(seen.conclusive_cluster, 4U);
    EXPECT_EQ(seen.conclusive_chain, 5U);
}

TEST(Inspection, OfAnEmptyFilterFindsNothing) {
    const BloomFilter empty({100, 7, false}, 1, UpdateMode::all);
    const Inspection seen = inspect(empty, {});
    EXPECT_TRUE(seen.rate.is_zero());
    EXPECT_EQ(seen.elements.value, 0);
    EXPECT_EQ(seen.counts.front().false_addresses, 0);
    EXPECT_TRUE(seen.counts.front().guess.is_zero());
    EXPECT_FALSE(seen.conclusive_cluster);
    const Verdict verdict = judge(seen);
    EXPECT_EQ(verdict.grade, Grade::nothing);
    EXPECT_EQ(verdict.findings.size(), 1U);
}

const PairMeasures& pair_of(const Inspection& seen, DerivablePair pair) {
    return *std::ranges::find_if(
        seen.pairs, [=](const PairMeasures& measured) { return measured.pair.pair == pair; });
}

std::vector<Finding> pair_findings(const Verdict& verdict) {
    std::vector<Finding> findings = verdict.findings;
    std::erase_if(findings, [](const Finding& f) { return f.attack() != Attack::pair; });
    return findings;
}

/// A filter with the size of bitcoinj's for 271 keys. It contains the hashes of 271 keys and either
/// the keys or as many other elements.
BloomFilter filter_of_keys(bool with_keys) {
    test::RandomElements random(24);
    BloomFilter filter(client_filter_size(Sizer::real_division, 642, 1e-5), 1, UpdateMode::all);
    for (int i = 0; i < 271; ++i) {
        chain::Bytes key{0x02};
        for (const chain::Byte byte : random.next()) key.push_back(byte);
        key.resize(33);
        filter.insert(chain::hash160(key));
        if (with_keys) {
            filter.insert(key);
        } else {
            filter.insert(random.next());
        }
    }
    return filter;
}

// A filter with pairs and one without have the same number of bits set. Only the knowledge of the
// owner tells them apart, and not the usual behaviour of the client.
TEST(Inspection, SaysOfPairsOnlyWhatIsKnown) {
    using enum DerivablePair;
    for (const bool with_keys : {true, false}) {
        const BloomFilter filter = filter_of_keys(with_keys);
        const Inspection seen = inspect(filter, {});
        ASSERT_EQ(seen.clients.front().client->key, "bitcoinj");
        EXPECT_EQ(pair_of(seen, key_and_hash).inserted, std::nullopt);
        EXPECT_EQ(pair_of(seen, key_and_hash).inserted_by.size(), 1U);
        EXPECT_EQ(pair_of(seen, address_and_coin).inserted, std::nullopt);
        EXPECT_TRUE(pair_of(seen, script_and_hash).inserted_by.empty());
        const Verdict verdict = judge(seen);
        EXPECT_EQ(verdict.grade, Grade::weak);
        EXPECT_EQ(verdict.worst().attack(), Attack::candidate);
        const std::vector<Finding> findings = pair_findings(verdict);
        ASSERT_EQ(findings.size(), 2U);
        EXPECT_EQ(findings[0].grade, Grade::exposed);
        ASSERT_EQ(findings[0].if_made_by.size(), 1U);
        EXPECT_EQ(findings[0].if_made_by[0]->key, "bitcoinj");
        EXPECT_EQ(findings[0].success, 0);

        InspectionContext owner;
        owner.truth = FilterTruth{542, 0, 1e-5, {}, 0, 0};
        if (with_keys) owner.truth->pairs.push_back(key_and_hash);
        const Inspection known = inspect(filter, owner);
        EXPECT_EQ(pair_of(known, key_and_hash).inserted, with_keys);
        const std::vector<Finding> facts = pair_findings(judge(known));
        ASSERT_EQ(facts.size(), with_keys ? 1U : 0U);
        if (with_keys) {
            EXPECT_EQ(facts[0].grade, Grade::exposed);
            EXPECT_TRUE(facts[0].if_made_by.empty());
            EXPECT_EQ(std::get<PairMeasures>(facts[0].figures).pair.pair, key_and_hash);
        }
    }
}

// breadwallet adds outpoints once it has coins, so the filter of a new wallet has none.
TEST(Inspection, WarnsOfPairsThatComeWithCoins) {
    test::RandomElements random(22);
    BloomFilter filter(client_filter_size(Sizer::real_division, 315, 5e-5), 1, UpdateMode::all);
    random.insert_into(filter, 215);
    const Inspection seen = inspect(filter, {});
    ASSERT_EQ(seen.clients.front().client->key, "breadwallet");
    EXPECT_EQ(pair_of(seen, DerivablePair::address_and_coin).inserted, std::nullopt);
    const std::vector<Finding> findings = pair_findings(judge(seen));
    ASSERT_EQ(findings.size(), 1U);
    ASSERT_EQ(findings[0].if_made_by.size(), 1U);
    EXPECT_EQ(findings[0].if_made_by[0]->key, "breadwallet");
    EXPECT_EQ(findings[0].success, 0);
    EXPECT_EQ(std::get<PairMeasures>(findings[0].figures).pair.pair,
              DerivablePair::address_and_coin);
}

TEST(Inspection, FindsNoPairIfThereIsOneElement) {
    BloomFilter filter({36'000, 50, false}, 1, UpdateMode::all);
    filter.insert(test::reference_element(1));
    EXPECT_EQ(pair_of(inspect(filter, {}), DerivablePair::key_and_hash).inserted, false);
    filter.insert(test::reference_element(2));
    EXPECT_EQ(pair_of(inspect(filter, {}), DerivablePair::key_and_hash).inserted, std::nullopt);
}

TEST(Inspection, KnowsFiltersThatMatchEverything) {
    struct Row {
        const char* payload;
        std::size_t bytes;
        NothingToGuess why;
    };
    using enum NothingToGuess;
    for (const Row& row : {Row{"00050000000000000001", 0, no_bytes},
                           Row{"03614e9b000000000000000001", 3, no_hash_functions},
                           Row{"03ffffff050000000000000001", 3, all_ones}}) {
        const auto outline = outline_of_payload(chain::from_hex(row.payload).value());
        ASSERT_TRUE(outline) << row.payload;
        EXPECT_TRUE(outline->matches_all());
        EXPECT_EQ(outline->size.bytes, row.bytes);
        const Verdict verdict = judge_match_all(*outline);
        EXPECT_EQ(verdict.grade, Grade::all);
        EXPECT_EQ(std::get<NoAttackFigures>(verdict.worst().figures).why, row.why);
    }
    const auto filter = outline_of_payload(chain::from_hex("03614e9b050000000000000001").value());
    ASSERT_TRUE(filter);
    EXPECT_FALSE(filter->matches_all());
    for (const char* bad : {"03614e9b330000000000000001", "03614e9b0500000000000000", ""}) {
        EXPECT_FALSE(outline_of_payload(chain::from_hex(bad).value_or(chain::Bytes()))) << bad;
    }
}

TEST(Inspection, KnowsFiltersThatMatchNearlyEverything) {
    test::RandomElements random(21);
    BloomFilter filter({100, 5, false}, 1, UpdateMode::all);
    while (filter.bits_set() < 700) filter.insert(random.next());
    EXPECT_NE(judge(inspect(filter, {})).grade, Grade::all) << "it matches half of everything";
    while (filter.bits_set() < 797) filter.insert(random.next());
    const Verdict verdict = judge(inspect(filter, {}));  // 99.6 % of 800 bits, to the fifth power
    EXPECT_EQ(verdict.grade, Grade::all);
    const auto& figures = std::get<NoAttackFigures>(verdict.worst().figures);
    EXPECT_EQ(figures.why, NothingToGuess::saturated);
    EXPECT_NEAR(figures.rate, 0.981, 0.001);
    EXPECT_NEAR(figures.fill, 0.996, 0.001);
}

TEST(Inspection, PrefersTheOwnersKnowledgeToTheSize) {
    test::RandomElements random(21);
    BloomFilter filter(client_filter_size(Sizer::real_division, 642, 1e-5), 1, UpdateMode::all);
    random.insert_into(filter, 642);
    EXPECT_FALSE(pair_findings(judge(inspect(filter, {}))).empty());
    InspectionContext context;
    context.truth = FilterTruth{600, 42, 1e-5, {}, 0, 0};
    EXPECT_TRUE(pair_findings(judge(inspect(filter, context))).empty());
    const Verdict verdict = judge(inspect(filter, context));
    EXPECT_EQ(verdict.grade, Grade::limited);
    EXPECT_EQ(verdict.worst().attack(), Attack::candidate);
}

/// The pair of an address and its coin, in a filter with this many coins of the wallet and of
/// strangers.
PairMeasures address_and_coin(std::size_t coins, std::size_t strangers) {
    InspectionContext context;
    context.truth = FilterTruth{600, 42, 1e-5, {}, coins, strangers};
    return pair_of(inspect(test::filter_d(), context), DerivablePair::address_and_coin);
}

TEST(Inspection, HidesCoinsAmongInsertedCoinsOfStrangers) {
    const double rate = test::filter_d().false_positive_rate();
    EXPECT_EQ(address_and_coin(0, 7).inserted, false);
    const PairMeasures alone = address_and_coin(10, 0);
    EXPECT_EQ(alone.inserted, true);
    EXPECT_SIX_DIGITS(alone.false_pairs(), alone.pair.candidates * rate * rate);
    const PairMeasures hidden = address_and_coin(10, 300);
    EXPECT_EQ(hidden.inserted, true);
    EXPECT_SIX_DIGITS(hidden.false_pairs(), 300 + alone.false_pairs());
    EXPECT_LT(hidden.guess.value(), 0.05);
    // The matching coins are the wallet's, however many addresses were used.
    EXPECT_GT(address_and_coin(300, 300).guess.value(), 0.45);
}

TEST(Inspection, OfAShardEndsAtTheBest) {
    InspectionContext context;
    context.used = 5;
    context.shards = 4;
    const Inspection seen = inspect(test::filter_d(), context);
    EXPECT_NEAR(seen.evidence, 2.18, 0.01);
    EXPECT_EQ(judge(seen).grade, Grade::best);
    context.shards = 1;
    EXPECT_EQ(judge(inspect(test::filter_d(), context)).grade, Grade::limited);
}

}  // namespace
}  // namespace petal::bloom
