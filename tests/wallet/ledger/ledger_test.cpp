// The rules of the ledger, one by one: credits, debits, coins, confirmations, history.
#include "wallet/ledger/ledger.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

#include "tests/wallet/ledger/ledger_scene.h"
#include "tests/wallet/ledger/print_records.h"

namespace petal::wallet {
namespace {

using chain::kMaxMoney;
using chain::Outpoint;
using chain::Transaction;
using test::coinbase;
using test::foreign_coin;
using test::foreign_script;
using test::LedgerScene;
using test::output_of;
using test::own_script;
using test::spend;

std::vector<Outpoint> outpoints_of(const std::vector<Coin>& coins) {
    std::vector<Outpoint> outpoints;
    for (const Coin& coin : coins) outpoints.push_back(coin.outpoint);
    return outpoints;
}

Transaction pay(chain::Satoshis value, std::uint32_t from = 1) {
    return spend({foreign_coin(from)}, {{value, own_script(0)}});
}

TEST(Ledger, OwnsNothingAtFirst) {
    const Ledger ledger;

    const LedgerView view(ledger);
    EXPECT_EQ(view.balance(), Balance{});
    EXPECT_TRUE(view.coins().empty());
    EXPECT_TRUE(view.history(0).empty());
    EXPECT_TRUE(view.watched_outpoints() == chain::WatchedOutpoints{});
    EXPECT_FALSE(view.entry({}));
}

TEST(Ledger, CountsEachOutputOfItsOwn) {
    LedgerScene scene;
    const auto payment = spend({foreign_coin(1)}, {{10, own_script(0)},
                                                   {500, foreign_script()},
                                                   {20, own_script(1, KeyChain::change)},
                                                   {40, own_script(0)}});
    scene.mine({payment});

    EXPECT_EQ(scene.view().balance(), (Balance{70, 0, 0}));
    const auto coins = scene.view().coins();
    ASSERT_EQ(coins.size(), 3U);
    EXPECT_EQ(coins[0].outpoint, output_of(payment, 0));
    EXPECT_EQ(coins[1].outpoint, output_of(payment, 2));
    EXPECT_EQ(coins[2].outpoint, output_of(payment, 3));
    EXPECT_EQ(coins[1].value, 20);
    EXPECT_EQ(coins[1].path, (KeyPath{KeyChain::change, 1}));
    EXPECT_EQ(coins[1].height, 1U);
    EXPECT_EQ(coins[1].confirmations, 1U);
    EXPECT_TRUE(coins[1].spendable);
    const auto entry = scene.entry(payment);
    EXPECT_EQ(entry.received, 70);
    EXPECT_EQ(entry.sent, 0);
    EXPECT_FALSE(entry.fee);
}

TEST(Ledger, SpendWithChangeNetsOut) {
    LedgerScene scene;
    const auto payment = pay(100);
    const auto sent = spend({output_of(payment)},
                            {{30, foreign_script()}, {65, own_script(0, KeyChain::change)}});
    scene.mine({payment});
    scene.mine({sent});

    EXPECT_EQ(scene.view().balance(), (Balance{65, 0, 0}));
    EXPECT_EQ(outpoints_of(scene.view().coins()), std::vector{output_of(sent, 1)});
    EXPECT_EQ(scene.entry(sent).received, 65);
    EXPECT_EQ(scene.entry(sent).sent, 100);
    EXPECT_EQ(scene.entry(sent).fee, 5);
}

TEST(Ledger, SpendWithoutChangeIsSeenByItsInputAlone) {
    LedgerScene scene;
    const auto payment = pay(100);
    const auto sweep = spend({output_of(payment)}, {{90, foreign_script()}});
    scene.mine({payment});
    EXPECT_TRUE(scene.ledger.touches(sweep));
    scene.mine({sweep});

    EXPECT_EQ(scene.view().balance(), Balance{});
    EXPECT_EQ(scene.entry(sweep).sent, 100);
    EXPECT_EQ(scene.entry(sweep).received, 0);
    EXPECT_EQ(scene.entry(sweep).fee, 10);
}

TEST(Ledger, SpendOfAForeignOutputIsIgnored) {
    LedgerScene scene;
    const auto payment = spend({foreign_coin(1)}, {{10, foreign_script()}, {20, own_script(0)}});
    scene.mine({payment});

    EXPECT_FALSE(scene.ledger.touches(spend({output_of(payment, 0)}, {{9, foreign_script()}})));
    EXPECT_FALSE(scene.ledger.touches(spend({output_of(payment, 2)}, {{9, foreign_script()}})));
    EXPECT_FALSE(scene.ledger.touches(spend({foreign_coin(1)}, {{9, foreign_script()}})));
    EXPECT_TRUE(scene.ledger.touches(spend({output_of(payment, 1)}, {{9, foreign_script()}})));
}

TEST(Ledger, FeeIsUnknownIfAnInputIsForeign) {
    LedgerScene scene;
    const auto payment = pay(100);
    const auto joint = spend({output_of(payment), foreign_coin(2)}, {{150, foreign_script()}});
    scene.mine({payment, joint});

    EXPECT_EQ(scene.entry(joint).sent, 100);
    EXPECT_FALSE(scene.entry(joint).fee);
}

TEST(Ledger, ChainsWithinOneBlockEndInTheirLastOutput) {
    LedgerScene scene;
    const auto first = pay(100);
    const auto second = spend({output_of(first)}, {{90, own_script(1)}});
    const auto third = spend({output_of(second)}, {{80, own_script(2)}});
    scene.mine({first, second, third});

    EXPECT_EQ(scene.view().balance(), (Balance{80, 0, 0}));
    EXPECT_EQ(outpoints_of(scene.view().coins()), std::vector{output_of(third)});
    EXPECT_EQ(scene.order(), (std::vector{third.txid(), second.txid(), first.txid()}));
}

TEST(Ledger, SpendBeforeItsFundingCountsOnceTheFundingIsKnown) {
    LedgerScene scene;
    const auto funding = pay(100);
    const auto sent = spend({output_of(funding)}, {{30, foreign_script()}, {60, own_script(1)}});
    scene.chain.mine({funding});
    scene.mine({sent});
    EXPECT_EQ(scene.view().balance().total(), 60);
    EXPECT_EQ(scene.entry(sent).sent, 0);

    scene.repeat(1);

    EXPECT_EQ(scene.view().balance(), (Balance{60, 0, 0}));
    EXPECT_EQ(outpoints_of(scene.view().coins()), std::vector{output_of(sent, 1)});
    EXPECT_EQ(scene.entry(sent).sent, 100);
}

TEST(Ledger, BlockThatComesAgainChangesNothing) {
    LedgerScene scene;
    const auto payment = pay(100);
    scene.mine({payment});
    scene.mine({spend({output_of(payment)}, {{70, own_script(1)}})});
    const auto history = scene.view().history(0);

    scene.repeat(1);
    scene.repeat(2);

    EXPECT_EQ(scene.view().history(0), history);
    EXPECT_EQ(scene.view().balance(), (Balance{70, 0, 0}));
    auto again = summarize(payment, payment.txid(), test::credits_in(payment));
    const auto& block = scene.chain.at(1);
    EXPECT_EQ(scene.ledger
                  .confirm(*again, {block.block, block.header.time}, block.transactions[0].position)
                  .record,
              nullptr);
}

TEST(Ledger, CoinbaseMaturesWithTheHundredthConfirmation) {
    LedgerScene scene;
    scene.mine({coinbase(1, {{50, own_script(0)}})});
    scene.mine_empty(98);

    EXPECT_EQ(scene.view().balance(), (Balance{0, 0, 50}));
    ASSERT_EQ(scene.view().coins().size(), 1U);
    EXPECT_EQ(scene.view().coins()[0].confirmations, 99U);
    EXPECT_FALSE(scene.view().coins()[0].spendable);
    EXPECT_TRUE(scene.view().coins()[0].coinbase);

    scene.mine();

    EXPECT_EQ(scene.view().balance(), (Balance{50, 0, 0}));
    EXPECT_EQ(scene.view().coins()[0].confirmations, 100U);
    EXPECT_TRUE(scene.view().coins()[0].spendable);
}

TEST(Ledger, CoinbaseIsImmatureUntilItsBlockIsSearchedAgain) {
    for (const std::uint32_t height : {3U, 17U, 300U}) {
        LedgerScene scene;
        scene.mine_empty(height - 1);
        const auto reward = coinbase(height, {{50, own_script(0)}});
        scene.mine({reward});
        scene.mine_empty(119);
        scene.mine({test::receipt(7, 9)});
        scene.search_again_above(0);
        EXPECT_EQ(scene.view().balance(), (Balance{0, 7, 50})) << height;
        EXPECT_EQ(scene.entry(reward).net, 50);
        EXPECT_FALSE(scene.view().coins()[0].spendable);
        scene.ledger.set_synced(scene.chain.at(height - 1).block);
        EXPECT_EQ(scene.view().balance(), (Balance{0, 7, 50}));
        scene.ledger.set_synced(scene.chain.at(height).block);
        EXPECT_EQ(scene.view().balance(), (Balance{50, 7, 0}));
    }
}

TEST(Ledger, ImportedCoinbaseIsImmatureUntilItsBlockIsSearchedAgain) {
    LedgerScene scene;
    scene.mine({coinbase(1, {{50, own_script(0, KeyChain::change)}})});
    scene.mine_empty(120);
    scene.mine({pay(1, 1)});  // still known, so that the coinbase has 122 confirmations
    scene.ledger.set_first_imported(KeyChain::change);
    EXPECT_EQ(scene.view().balance(), (Balance{51, 0, 0}));

    scene.ledger.set_synced({});

    EXPECT_EQ(scene.view().balance(), (Balance{1, 0, 50}));
    ASSERT_EQ(scene.view().coins().size(), 2U);
    EXPECT_FALSE(scene.view().coins()[0].spendable) << "a later block may have spent it";
}

TEST(Ledger, UnconfirmedReceiptIsPending) {
    LedgerScene scene;
    scene.mine();
    const auto payment = pay(100);
    EXPECT_TRUE(scene.see(payment, 1'234));

    EXPECT_EQ(scene.view().balance(), (Balance{0, 100, 0}));
    ASSERT_EQ(scene.view().coins().size(), 1U);
    EXPECT_FALSE(scene.view().coins()[0].height);
    EXPECT_FALSE(scene.view().coins()[0].spendable);
    EXPECT_EQ(scene.entry(payment).time, 1'234);
    EXPECT_EQ(scene.entry(payment).confirmations, 0U);
    EXPECT_FALSE(scene.entry(payment).block_hash);

    EXPECT_FALSE(scene.see(payment, 1'300));
    scene.mine({payment});

    EXPECT_EQ(scene.view().balance(), (Balance{100, 0, 0}));
    EXPECT_EQ(scene.entry(payment).height, 2U);
    EXPECT_EQ(scene.entry(payment).block_hash, scene.chain.at(2).block.hash);
    EXPECT_EQ(scene.entry(payment).time, test::SceneChain::time_at(2));
    EXPECT_FALSE(scene.see(payment, 1'400));
}

// With unconfirmed transactions, the total is what will be left after they confirm.
TEST(Ledger, UnconfirmedSpendTakesTheCoinAndPutsItsChangeInPending) {
    LedgerScene scene;
    const auto payment = pay(100);
    scene.mine({payment, pay(7, 2)});
    const auto sent = spend({output_of(payment)},
                            {{30, foreign_script()}, {60, own_script(0, KeyChain::change)}});
    scene.see(sent);

    EXPECT_EQ(scene.view().balance(), (Balance{7, 60, 0, 100}));
    EXPECT_EQ(scene.view().balance().total(), 67);

    const auto onwards = spend({output_of(sent, 1)}, {{50, foreign_script()}});
    scene.see(onwards);

    EXPECT_EQ(scene.view().balance(), (Balance{7, 0, 0, 100}));
    scene.mine({sent, onwards});
    EXPECT_EQ(scene.view().balance(), (Balance{7, 0, 0}));
}

TEST(Ledger, UnconfirmedCoinbaseIsRefused) {
    LedgerScene scene;
    EXPECT_FALSE(scene.see(coinbase(1, {{50, own_script(0)}})));
    EXPECT_TRUE(scene.view().history(0).empty());
}

TEST(Ledger, HistoryIsNewestFirstWithTheUnconfirmedBeforeAll) {
    LedgerScene scene;
    const auto a = pay(1, 1);
    const auto b = pay(2, 2);
    const auto c = pay(3, 3);
    const auto d = pay(4, 4);
    const auto e = pay(5, 5);
    scene.see(d);
    scene.mine({a, b});
    scene.mine({c});
    scene.see(e);

    const std::vector newest_first{e.txid(), d.txid(), c.txid(), b.txid(), a.txid()};
    EXPECT_EQ(scene.order(), newest_first);
    EXPECT_EQ(scene.order(5), newest_first);
    EXPECT_EQ(scene.order(6), newest_first);
    EXPECT_EQ(scene.order(2), (std::vector{e.txid(), d.txid()}));
    EXPECT_EQ(scene.order(1), std::vector{e.txid()});
    EXPECT_EQ(outpoints_of(scene.view().coins()),
              (std::vector{output_of(a), output_of(b), output_of(c), output_of(d), output_of(e)}));
}

// The blocks of a scene are 600 s apart, starting with the genesis block.
TEST(Ledger, HistoryShowsAReplacedTransactionAtItsOwnTime) {
    LedgerScene scene;
    const auto a = pay(1, 1);
    const auto b = pay(2, 2);
    const auto winner = pay(3, 9);
    scene.mine({a});
    const std::int64_t first_block = scene.entry(a).time;
    const auto loser = pay(4, 9);
    scene.see(loser, first_block + 1);
    scene.mine({b});
    scene.mine({winner});

    EXPECT_TRUE(scene.is_conflicted(loser));
    EXPECT_EQ(scene.order(), (std::vector{winner.txid(), b.txid(), loser.txid(), a.txid()}));
    EXPECT_EQ(scene.order(2), (std::vector{winner.txid(), b.txid()}));
    chain::Satoshis sum = 0;
    for (const auto& entry : scene.view().history(0)) sum += entry.net;
    EXPECT_EQ(sum, scene.view().balance().total());
    EXPECT_EQ(scene.entry(loser).received, 4) << "the entry still shows what it would have paid";
}

TEST(Ledger, ReceivedCountsPerKeyWhatWasSpentToo) {
    LedgerScene scene;
    const auto payment = spend({foreign_coin(1)}, {{10, own_script(0)}, {5, own_script(3)}});
    scene.mine({payment});
    scene.mine({spend({output_of(payment)}, {{9, foreign_script()}})});
    scene.see(pay(100, 2));

    const std::map<KeyPath, chain::Satoshis> expected{{{KeyChain::receive, 0}, 110},
                                                      {{KeyChain::receive, 3}, 5}};
    EXPECT_EQ(scene.view().received(), expected);
}

TEST(Ledger, WatchesCoinsUntilTheirSpendIsSettled) {
    LedgerScene scene;
    const auto payment = pay(100);
    scene.mine({payment});
    EXPECT_TRUE(scene.watches(output_of(payment)));
    EXPECT_FALSE(scene.watches(foreign_coin(1)));

    const auto sweep = spend({output_of(payment)}, {{90, foreign_script()}});
    scene.see(sweep);
    EXPECT_TRUE(scene.watches(output_of(payment)));

    scene.mine({sweep});
    scene.mine_empty(chain::kReorganisationReach - 2);
    EXPECT_EQ(scene.entry(sweep).confirmations, 143U);
    EXPECT_TRUE(scene.watches(output_of(payment)));

    scene.mine();
    EXPECT_FALSE(scene.watches(output_of(payment)));
    EXPECT_TRUE(scene.view().watched_outpoints() == chain::WatchedOutpoints{});
}

TEST(Ledger, WatchesTheInputsOfWhatIsUnconfirmed) {
    LedgerScene scene;
    const auto payment = spend({foreign_coin(1), foreign_coin(2)}, {{5, own_script(0)}});
    scene.see(payment);
    std::vector expected{foreign_coin(1), foreign_coin(2), output_of(payment)};
    std::ranges::sort(expected);
    EXPECT_TRUE(scene.view().watched_outpoints() == (chain::WatchedOutpoints{{}, expected}));

    scene.mine({payment});
    EXPECT_TRUE(scene.view().watched_outpoints() ==
                (chain::WatchedOutpoints{{output_of(payment)}, {}}));
}

TEST(Ledger, BlockThatMadeTheListGrowConfirmsBeforeItIsSynced) {
    LedgerScene scene;
    scene.mine();
    const auto payment = pay(100);
    scene.mine({payment});
    scene.ledger.set_synced(scene.chain.at(1).block);

    EXPECT_EQ(scene.entry(payment).confirmations, 1U);
    EXPECT_EQ(scene.view().balance(), (Balance{100, 0, 0}));
}

TEST(Ledger, DetectsADifferentBlockAtAKnownHeight) {
    LedgerScene scene;
    scene.mine({pay(100)});
    chain::BlockRef other = scene.chain.at(1).block;
    EXPECT_FALSE(scene.ledger.blocks().contradict(other));
    other.hash.bytes[0] ^= 1;
    EXPECT_TRUE(scene.ledger.blocks().contradict(other));
    other.height = 2;
    EXPECT_FALSE(scene.ledger.blocks().contradict(other));
}

TEST(Ledger, SumsStopAtTheTypesRange) {
    LedgerScene scene;
    // 4,393 outputs of 21 million bitcoin exceed 64 bits.
    for (std::uint32_t i = 0; i < 4'400; ++i) scene.mine({pay(kMaxMoney, i)});
    EXPECT_EQ(scene.view().balance().confirmed, std::numeric_limits<chain::Satoshis>::max());
    scene.see(pay(kMaxMoney, 5'000));
    EXPECT_EQ(scene.view().balance().total(), std::numeric_limits<chain::Satoshis>::max());
}

TEST(AddAmounts, StaysWithinTheType) {
    using Limits = std::numeric_limits<chain::Satoshis>;
    EXPECT_EQ(add_amounts(Limits::max(), 1), Limits::max());
    EXPECT_EQ(add_amounts(Limits::max() - 1, 1), Limits::max());
    EXPECT_EQ(add_amounts(Limits::max(), -1), Limits::max() - 1);
    EXPECT_EQ(add_amounts(Limits::min(), -1), Limits::min());
    EXPECT_EQ(add_amounts(Limits::min() + 1, -1), Limits::min());
    EXPECT_EQ(add_amounts(-5, 3), -2);
}

struct ImpossibleCase {
    std::string name;
    Transaction transaction;
    bool possible = false;
};

void PrintTo(const ImpossibleCase& c, std::ostream* out) {
    *out << c.name;
}

class Summarize : public testing::TestWithParam<ImpossibleCase> {};

TEST_P(Summarize, TakesOnlyWhatConsensusAllows) {
    const auto& [name, transaction, possible] = GetParam();
    EXPECT_EQ(summarize(transaction, transaction.txid(), {}).has_value(), possible);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Transactions, Summarize, testing::ValuesIn(std::vector<ImpossibleCase>{
    {"Zero",            spend({foreign_coin(1)}, {{0, own_script(0)}}), true},
    {"Negative",        spend({foreign_coin(1)}, {{-1, own_script(0)}})},
    {"AllMoney",        spend({foreign_coin(1)}, {{kMaxMoney, own_script(0)}}), true},
    {"MoreThanAll",     spend({foreign_coin(1)}, {{kMaxMoney + 1, own_script(0)}})},
    {"SumAllMoney",     spend({foreign_coin(1)}, {{kMaxMoney - 1, own_script(0)}, {1, {}}}), true},
    {"SumMoreThanAll",  spend({foreign_coin(1)}, {{kMaxMoney, own_script(0)}, {1, {}}})},
    {"SumOverflows",    spend({foreign_coin(1)}, std::vector<test::Payment>(4'400, {kMaxMoney, {}}))},
    {"NoOutputs",       spend({foreign_coin(1)}, {})},
    {"NoInputs",        spend({}, {{1, own_script(0)}})},
    {"InputTwice",      spend({foreign_coin(1), foreign_coin(2), foreign_coin(1)}, {{1, own_script(0)}})},
    {"TwoInputs",       spend({foreign_coin(1), foreign_coin(2)}, {{1, own_script(0)}}), true},
    {"Coinbase",        coinbase(1, {{1, own_script(0)}}), true},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(Ledger, RestoresOnlyWhatAgrees) {
    Ledger ledger;
    const auto payment = pay(100);
    auto transaction = *summarize(payment, payment.txid(), test::credits_in(payment));
    transaction.placement = Placement{7, 1};
    transaction.seen_order = 5;
    EXPECT_FALSE(ledger.restore(transaction)) << "its block is not in the ledger";

    const LedgerBlock block{{7, {}}, 1'000};
    EXPECT_TRUE(ledger.restore(block));
    EXPECT_FALSE(ledger.restore(block)) << "the block is restored already";
    EXPECT_TRUE(ledger.restore(transaction));
    EXPECT_FALSE(ledger.restore(transaction)) << "the transaction is restored already";

    const auto other = pay(1, 2);
    auto second = *summarize(other, other.txid(), test::credits_in(other));
    EXPECT_FALSE(ledger.restore(second)) << "it has no order";
    second.seen_order = 5;
    EXPECT_FALSE(ledger.restore(second)) << "another transaction has this order";
    second.seen_order = 6;
    second.announced = true;
    EXPECT_FALSE(ledger.restore(second)) << "what the user broadcast was shown";
    second.shown = true;
    second.awaits_search = true;
    EXPECT_FALSE(ledger.restore(second)) << "no block confirms it";
    second.awaits_search = false;
    EXPECT_TRUE(ledger.restore(second));

    ledger.set_synced(block.ref);
    EXPECT_EQ(LedgerView(ledger).balance(), (Balance{100, 1, 0}));
    const auto third = pay(2, 3);
    EXPECT_EQ(ledger.see(*summarize(third, third.txid(), {}))->seen_order, 7U);
}

}  // namespace
}  // namespace petal::wallet
