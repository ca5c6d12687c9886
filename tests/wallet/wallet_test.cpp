// The wallet as the sync engine and the command line see it.
#include "wallet/wallet.h"

#include <gtest/gtest.h>

#include "chain/script/script.h"
#include "tests/wallet/wallet_fixture.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::Transaction;
using test::all_of;
using test::expect_equal;
using test::foreign_coin;
using test::foreign_script;
using test::output_of;
using test::spend;
using Kind = WalletError::Kind;

class WalletTest : public test::WalletFixture {};

TEST_F(WalletTest, StartsWithNothingSynced) {
    EXPECT_FALSE(wallet->sync_state().synced);
    EXPECT_TRUE(wallet->sync_state().sync_checkpoint.empty());
    EXPECT_EQ(wallet->balance(), Balance{});
    EXPECT_EQ(wallet->watched_elements(0).size(), 100U);
    EXPECT_TRUE(wallet->watched_outpoints().confirmed.empty());
    reopen();
}

TEST_F(WalletTest, WatchesTheDataThatItsScriptsPush) {
    const auto elements = wallet->watched_elements(0);
    ASSERT_EQ(elements.size(), 100U);
    const Bytes receive = script(3);
    const Bytes change = script(0, KeyChain::change);
    EXPECT_EQ(elements[3], Bytes(receive.begin() + 2, receive.end()));
    EXPECT_EQ(elements[50], Bytes(change.begin() + 2, change.end()));
}

TEST_F(WalletTest, StoresWhatItApplies) {
    const auto payment = pay(1'000, 3);
    const auto sent =
        spend({output_of(payment)}, {{300, foreign_script()}, {650, script(0, KeyChain::change)}});
    mine({payment});
    mine();
    mine({sent, pay(70, 4, 1)});
    test::see(*wallet, pay(5, 5, 2), 1'234);

    EXPECT_EQ(wallet->balance(), (Balance{720, 5, 0}));
    EXPECT_EQ(wallet->sync_state().synced, chain.tip());
    ASSERT_EQ(wallet->coins().size(), 3U);
    EXPECT_EQ(wallet->coins()[0].script_pubkey, script(0, KeyChain::change));
    EXPECT_EQ(wallet->transaction(sent.txid())->fee, 50);
    EXPECT_FALSE(wallet->transaction({}));
    EXPECT_EQ(wallet->history(2).size(), 2U);
    reopen();
}

TEST_F(WalletTest, OwnsOutputsOnlyByTheWholeScript) {
    const Bytes own = script(0);
    chain::Hash160 key_hash{};
    std::copy(own.begin() + 2, own.end(), key_hash.begin());
    const auto result = apply(chain.mine({spend(
        {foreign_coin(0)},
        {{10, chain::p2pkh_script(key_hash)}, {20, chain::p2sh_script(key_hash)}, {30, {}}})}));

    EXPECT_EQ(result.relevant, 0U);
    EXPECT_EQ(wallet->balance(), Balance{});
    EXPECT_EQ(apply(chain.mine({spend({foreign_coin(0)}, {{40, own}})})).relevant, 1U);
    EXPECT_EQ(wallet->balance().confirmed, 40);
}

TEST_F(WalletTest, KeepsNothingOfFalsePositives) {
    const auto orphan = spend({foreign_coin(0)}, {{10, foreign_script()}});
    mine({orphan, pay(1)});
    EXPECT_EQ(ask("SELECT count(*) FROM tx"), 1);
    mine({orphan});
    EXPECT_EQ(ask("SELECT count(*) FROM tx"), 1);
    EXPECT_EQ(ask("SELECT count(*) FROM block"), 1) << "an empty block is not stored";
}

// Otherwise, the time that this takes would tell a peer which unconfirmed transactions are the
// wallet's.
TEST_F(WalletTest, StoresTheStateWithUnconfirmedFalsePositivesToo) {
    const auto orphan = spend({foreign_coin(0)}, {{10, foreign_script()}});
    const chain::UnconfirmedTransaction seen{orphan.txid(), orphan, 1};
    const chain::SyncState state{chain.tip(), {7, 7}};
    EXPECT_FALSE(wallet->apply_unconfirmed({&seen, 1}, state));
    EXPECT_EQ(wallet->sync_state().sync_checkpoint, state.sync_checkpoint);
    EXPECT_EQ(ask("SELECT count(*) FROM tx"), 0);

    SQLite::Database other(file.string(), SQLite::OPEN_READWRITE);
    other.exec("BEGIN IMMEDIATE");
    EXPECT_EQ(test::error_of([&] { return test::see(*wallet, orphan, 1); }), Kind::locked_by_other);

    other.exec("ROLLBACK");
    test::see(*wallet, pay(1), 1);
    EXPECT_EQ(wallet->balance().pending, 1);
}

TEST_F(WalletTest, RefusesImpossibleTransactions) {
    const auto impossible = spend({foreign_coin(0)}, {{chain::kMaxMoney + 1, script(0)}});
    EXPECT_EQ(apply(chain.mine({impossible, pay(3)})).relevant, 1U);
    EXPECT_FALSE(test::see(*wallet, spend({foreign_coin(1)}, {{-1, script(0)}}), 1));

    EXPECT_EQ(wallet->balance(), (Balance{3, 0, 0}));
    EXPECT_EQ(wallet->history(0).size(), 1U);
}

TEST_F(WalletTest, BlockThatComesAgainChangesNothing) {
    mine({pay(10)});
    mine({pay(20, 1, 1)});
    mine();
    const auto before = all_of(*wallet);

    const auto state = wallet->sync_state();
    const auto again = wallet->apply({chain.blocks().data() + 1, 1}, state);
    EXPECT_EQ(again.applied, 1U);
    EXPECT_FALSE(again.grew);
    EXPECT_EQ(again.relevant, 1U);
    wallet->apply(chain.blocks(), state);

    expect_equal(all_of(*wallet), before);
}

TEST_F(WalletTest, CheckpointIsStoredWithEachBatch) {
    const Bytes memory{1, 2, 3};
    apply(chain.mine(), memory);
    EXPECT_EQ(wallet->sync_state().sync_checkpoint, memory);
    reopen();
    EXPECT_EQ(wallet->apply({}, {chain.tip(), Bytes{4}}).applied, 0U);
    EXPECT_EQ(wallet->sync_state().sync_checkpoint, Bytes{4});
    EXPECT_EQ(wallet->sync_state().synced, chain.tip());
    apply(chain.mine(), {});
    EXPECT_TRUE(wallet->sync_state().sync_checkpoint.empty());
}

TEST_F(WalletTest, StopsAfterTheBlockThatMakesTheListGrow) {
    const Bytes before{6};
    apply(chain.mine(), before);
    chain.mine({pay(1, 29)});
    chain.mine({pay(2, 30, 1)});  // 31 + 20 addresses exceed 50
    chain.mine({pay(4, 0, 2)});
    const Bytes memory{7};

    const auto result = wallet->apply(chain.blocks(), {chain.tip(), memory});

    EXPECT_EQ(result.applied, 3U);
    EXPECT_TRUE(result.grew);
    EXPECT_EQ(result.relevant, 2U);
    EXPECT_EQ(wallet->sync_state().synced, chain.at(1).block);
    EXPECT_EQ(wallet->sync_state().sync_checkpoint, before);
    EXPECT_EQ(wallet->watched_elements(0).size(), 150U);
    EXPECT_EQ(wallet->balance().confirmed, 3);
    reopen();

    const auto rest = wallet->apply({chain.blocks().data() + 1, 3}, {chain.tip(), memory});
    EXPECT_EQ(rest.applied, 3U);
    EXPECT_FALSE(rest.grew);
    EXPECT_EQ(wallet->sync_state().sync_checkpoint, memory);
    EXPECT_EQ(wallet->sync_state().synced, chain.tip());
    EXPECT_EQ(wallet->balance().confirmed, 7);
}

TEST_F(WalletTest, FirstBlockOfAllThatMakesTheListGrowLeavesNothingSynced) {
    EXPECT_TRUE(apply(chain.mine({pay(1, 45)})).grew);
    EXPECT_FALSE(wallet->sync_state().synced);
    EXPECT_EQ(wallet->balance().confirmed, 1);
}

TEST_F(WalletTest, AppliesRescannedBlocksBelowTheSyncedOne) {
    const auto coin = pay(10);
    mine({coin});
    const chain::ProvenBlock missed =
        chain.mine({spend({{coin.txid(), 0}}, {{9, chain::Bytes{0x51}}})});
    chain::ProvenBlock incomplete = missed;
    incomplete.transactions.clear();
    apply(incomplete);
    mine();
    EXPECT_EQ(wallet->balance(), (Balance{10, 0, 0}));

    EXPECT_EQ(apply(missed).relevant, 1U);
    EXPECT_EQ(wallet->balance(), Balance{});
    EXPECT_EQ(wallet->sync_state().synced, chain.tip());
    reopen();
}

TEST_F(WalletTest, FindsMorePaymentsInOneBlockThanTheGapLimit) {
    std::vector<Transaction> payments;
    for (std::uint32_t index = 0; index < 140; ++index) {
        payments.push_back(pay(1, (index * 37) % 140, index));
    }
    mine(payments);

    EXPECT_EQ(wallet->balance().confirmed, 140);
    EXPECT_EQ(wallet->watched_elements(0).size(), 250U);
    reopen();
}

TEST_F(WalletTest, FindsFurtherOutputsOfKnownTransactionsWhenTheListGrows) {
    const auto payment = spend({foreign_coin(0)}, {{1, script(0)}, {10, script(60)}});
    const auto sent = spend({output_of(payment, 1)}, {{5, script(1)}});
    mine({payment});
    mine({sent});
    EXPECT_EQ(wallet->balance().confirmed, 6);

    mine({pay(100, 31, 1)});

    EXPECT_EQ(wallet->balance().confirmed, 106);
    EXPECT_EQ(wallet->transaction(sent.txid())->sent, 10);
    EXPECT_TRUE(wallet->addresses(KeyChain::receive, 0)[60].used);
    reopen();
}

// The filters did not contain the outpoint of the other output, so a block may hide its spend.
TEST_F(WalletTest, BlocksSinceFurtherOutputsOfKnownTransactionsCountAsNotSearched) {
    mine({pay(1, 0, 5)});
    mine({spend({foreign_coin(0)}, {{1, script(0)}, {10, script(60)}})});
    mine();
    apply(chain.mine({pay(100, 31, 1)}));
    EXPECT_EQ(wallet->sync_state().synced, chain.at(1).block);
    EXPECT_EQ(wallet->balance(), (Balance{1, 111, 0})) << "it may be spent already";
    wallet->apply({}, {chain.tip(), {}});
    EXPECT_EQ(wallet->sync_state().synced, chain.at(1).block);

    EXPECT_EQ(wallet->take_unsearched_from(), 2U);
    EXPECT_FALSE(wallet->take_unsearched_from());
    wallet->apply({}, {chain.tip(), {}});
    EXPECT_EQ(wallet->sync_state().synced, chain.tip());
}

// A low block that is searched again makes the list grow. The given state does not know this and
// must not be stored.
TEST_F(WalletTest, IsSyncedNoFurtherThanBelowABlockThatMakesTheListGrow) {
    for (int i = 0; i < 4; ++i) mine();
    const chain::ProvenBlock& low = chain.at(3);
    chain::ProvenBlock more = low;
    more.transactions.push_back({1, pay(1, 40).txid(), pay(1, 40)});
    EXPECT_TRUE(wallet->apply({&more, 1}, {chain.tip(), {}}).grew);
    EXPECT_EQ(wallet->sync_state().synced, chain.at(2).block);
    more.transactions.front() = {2, pay(1, 90, 1).txid(), pay(1, 90, 1)};
    EXPECT_TRUE(wallet->apply({&more, 1}, {chain.at(1).block, {}}).grew);
    EXPECT_EQ(wallet->sync_state().synced, chain.at(1).block);
}

TEST_F(WalletTest, OrderOfTheWatchListStaysWhenItGrows) {
    auto before = wallet->watched_elements(0);
    const auto grow = [&](std::uint32_t index, KeyChain key_chain) {
        mine({spend({foreign_coin(index)}, {{1, script(index, key_chain)}})});
        const auto after = wallet->watched_elements(0);
        ASSERT_EQ(after.size(), before.size() + 50);
        EXPECT_TRUE(std::equal(before.begin(), before.end(), after.begin()));
        before = after;
        reopen();
    };
    grow(40, KeyChain::receive);
    grow(90, KeyChain::receive);
    grow(45, KeyChain::change);
    grow(140, KeyChain::receive);

    for (const std::size_t first : {1U, 99U, 100U, 101U, 175U, 299U, 300U, 301U}) {
        const std::size_t skipped = std::min(first, before.size());
        const std::vector rest(before.begin() + static_cast<std::ptrdiff_t>(skipped), before.end());
        EXPECT_EQ(wallet->watched_elements(first), rest) << first;
    }
}

TEST_F(WalletTest, BlockThatMadeTheListGrowIsReplacedByAnother) {
    chain.mine();
    const auto payment = pay(5, 40);
    chain.mine({payment});
    EXPECT_TRUE(wallet->apply(chain.blocks(), {chain.tip(), {}}).grew);
    // Nothing was synced above the fork, so the engine has nothing to undo.
    chain.cut(1);
    apply(chain.mine());

    EXPECT_EQ(wallet->balance(), Balance{});
    EXPECT_TRUE(wallet->transaction(payment.txid())->undone);
    EXPECT_EQ(wallet->sync_state().synced, chain.tip());
    reopen();
    mine({payment});
    EXPECT_EQ(wallet->balance(), (Balance{5, 0, 0}));
}

TEST_F(WalletTest, UndoMakesUnconfirmedAndMovesTheSyncState) {
    const auto kept = pay(1);
    const auto dropped = pay(100, 1, 1);
    const auto other = pay(10, 1, 2);
    mine({kept});
    mine();
    mine({dropped});
    test::see(*wallet, other, 1);
    mine({other});
    apply(chain.mine(), Bytes{9});
    wallet->undo_to(chain.cut(2));

    EXPECT_EQ(wallet->sync_state().synced, chain.tip());
    EXPECT_EQ(wallet->sync_state().sync_checkpoint, Bytes{9});
    EXPECT_EQ(wallet->balance(), (Balance{1, 10, 0}));
    reopen();

    EXPECT_TRUE(wallet->transaction(dropped.txid())->undone);
    mine({dropped, other});
    EXPECT_EQ(wallet->balance(), (Balance{111, 0, 0}));
    EXPECT_EQ(wallet->transaction(dropped.txid())->height, 3U);
    reopen();
}

TEST_F(WalletTest, UndoAboveWhatIsSyncedChangesNothing) {
    mine({pay(1)});
    const auto before = all_of(*wallet);
    wallet->undo_to({5, {}});
    wallet->undo_to(chain.tip());
    expect_equal(all_of(*wallet), before);
}

TEST_F(WalletTest, UndoBeforeTheFirstSyncChangesNothing) {
    wallet->undo_to({0, {}});
    EXPECT_FALSE(wallet->sync_state().synced);
}

using WalletDeathTest = WalletTest;

TEST_F(WalletDeathTest, BlocksMustBeConnectedInOrderOfHeight) {
    for (int i = 0; i < 4; ++i) chain.mine();
    const chain::SyncState state{chain.tip(), {}};
    const std::vector backwards{chain.at(3), chain.at(2)};
    EXPECT_DEATH(wallet->apply(backwards, state), "height");
    std::vector unfitting{chain.at(2), chain.at(3)};
    unfitting[1].header.previous.bytes[0] ^= 1;
    EXPECT_DEATH(wallet->apply(unfitting, state), "previous");
}

TEST_F(WalletTest, UnconfirmedPaymentMayMakeTheListGrow) {
    EXPECT_FALSE(test::see(*wallet, pay(1, 29), 1));
    EXPECT_TRUE(test::see(*wallet, pay(2, 30, 1), 2));
    EXPECT_EQ(wallet->watched_elements(0).size(), 150U);
    EXPECT_FALSE(test::see(*wallet, pay(2, 30, 1), 3));
    reopen();
}

TEST_F(WalletTest, UnconfirmedSpendMayComeBeforeWhatItSpends) {
    const auto funding = pay(100);
    const std::vector sources{funding, pay(7, 3, 5)};
    const auto sweep = test::sign(spend({output_of(funding)}, {{90, foreign_script()}}), sources);
    const auto another =
        test::sign(spend({output_of(sources[1])}, {{6, foreign_script()}}), sources);
    test::see(*wallet, sweep, 1'111);
    test::see(*wallet, another, 1'112);
    EXPECT_TRUE(wallet->history(0).empty());

    test::see(*wallet, funding, 1'113);

    EXPECT_EQ(wallet->balance(), Balance{});
    EXPECT_EQ(wallet->transaction(sweep.txid())->time, 1'111);
    EXPECT_EQ(wallet->transaction(sweep.txid())->sent, 100);
    // The spent transaction may also come in a block.
    mine({pay(7, 3, 5)});
    EXPECT_EQ(wallet->balance(), (Balance{0, 0, 0, 7}));
    EXPECT_EQ(wallet->transaction(another.txid())->sent, 7);
    reopen();
}

TEST_F(WalletTest, ConflictsSurviveReopening) {
    constexpr std::int64_t kSeen = 1'600'010'000;
    test::see(*wallet, pay(10, 0, 1), kSeen);
    test::see(*wallet, pay(20, 1, 1), kSeen);
    test::see(*wallet, pay(10, 0, 1), kSeen);
    EXPECT_EQ(wallet->balance().pending, 10);
    mine({pay(5, 2, 1)});
    reopen();
    wallet->undo_to(chain.cut(0));
    EXPECT_EQ(wallet->balance(), (Balance{0, 10, 0}));
    reopen();
}

TEST_F(WalletTest, RescanCountsNothingAsSearched) {
    mine({pay(10, 0)});
    const auto before = wallet->sync_state();
    EXPECT_EQ(wallet->balance().confirmed, 10);
    wallet->rescan({7, 0});
    EXPECT_EQ(wallet->birthday().height, 7U);
    EXPECT_EQ(wallet->balance().confirmed, 0);
    EXPECT_EQ(wallet->balance().pending, 10);
    EXPECT_EQ(wallet->history(0).at(0).height, 1U) << "a proof stays valid";
    EXPECT_FALSE(wallet->sync_state().synced);
    EXPECT_EQ(wallet->sync_state().sync_checkpoint, before.sync_checkpoint);
    reopen();
    EXPECT_EQ(wallet->birthday().height, 7U);
    EXPECT_EQ(wallet->info().synced, std::nullopt);
    EXPECT_EQ(wallet->balance().confirmed, 0);
}

TEST_F(WalletTest, IsRenamedWithAllThatItHolds) {
    mine({pay(10, 0)});
    const auto whole = test::all_of(*wallet);
    const auto other = folder.path() / "other.sqlite";
    EXPECT_EQ(test::error_of([&] { return Wallet::rename(file, other), 0; }),
              WalletError::Kind::locked_by_other);
    wallet.reset();
    Wallet::rename(file, other);
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".lock"));
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".sync-lock"));
    EXPECT_FALSE(std::filesystem::exists(file));
    test::expect_equal(test::all_of(Wallet::open(other, test::regtest_params(), Access::read)),
                       whole);
    Wallet::create(file, test::regtest_params(), test::new_wallet());
    EXPECT_EQ(test::error_of([&] { return Wallet::rename(other, file), 0; }),
              WalletError::Kind::exists);
    Wallet::remove(other);
    EXPECT_FALSE(std::filesystem::exists(other));
    EXPECT_EQ(
        test::error_of([&] { return Wallet::open(other, test::regtest_params(), Access::read); }),
        WalletError::Kind::missing);
    EXPECT_EQ(test::error_of([&] { return Wallet::rename(other, file), 0; }),
              WalletError::Kind::missing);
    EXPECT_FALSE(std::filesystem::exists(other.string() + ".lock"));
}

TEST_F(WalletTest, ReaderSeesWhatIsStoredWhileAnotherSyncs) {
    mine({pay(10)});
    const auto reader = Wallet::open(file, test::regtest_params(), Access::read);
    expect_equal(all_of(reader), all_of(*wallet));
    mine({pay(20, 1, 1)});

    EXPECT_EQ(reader.balance().confirmed, 10);
    EXPECT_EQ(Wallet::open(file, test::regtest_params(), Access::read).balance().confirmed, 30);
}

}  // namespace
}  // namespace petal::wallet
