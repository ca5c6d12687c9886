// Which of conflicting transactions counts if only peers' words tell them apart.
#include "wallet/ledger/claims.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <initializer_list>
#include <map>
#include <ostream>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/signing.h"
#include "tests/wallet/ledger/unconfirmed_scene.h"
#include "wallet/fee_bumper.h"

namespace petal::wallet {
namespace {

using chain::PresentSources;
using chain::Transaction;
using chain::Txid;
using chain::TxSource;
using test::foreign_coin;
using test::foreign_script;
using test::output_of;
using test::spend;

using Sources = std::vector<TxSource>;

TEST(WithSources, KeepsFewButTwoGroups) {
    EXPECT_EQ(with_sources({}, Sources{{2, 1}, {1, 1}}), (Sources{{1, 1}, {2, 1}}));
    EXPECT_EQ(with_sources({{1, 1}}, Sources{{1, 1}}), (Sources{{1, 1}}));
    Sources many;
    for (std::uint64_t node = 1; node <= kMaxSources + 3; ++node) many.push_back({5, node});
    const Sources full = with_sources({}, many);
    EXPECT_EQ(full.size(), kMaxSources);
    for (const std::uint64_t other : {4U, 6U}) {
        const Sources both = with_sources(full, Sources{{other, 1}});
        EXPECT_EQ(both.size(), kMaxSources);
        EXPECT_TRUE(std::ranges::is_sorted(both));
        EXPECT_TRUE(std::ranges::count(both, other, &TxSource::network_group) == 1);
        EXPECT_EQ(with_sources(both, Sources{{7, 1}}), both);
    }
}

/// Numbers of nodes; node 12 is the second of network group 1.
using Nodes = std::vector<std::uint64_t>;

Sources sources_of(const Nodes& nodes) {
    Sources sources;
    for (const std::uint64_t node : nodes) sources.push_back({node / 10, node});
    std::ranges::sort(sources);
    return sources;
}

struct ClaimCase {
    std::string name;
    Nodes showed_first;  ///< before the other one was shown, and then disconnected
    Nodes first_now;
    Nodes second_now;
    bool is_second_preferred;
    Nodes showed_second = {};  ///< in an earlier sync
};
void PrintTo(const ClaimCase& row, std::ostream* out) {
    *out << row.name;
}

/// Two payments to the wallet of the same foreign coin.
class ConflictingReceipts : public test::UnconfirmedScene {
protected:
    const Transaction first = pay(50, 4, 9);
    const Transaction second = pay(60, 5, 9);

    void show(const std::vector<Transaction>& transactions,
              const std::vector<std::pair<Transaction, Nodes>>& nodes) {
        std::vector<chain::UnconfirmedTransaction> seen;
        for (const Transaction& transaction : transactions) {
            seen.push_back({transaction.txid(), transaction, test::kSeenTime});
        }
        std::vector<PresentSources> sources;
        for (const auto& [transaction, numbers] : nodes) {
            sources.push_back({transaction.txid(), sources_of(numbers)});
        }
        wallet->apply_unconfirmed(seen, sources, wallet->sync_state());
    }
    bool counts(const Transaction& transaction) const {
        return !wallet->transaction(transaction.txid())->replaced_by;
    }
    HistoryEntry entry(const Transaction& transaction) const {
        return wallet->transaction(transaction.txid()).value();
    }
};

class Claims : public ConflictingReceipts, public testing::WithParamInterface<ClaimCase> {};

TEST_P(Claims, CountIfMoreGroupsShowThem) {
    show({first}, {{first, GetParam().showed_first}});
    reopen();
    if (!GetParam().showed_second.empty()) {
        show({second}, {{first, {}}, {second, GetParam().showed_second}});
        EXPECT_TRUE(counts(first));
        reopen();
    }
    show({second}, {{first, GetParam().first_now}, {second, GetParam().second_now}});
    const bool is_second = GetParam().is_second_preferred;
    const auto check = [&] {
        EXPECT_EQ(counts(first), !is_second);
        EXPECT_EQ(counts(second), is_second);
        EXPECT_EQ(wallet->balance().pending, is_second ? 60 : 50);
        for (const auto& [one, other] : {std::pair(first, second), std::pair(second, first)}) {
            EXPECT_EQ(entry(one).conflicts_with, std::vector{other.txid()});
            EXPECT_FALSE(entry(one).is_replaced_for_certain);
            EXPECT_EQ(entry(one).net, counts(one) ? entry(one).received : 0);
        }
    };
    check();
    reopen();
    check();
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Shown, Claims, testing::ValuesIn(std::initializer_list<ClaimCase>{
    {"OneNodeAgainstAnother",            {10}, {10}, {20}, false},
    {"OneNodeAfterTheOtherLeft",         {10}, {}, {20}, false},
    {"OneNodeAfterSeveralLeft",          {10, 20}, {}, {10}, false},
    {"OneNodeOfTheSameGroup",            {10}, {}, {11}, false},
    {"OneNodeAfterItsOwnWord",           {10}, {}, {10}, true},
    {"AllThatShowedTheFirst",            {10, 20}, {}, {10, 20}, true},
    {"TwoOfThree",                       {10, 20, 30}, {30}, {10, 20}, true},
    {"OneOfTwo",                         {10, 20}, {20}, {10}, false},
    {"AsManyAsTheFirst",                 {10, 20, 30, 40}, {30, 40}, {10, 20}, false},
    {"OthersThanShowedTheFirst",         {10, 20, 30}, {}, {40, 50}, true},
    {"ManyNodesOfOneGroup",              {10}, {10}, {20, 21, 22, 23}, false},
    {"ManyNodesOfOneGroupLater",         {10}, {}, {20, 21, 22, 23}, false},
    {"MostNodesOfTheOnlyGroup",          {10}, {10}, {11, 12}, true},
    {"AllNodesOfTheOnlyGroup",           {10, 11}, {}, {10, 11}, true},
    {"SomeNodesOfTheOnlyGroup",          {10, 11}, {}, {10}, false},
    {"SecondGroupInAnotherSync",         {10}, {}, {30}, true, {20}},
    {"NoMoreGroupsInSeveralSyncs",       {10, 20}, {}, {40}, false, {30}},
    {"SameGroupInAnotherSync",           {10}, {}, {21}, false, {20}},
    {"NobodyShowedTheFirst",             {}, {}, {10}, false},
    {"TwoGroupsIfNobodyShowedTheFirst",  {}, {}, {10, 20}, true},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST_F(ConflictingReceipts, HonestVersionReturnsOnceMoreGroupsShowIt) {
    show({second}, {{second, {20}}});
    show({first}, {{first, {10}}, {second, {20}}});
    EXPECT_TRUE(counts(second)) << "the one seen first";
    show({}, {{first, {10, 30}}, {second, {20}}});
    EXPECT_TRUE(counts(first));
    show({second}, {});
    EXPECT_TRUE(counts(first)) << "showing it again changes nothing";
}

TEST_F(ConflictingReceipts, AreFactsOnceABlockOrTheWalletDecides) {
    show({first, second}, {{first, {10}}, {second, {20}}});
    mine({second});
    EXPECT_EQ(entry(first).replaced_by, second.txid());
    EXPECT_TRUE(entry(first).is_replaced_for_certain);
    EXPECT_TRUE(entry(first).conflicts_with.empty());
    EXPECT_TRUE(entry(second).conflicts_with.empty());
}

TEST_F(ConflictingReceipts, VerifiedSpendNeedsNoSource) {
    const auto own = sign(spend({output_of(coins[0]), foreign_coin(9)}, {{5, script(6)}}));
    show({first}, {{first, {10, 20, 30}}});
    show({own}, {{first, {10, 20, 30}}, {own, {40}}});
    EXPECT_TRUE(counts(own));
    EXPECT_TRUE(entry(first).is_replaced_for_certain);
    show({}, {{first, {10, 20, 30, 50}}, {own, {40}}});
    EXPECT_TRUE(counts(own));
    EXPECT_TRUE(entry(own).conflicts_with.empty());
    reopen();
}

TEST_F(ConflictingReceipts, ChildCountsOnlyWithItsParent) {
    const chain::Bytes unverified{0x51};
    const auto parent = spend({foreign_coin(9)}, {{60, script(5)}, {70, unverified}});
    const auto child = spend({output_of(parent, 1), foreign_coin(12)}, {{7, script(6)}});
    const auto rival = pay(8, 7, 12);
    show({first, rival}, {{first, {10}}, {rival, {10}}});
    show({parent, child}, {{first, {10}}, {rival, {10}}, {parent, {20}}, {child, {20, 30}}});
    EXPECT_FALSE(counts(parent));
    EXPECT_FALSE(counts(child)) << "although more groups show it than the rival";
    EXPECT_TRUE(counts(rival));
    show({}, {{first, {10}}, {parent, {20, 30}}});
    EXPECT_TRUE(counts(parent));
    EXPECT_TRUE(counts(child));
    EXPECT_FALSE(counts(rival));
    reopen();
}

TEST_F(ConflictingReceipts, WordOfTheUserIsNoClaim) {
    show({first}, {{first, {10}}});
    wallet->keep_own(second, test::kSeenTime);
    EXPECT_TRUE(counts(second));
    show({first}, {{first, {10}}});
    EXPECT_TRUE(counts(second)) << "one node's word";
    reopen();
    show({}, {{first, {10, 20}}});
    EXPECT_TRUE(counts(first));
}

TEST_F(ConflictingReceipts, NumberOfConflictsShownIsBounded) {
    show({first}, {{first, {10}}});
    for (chain::Satoshis value = 1; value <= 12; ++value) show({pay(value, 6, 9)}, {});
    EXPECT_EQ(entry(first).conflicts_with.size(), kMaxConflictsShown);
    EXPECT_EQ(entry(first).conflicts_with[0], pay(1, 6, 9).txid());
}

TEST_F(ConflictingReceipts, ChildPaysForTheOneThatTheUserNames) {
    for (const bool is_shown_less : {false, true}) {
        const Transaction parent = is_shown_less ? pay(90'000, 5, 30) : pay(80'000, 4, 20);
        const Transaction other = is_shown_less ? pay(80'000, 4, 30) : pay(90'000, 5, 20);
        const Transaction& seen_first = is_shown_less ? other : parent;
        show({seen_first, is_shown_less ? parent : other}, {});
        EXPECT_EQ(counts(parent), !is_shown_less);
        auto child = FeeBumper(*wallet).child_of(parent.txid()).value();
        child.request.fee_rate = FeeRate{5'000};
        ASSERT_EQ(child.request.relatives.size(), 1U) << "the child pays for its parent";
        EXPECT_EQ(child.request.relatives[0].txid, parent.txid());
        Payment payment =
            build_payment(child.request, child.coins, [] { return std::uint64_t{7}; }).value();
        wallet->sign(payment.transaction, payment.coins, wallet->secret(""), {});
        if (is_shown_less) {
            EXPECT_FALSE(wallet->keep_payment(payment, 1)) << "its coin does not count";
        }
        ASSERT_TRUE(FeeBumper(*wallet).keep_child(payment, parent.txid(), 1));
        EXPECT_TRUE(counts(parent)) << "the user spends it";
        EXPECT_FALSE(counts(other));
        EXPECT_TRUE(counts(payment.transaction));
        EXPECT_FALSE(FeeBumper(*wallet).keep_child(payment, other.txid(), 1));
        reopen();
    }
}

// In any order, and over several syncs: what the most groups show last counts, and a single
// group replaces nothing that another has shown.
TEST_F(ConflictingReceipts, RandomWordsOfAnHonestMajorityCount) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        SCOPED_TRACE(testing::Message() << "seed " << seed);
        std::mt19937_64 random(seed);
        const auto below = [&](std::uint64_t limit) { return random() % limit; };
        const auto coin = static_cast<std::uint32_t>(100 + seed);
        const std::vector versions{pay(50, 4, coin), pay(60, 5, coin), pay(70, 6, coin)};
        const std::uint64_t honest = 2 + below(4);  // groups 1 to this
        const std::uint64_t liars = below(honest);
        std::map<std::uint64_t, std::size_t> words;  // of the connected nodes
        std::set<std::size_t> known;
        const auto pass = [&](const std::set<std::size_t>& news) {
            std::vector<Transaction> sent;
            std::vector<std::pair<Transaction, Nodes>> nodes;
            for (const std::size_t i : news) {
                if (known.insert(i).second) sent.push_back(versions[i]);
            }
            for (std::size_t i = 0; i < versions.size(); ++i) {
                if (!known.contains(i)) continue;
                Nodes now;
                for (const auto& [node, word] : words) {
                    if (word == i) now.push_back(node);
                }
                nodes.emplace_back(versions[i], now);
            }
            show(sent, nodes);
        };
        // A single node at first, which another single node then contradicts.
        words[10] = 0;
        pass({0});
        words = {{90, 1}};
        pass({1});
        EXPECT_TRUE(counts(versions[0]));
        if (below(2) == 0) reopen();
        for (const std::size_t truth : {below(2), std::uint64_t{2}}) {
            // All nodes say their word, one after the other or together.
            std::vector<std::uint64_t> order;
            for (std::uint64_t node = 1; node <= honest; ++node) order.push_back(node * 10);
            for (std::uint64_t liar = 0; liar < liars; ++liar) order.push_back(500 + liar * 10);
            std::ranges::shuffle(order, random);
            std::set<std::size_t> news;
            for (const std::uint64_t node : order) {
                words[node] = node < 500 ? truth : below(3);
                news.insert(words[node]);
                if (below(2) == 0) pass(std::exchange(news, {}));
            }
            words.erase(90);
            pass(news);
            EXPECT_TRUE(counts(versions[truth])) << "the truth is " << truth;
            if (below(2) == 0) reopen();
        }
    }
}

}  // namespace
}  // namespace petal::wallet
