// Exchanging labels with other wallets (BIP329).
#include "wallet/label_exchange.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/address.h"

namespace petal::wallet {
namespace {

using test::error_of;
using test::regtest_params;

// The origin of test::kMnemonic, BIP84's example, on a test network.
constexpr const char* kOwnOrigin = "wpkh([73c5da0a/84'/1'/0'])";
constexpr const char* kOtherOrigin = "wpkh([73c5da0a/84'/1'/1'])";

LabelRecord record(std::string type, std::string ref, std::optional<std::string> label) {
    return {std::move(type), std::move(ref), std::move(label), {}, {}, {}};
}

bool before(const LabelRecord& a, const LabelRecord& b) {
    return std::tie(a.type, a.ref, a.origin, a.label) < std::tie(b.type, b.ref, b.origin, b.label);
}

class LabelExchangeTest : public test::WalletFixture {
protected:
    LabelExchangeTest() { mine({payment}); }

    std::string address(std::uint32_t index) const {
        return address_of(script(index), regtest_params());
    }
    LabelImport import(const std::vector<LabelRecord>& records) {
        return LabelExchange(*wallet).import(records);
    }
    std::vector<LabelRecord> exported() {
        auto records = LabelExchange(*wallet).export_all();
        std::ranges::sort(records, before);
        return records;
    }

    const chain::Transaction payment = pay(10);
    const std::string txid = payment.txid().to_hex();
    const std::string output = txid + ":0";
};

TEST_F(LabelExchangeTest, CountsAddressesOfAnotherNetwork) {
    const std::vector<LabelRecord> records{
        record("addr", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "of mainnet"),
        record("addr", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "of mainnet, too"),
        record("addr", address(0), "own"), record("addr", "no address", "x"),
        record("tx", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "no transaction")};
    const LabelImport result = import(records);
    EXPECT_EQ(result.foreign, 2U);
    EXPECT_EQ(result.kept, 4U);
    EXPECT_EQ(result.own, 1U);
}

TEST_F(LabelExchangeTest, ExportsImportedRecordsUnchanged) {
    std::vector<LabelRecord> records{
        record("tx", txid, "Rent"),
        {"output", output, "Coin", kOwnOrigin, false, R"({"value":10})"},
        record("addr", address(0), "Landlord"),
        record("addr", address(90), ""),
        record("addr", "1BoatSLRHtKNngkdXEeobR76b53LETtpyT", "of another network"),
        record("tx", std::string(64, 'f'), "not known"),
        {"tx", txid, "Another's", kOtherOrigin, {}, {}},
        {"input", output, std::nullopt, {}, {}, R"({"fmv":{"USD":1.5}})"},
        record("pubkey", std::string(66, '2'), "Key"),
        record("xpub", std::string(111, 'x'), "Account"),
        record("spscan", "a type of tomorrow", "kept"),
    };
    const LabelImport result = import(records);
    EXPECT_EQ(result.own, 3U);
    EXPECT_EQ(result.kept, 8U);

    std::ranges::sort(records, before);
    EXPECT_TRUE(exported() == records);
    reopen();
    EXPECT_TRUE(exported() == records);
    import(records);
    EXPECT_TRUE(exported() == records) << "exporting again gives the same records";
}

TEST_F(LabelExchangeTest, LabelsOfTheWalletAreShown) {
    import({record("tx", txid, "Rent"), record("addr", address(5), "Next")});
    EXPECT_EQ(wallet->history(0).front().label, "Rent");
    EXPECT_EQ(wallet->address(script(5))->label, "Next");
    EXPECT_TRUE(wallet->address(script(5))->handed_out);
    wallet->set_label(payment.txid(), "Rent, May");
    EXPECT_EQ(exported().back().label, "Rent, May");
}

// A restored wallet has no transactions yet.
TEST_F(LabelExchangeTest, LabelsOfUnknownTransactionsAreShownOnceKnown) {
    const auto later = pay(20, 1, 1);
    EXPECT_EQ(import({record("tx", later.txid().to_hex(), "Later")}).own, 0U);
    mine({later});
    EXPECT_EQ(wallet->history(0).front().label, "Later");
}

struct OriginCase {
    std::string name;
    std::string origin;
    bool counts = false;
};

void PrintTo(const OriginCase& c, std::ostream* out) {
    *out << c.name;
}

class LabelOrigin : public LabelExchangeTest, public testing::WithParamInterface<OriginCase> {};

TEST_P(LabelOrigin, DecidesWhoseALabelIs) {
    const LabelRecord labelled{"tx", txid, "Rent", GetParam().origin, {}, {}};
    EXPECT_EQ(import({labelled}).own, GetParam().counts ? 1U : 0U);
    EXPECT_EQ(wallet->history(0).front().label, GetParam().counts ? "Rent" : "");
    EXPECT_EQ(exported(), std::vector{labelled});
}

INSTANTIATE_TEST_SUITE_P(Forms, LabelOrigin,
                         testing::Values(OriginCase{"Own", kOwnOrigin, true},
                                         OriginCase{"OwnWithH", "wpkh([73c5da0a/84h/1h/0h])", true},
                                         OriginCase{"OwnInCapitals", "wpkh([73C5DA0A/84'/1'/0'])",
                                                    true},
                                         OriginCase{"OtherAccount", kOtherOrigin},
                                         OriginCase{"OtherType", "pkh([73c5da0a/84'/1'/0'])"},
                                         OriginCase{"OtherKey", "wpkh([73c5da0b/84'/1'/0'])"},
                                         OriginCase{"NoDescriptor", "my old wallet"}),
                         [](const auto& row) { return row.param.name; });

TEST_F(LabelExchangeTest, WhatARecordLacksStaysAsItWas) {
    import({{ "output", output, "Coin", {}, false, R"({"a":1})" }});
    import({{ "output", output, std::nullopt, {}, {}, R"({"b":2})" }});
    EXPECT_EQ(exported(),
              (std::vector<LabelRecord>{{"output", output, "Coin", {}, false, R"({"b":2})"}}));
    import({{ "output", output, "Other", {}, true, {} }});
    EXPECT_EQ(exported(),
              (std::vector<LabelRecord>{{"output", output, "Other", {}, true, R"({"b":2})"}}));
}

TEST_F(LabelExchangeTest, WhatAnotherWalletsRecordLacksStaysAsItWas) {
    import({{ "tx", txid, "Another's", kOtherOrigin, {}, {} }});
    import({{ "tx", txid, std::nullopt, kOtherOrigin, {}, R"({"a":1})" }});
    EXPECT_EQ(
        exported(),
        (std::vector<LabelRecord>{{"tx", txid, "Another's", kOtherOrigin, {}, R"({"a":1})"}}));
}

TEST_F(LabelExchangeTest, OutputThatIsNotSpendableIsFrozen) {
    ASSERT_TRUE(wallet->coins().at(0).spendable);
    import({{ "output", output, std::nullopt, {}, false, {} }});
    EXPECT_TRUE(wallet->coins().at(0).frozen);
    EXPECT_FALSE(wallet->coins().at(0).spendable);
    EXPECT_EQ(wallet->balance().confirmed, 10);
    import({{ "output", output, std::nullopt, kOtherOrigin, true, {} }});
    EXPECT_TRUE(wallet->coins().at(0).frozen) << "the record is of another wallet";
    import({{ "output", output, std::nullopt, {}, true, {} }});
    EXPECT_FALSE(wallet->coins().at(0).frozen);
    EXPECT_TRUE(wallet->coins().at(0).spendable);
    import({{ "output", output, std::nullopt, kOtherOrigin, false, {} }});
    EXPECT_FALSE(wallet->coins().at(0).frozen) << "the record is of another wallet";
}

TEST_F(LabelExchangeTest, CountsCoinsThatItFreezesAndUnfreezes) {
    using Counts = std::pair<std::size_t, std::size_t>;
    const auto count = [&](const LabelRecord& one) {
        const LabelImport result = import({one});
        return Counts{result.frozen, result.unfrozen};
    };
    EXPECT_EQ(count({"output", output, {}, {}, true, {}}), (Counts{0, 0}));
    EXPECT_EQ(count({"output", output, {}, {}, false, {}}), (Counts{1, 0}));
    EXPECT_EQ(count({"output", output, {}, {}, false, {}}), (Counts{0, 0}));
    EXPECT_EQ(count({"output", output, {}, kOtherOrigin, true, {}}), (Counts{0, 0}));
    EXPECT_EQ(count({"output", output, {}, {}, true, {}}), (Counts{0, 1}));
}

TEST_F(LabelExchangeTest, BalanceHasTheFrozenPart) {
    mine({pay(20, 1, 1)});
    EXPECT_EQ(wallet->balance().frozen, 0);
    import({{ "output", output, std::nullopt, {}, false, {} }});
    EXPECT_EQ(wallet->balance().frozen, 10);
    EXPECT_EQ(wallet->balance().total(), 30);
}

NewWallet of_any_type() {
    NewWallet made = test::new_wallet();
    made.any_type = true;
    return made;
}

class LabelsOfAnyType : public test::WalletFixture {
protected:
    LabelsOfAnyType() : test::WalletFixture(of_any_type()) {}
};

// A type is shown once one of its addresses was used, which happens here after the import.
TEST_F(LabelsOfAnyType, OutputOfATypeThatIsNotShownIsFrozen) {
    const auto payment = test::spend({test::foreign_coin(1)}, {{10, wallet->script_at({2, 0})}});
    ASSERT_EQ(wallet->info().types, std::vector{ScriptKind::wpkh});
    const std::vector<LabelRecord> records{{"output",
                                            test::output_of(payment).to_string(),
                                            "Coin",
                                            "tr([73c5da0a/86'/1'/0'])",
                                            false,
                                            {}}};
    LabelExchange(*wallet).import(records);
    mine({payment});
    EXPECT_EQ(wallet->info().types, std::vector{ScriptKind::tr});
    EXPECT_EQ(wallet->coins().at(0).label, "Coin");
    EXPECT_TRUE(wallet->coins().at(0).frozen);
    EXPECT_FALSE(wallet->coins().at(0).spendable);
}

TEST_F(LabelExchangeTest, LastRecordDecidesWhateverItsOrigin) {
    const auto spendable = [&](std::optional<std::string> origin, std::optional<bool> value) {
        import({{ "output", output, "Coin", std::move(origin), value, {} }});
        return wallet->coins().at(0).spendable;
    };
    EXPECT_FALSE(spendable(std::nullopt, false));
    EXPECT_TRUE(spendable(kOwnOrigin, true));
    EXPECT_FALSE(spendable(kOwnOrigin, false));
    EXPECT_TRUE(spendable(std::nullopt, true));
    EXPECT_TRUE(spendable(kOwnOrigin, std::nullopt))
        << "a record without this field changes nothing";
    EXPECT_TRUE(spendable(kOtherOrigin, false)) << "the record is of another wallet";
    reopen();
    for (const LabelRecord& stored : exported()) {
        EXPECT_EQ(stored.spendable, stored.origin != kOtherOrigin);
    }
}

TEST_F(LabelExchangeTest, AddressInCapitalsIsTheSame) {
    std::string capitals = address(3);
    std::ranges::transform(capitals, capitals.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
    EXPECT_EQ(import({record("addr", capitals, "Shouted")}).own, 1U);
    EXPECT_EQ(wallet->address(script(3))->label, "Shouted");
}

TEST_F(LabelExchangeTest, OutputInCapitalsIsTheSame) {
    std::string capitals = txid;
    std::ranges::transform(capitals, capitals.begin(),
                           [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
    LabelRecord frozen = record("output", capitals + ":0", {});
    frozen.spendable = false;
    EXPECT_EQ(import({frozen}).own, 1U);
    EXPECT_TRUE(wallet->coins().at(0).frozen);
}

TEST_F(LabelExchangeTest, RecordsAreStoredAllOrNone) {
    import({record("tx", txid, "Before")});
    execute(
        "CREATE TRIGGER refuse BEFORE INSERT ON label_record"
        " BEGIN SELECT RAISE(ABORT, 'refused'); END");
    EXPECT_TRUE(error_of([&] {
        return import(
            {record("tx", txid, "After"), LabelRecord{"output", output, "Coin", {}, false, {}}});
    }));
    execute("DROP TRIGGER refuse");
    EXPECT_EQ(exported(), std::vector{record("tx", txid, "Before")});
}

TEST_F(LabelExchangeTest, FileOfAnEarlierVersionHasLabelsAlone) {
    wallet->set_label(payment.txid(), "Rent");
    wallet.reset();
    execute(test::kToFourthVersion);
    wallet.emplace(Wallet::open(file, regtest_params(), Access::read));
    EXPECT_EQ(exported(), std::vector{record("tx", txid, "Rent")});
    EXPECT_FALSE(wallet->coins().at(0).frozen);
    wallet.reset();
    wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
    EXPECT_EQ(exported(), std::vector{record("tx", txid, "Rent")});
    EXPECT_EQ(import({{"output", output, "Coin", {}, false, {}}}).own, 1U);
}

using Outpoints = std::vector<chain::Outpoint>;

class FrozenCoins : public test::WalletFixture {
protected:
    FrozenCoins() { mine({first, second}); }

    chain::Expected<Outpoints, chain::Outpoint> set(const Outpoints& coins, bool is_frozen) {
        return LabelExchange(*wallet).set_frozen(coins, is_frozen);
    }

    const chain::Transaction first = pay(10);
    const chain::Transaction second = pay(20, 1, 1);
    const chain::Outpoint coin = test::output_of(first);
    const chain::Outpoint other = test::output_of(second);
};

TEST_F(FrozenCoins, FreezesACoinUntilItIsUnfrozen) {
    EXPECT_EQ(*set({coin}, true), Outpoints{coin});
    EXPECT_EQ(wallet->balance().frozen, 10);
    EXPECT_EQ(wallet->spendable_coins().coins.size(), 1U);
    EXPECT_EQ(wallet->spendable_coins().frozen, 10);
    reopen();
    EXPECT_EQ(wallet->balance().frozen, 10);
    EXPECT_EQ(*set({coin, other}, true), Outpoints{other}) << "the first is frozen already";
    EXPECT_EQ(*set({coin, other}, false), (Outpoints{coin, other}));
    EXPECT_EQ(wallet->balance().frozen, 0);
    EXPECT_EQ(*set({coin}, false), Outpoints{});
}

TEST_F(FrozenCoins, ChangesNothingIfACoinIsNotTheWallets) {
    const chain::Outpoint foreign{first.txid(), 7};
    EXPECT_EQ(set({coin, foreign}, true).error(), foreign);
    EXPECT_EQ(wallet->balance().frozen, 0);
    EXPECT_EQ(set({foreign}, false).error(), foreign);
}

// Labels may be imported before the first sync.
TEST_F(FrozenCoins, UnfreezesACoinThatTheWalletDoesNotKnowYet) {
    const chain::Outpoint later{chain::Txid{{7}}, 0};
    LabelExchange(*wallet).import(
        std::vector<LabelRecord>{{"output", later.to_string(), {}, {}, false, {}}});
    EXPECT_EQ(*set({later}, false), Outpoints{later});
}

TEST_F(FrozenCoins, IsExportedWithTheLabel) {
    wallet->set_label(coin, "Savings");
    ASSERT_TRUE(set({coin}, true));
    EXPECT_EQ(LabelExchange(*wallet).export_all(),
              (std::vector<LabelRecord>{{"output", coin.to_string(), "Savings", {}, false, {}}}));
}

// A record of a file may have named this wallet's origin.
TEST_F(FrozenCoins, OverrulesAnImportedRecord) {
    LabelExchange(*wallet).import(std::vector<LabelRecord>{
        {"output", coin.to_string(), {}, "wpkh([73c5da0a/84'/1'/0'])", false, {}}});
    EXPECT_EQ(wallet->balance().frozen, 10);
    EXPECT_EQ(*set({coin}, false), Outpoints{coin});
    EXPECT_EQ(wallet->balance().frozen, 0);
}

}  // namespace
}  // namespace petal::wallet
