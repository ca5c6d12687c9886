// Wallets restored from descriptors with private keys.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/support/file_content.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/fee_bumper.h"
#include "wallet/keys/mnemonic.h"
#include "wallet/keys/wif.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt_wallet.h"
#include "wallet/spending/payment.h"

namespace petal::wallet {
namespace {

using test::error_of;
using test::foreign_coin;
using test::foreign_script;
using test::regtest_params;
using test::spend;
using Kind = WalletError::Kind;

// Bitcoin Core: doc/descriptors.md.
constexpr const char* kSpentWif = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW";
// BIP380's example key.
constexpr const char* kWatchedKey =
    "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";

/// The master key of test::kMnemonic.
std::string master_tprv() {
    const auto seed = Mnemonic::parse(test::kMnemonic).value().seed("").value();
    return std::string(ExtendedPrivateKey::from_seed(seed.view())->to_string(regtest_params()));
}

/// Replaces KEY by the master key and WIF by a single key.
std::string with_keys(std::string text) {
    for (const auto& [name, key] :
         {std::pair<std::string, std::string>{"KEY", master_tprv()}, {"WIF", kSpentWif}}) {
        for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
            text.replace(at, name.size(), key);
            at += key.size();
        }
    }
    return text;
}

NewDescriptorWallet recipe_with_keys(const std::string& text, const char* password = "") {
    NewDescriptorWallet recipe;
    auto parsed = parse_private_descriptors(with_keys(text), regtest_params());
    EXPECT_TRUE(parsed) << parsed.error().reason;
    recipe.watched = {parsed->descriptors, {}, {20, 50}};
    recipe.password = password;
    recipe.scrypt_cost = test::kCheapScrypt;
    return recipe;
}

RandomBits counted_bits() {
    return [number = std::uint64_t{0}]() mutable { return number += 0x9e37'79b9'7f4a'7c15; };
}

class PrivateDescriptors : public test::WalletFixture {
protected:
    /// Restores a wallet from these descriptors and makes it `wallet`.
    void restore(const std::string& text, const char* password = "") {
        wallet.reset();
        file = folder.path() / ("restored" + std::to_string(++restored));
        wallet.emplace(Wallet::restore(file, regtest_params(), recipe_with_keys(text, password)));
    }
    /// Pays the first script of a descriptor.
    void mine_payment_to(DescriptorNumber number, chain::Satoshis value, std::uint32_t from = 0) {
        mine({spend({foreign_coin(from)}, {{value, wallet->script_at({number, 0})}})});
    }
    Payment build(chain::Satoshis amount, const chain::Bytes& to = foreign_script()) const {
        PaymentRequest request;
        request.recipients = {{to, amount}};
        request.change = wallet->change_for(request.recipients);
        return build_payment(request, wallet->spendable_coins().coins, counted_bits()).value();
    }
    /// The path of the change address of a payment to `to`.
    std::string change_path(const chain::Bytes& to) const {
        const std::vector<Recipient> recipients{{to, 1'000}};
        return wallet->address(wallet->change_for(recipients).script_pubkey).value().path_text;
    }
    int restored = 0;

    std::string file_content() const { return test::file_text(file); }
};

// The account of the key is watched, too. The wallet has no key for the next address of that
// account.
TEST_F(PrivateDescriptors, ReserveNoChangeAddressOfAnImportedDescriptor) {
    const std::string ranged = with_keys("wpkh(KEY/84h/1h/0h/0/*)");
    const auto watched =
        parse_private_descriptors(ranged, regtest_params()).value().descriptors.at(0);
    const auto seed = Mnemonic::parse(test::kMnemonic).value().seed("").value();
    auto key = ExtendedPrivateKey::from_seed(seed.view()).value();
    for (const std::uint32_t step : {84U | kHardened, 1U | kHardened, 0U | kHardened, 0U, 0U}) {
        key = key.derive(step).value();
    }
    const SecretString wif = to_wif({key.key(), true}, regtest_params());
    restore("wpkh(" + std::string(wif) + ")");
    const std::vector<std::string> given{watched.text};
    ASSERT_TRUE(
        wallet->import(parse_new_descriptors(given, regtest_params()).value().descriptors, {}));
    const chain::Bytes change = wallet->change_for({}).script_pubkey;
    EXPECT_EQ(wallet->reserve_change(change), change);
}

TEST_F(PrivateDescriptors, OfAnAccountAreTheWalletOfItsWords) {
    mine({pay(10, 3)});
    const auto by_words = test::all_of(*wallet);
    const auto padding = wallet->filter_padding();
    const auto info = wallet->info();
    std::string lines = "# of petal info --private\n\n";
    const auto shown = wallet->private_descriptors(wallet->secret(""));
    for (const SecretString& line : shown) lines += "  " + std::string(line) + "\r\n";

    restore(lines);
    for (const auto& block : chain.blocks()) apply(block);
    test::expect_equal(test::all_of(*wallet), by_words);
    EXPECT_EQ(wallet->filter_padding().secret, padding.secret);
    EXPECT_EQ(wallet->filter_padding().first_elements, padding.first_elements);
    EXPECT_EQ(wallet->info().descriptors, info.descriptors);
    EXPECT_EQ(wallet->info().types, info.types);
    EXPECT_EQ(wallet->info().fingerprint, info.fingerprint);
    EXPECT_FALSE(wallet->info().watch_only);
    EXPECT_FALSE(wallet->info().has_words);
    EXPECT_TRUE(info.has_words);
    EXPECT_EQ(wallet->private_descriptors(wallet->secret("")), shown);
    EXPECT_EQ(wallet->receive_address(false).path_text, "m/84h/1h/0h/0/4");
    reopen();
}

struct SpentForm {
    const char* name;
    const char* text;
    std::size_t descriptors;
};

void PrintTo(const SpentForm& c, std::ostream* out) {
    *out << c.name;
}

class PrivateDescriptorForms : public PrivateDescriptors,
                               public testing::WithParamInterface<SpentForm> {};

INSTANTIATE_TEST_SUITE_P(
    Forms, PrivateDescriptorForms,
    testing::Values(SpentForm{"Pkh", "pkh(KEY/44h/1h/0h/<0;1>/*)", 2},
                    SpentForm{"ShWpkh", "sh(wpkh(KEY/49h/1h/0h/0/*))", 1},
                    SpentForm{"Wpkh", "wpkh(KEY/84'/1'/0'/0/*)\nwpkh(KEY/84'/1'/0'/1/*)", 2},
                    SpentForm{"Tr", "tr(KEY/86h/1h/0h/<0;1>/*)", 2},
                    SpentForm{"FixedPath", "wpkh(KEY/1/2h/3)", 1},
                    SpentForm{"HardenedAlternatives", "wpkh(KEY/<0h;1h>/*)", 2},
                    SpentForm{"SinglePkh", "pkh(WIF)", 1}, SpentForm{"SingleWpkh", "wpkh(WIF)", 1},
                    SpentForm{"SingleShWpkh", "sh(wpkh(WIF))", 1},
                    SpentForm{"SingleTr", "tr(WIF)", 1}, SpentForm{"SingleCombo", "combo(WIF)", 2},
                    SpentForm{"RangedCombo", "combo(KEY/0h/*)", 2}),
    [](const auto& tested) { return tested.param.name; });

TEST_P(PrivateDescriptorForms, AreSpentFrom) {
    restore(GetParam().text, "correct horse");
    ASSERT_EQ(wallet->info().descriptors.size(), GetParam().descriptors);
    for (std::uint32_t number = 0; number < GetParam().descriptors; ++number) {
        mine_payment_to(number, 50'000, number);
    }
    reopen();
    ASSERT_EQ(wallet->spendable_coins().coins.size(), GetParam().descriptors);
    // Spends all coins, so that each descriptor signs.
    const auto amount = static_cast<chain::Satoshis>(50'000 * GetParam().descriptors - 10'000);
    Payment payment = build(amount);
    ASSERT_EQ(payment.coins.size(), GetParam().descriptors);
    ASSERT_TRUE(payment.change_index);
    const SecretBytes secret = wallet->secret("correct horse");

    PsbtWallet psbts(*wallet);
    const Psbt psbt = psbts.create(payment);
    std::vector<std::size_t> inputs;
    for (std::size_t i = 0; i < payment.coins.size(); ++i) inputs.push_back(i);
    const auto signed_psbt = psbts.sign(psbt, inputs, secret, {}, {});
    ASSERT_TRUE(signed_psbt) << describe(signed_psbt.error());
    EXPECT_TRUE(is_complete(signed_psbt->psbt));

    wallet->sign(payment.transaction, payment.coins, secret, {});
    EXPECT_LE(payment.transaction.virtual_size(), payment.virtual_size);
    ASSERT_TRUE(wallet->keep_payment(payment, 1));
    mine({payment.transaction});
    EXPECT_EQ(wallet->balance().confirmed, 10'000 - payment.fee);
}

TEST_F(PrivateDescriptors, HaveTheirChangeBesideTheirReceiveAddresses) {
    restore(
        "wpkh(WIF)\npkh(KEY/44h/1h/0h/<0;1>/*)\nwpkh(KEY/84h/1h/0h/<0;1>/*)\n"
        "tr(KEY/86h/1h/0h/<0;1>/*)");
    EXPECT_EQ(wallet->receive_address(false).path_text, "m/44h/1h/0h/0/0");
    EXPECT_EQ(change_path({0x51}), "m/44h/1h/0h/1/0");
    // The change has the type of the recipient, within the account.
    const auto taproot = script_for(ScriptKind::tr, account.key());
    EXPECT_EQ(change_path(taproot), "m/86h/1h/0h/1/0");
    mine_payment_to(0, 50'000);
    const Payment payment = build(10'000);
    EXPECT_EQ(payment.coins.size(), 1U) << "the coin of the single key";

    restore("wpkh(WIF)\nwpkh(KEY/84h/1h/0h/0/*)");
    EXPECT_EQ(change_path({0x51}), "m/84h/1h/0h/0/0") << "the descriptor has no change addresses";
    restore("pkh(WIF)");
    EXPECT_EQ(wallet->change_for({}).script_pubkey, wallet->script_at({0, 0}));
    EXPECT_EQ(error_of([&] { return wallet->receive_address(true); }), Kind::no_new_address);
    EXPECT_EQ(wallet->current_address(true).path, (KeyPath{0, 0}));
}

TEST_F(PrivateDescriptors, WithoutChangeAddressesReduceTheChangeOfABumpedPayment) {
    restore("wpkh(WIF)");
    mine_payment_to(0, 100'000);
    mine_payment_to(0, 50'000, 1);
    Payment payment = build(80'000);
    wallet->sign(payment.transaction, payment.coins, wallet->secret(""), {});
    ASSERT_TRUE(wallet->keep_payment(payment, 1));
    const auto request = FeeBumper(*wallet).replacement_of(payment.transaction.txid()).value();
    ASSERT_EQ(request.recipients.size(), 1U);
    EXPECT_EQ(request.recipients[0].script_pubkey, foreign_script());
    EXPECT_EQ(request.change.script_pubkey, wallet->script_at({0, 0}));
    EXPECT_FALSE(request.change.is_new);
}

// Change goes to the receive descriptor, too. Its position among the outputs is random.
TEST_F(PrivateDescriptors, WithoutChangeAddressesLowerNoPaymentToTheWalletItself) {
    restore("wpkh(KEY/84h/1h/0h/0/*)");
    mine_payment_to(0, 1'000'000);
    const RandomBits bits = counted_bits();
    for (int run = 0; run < 20; ++run) {
        const AddressEntry own = wallet->receive_address(true);
        wallet->set_label(wallet->script_at(own.path), "savings");
        const auto coins = wallet->spendable_coins().coins;
        const InputCoin largest = *std::ranges::max_element(
            coins, {}, [](const InputCoin& coin) { return coin.output.value; });
        PaymentRequest sent;
        sent.recipients = {{wallet->script_at(own.path), 2'000}};
        sent.change = wallet->change_for({});
        sent.spends_all_given = true;
        Payment payment = build_payment(sent, {&largest, 1}, bits).value();
        const std::size_t change_index = payment.change_index.value();
        const chain::Bytes change = wallet->reserve_change(sent.change.script_pubkey);
        payment.transaction.outputs.at(change_index).script_pubkey = change;
        wallet->sign(payment.transaction, payment.coins, wallet->secret(""), {});
        ASSERT_TRUE(wallet->keep_payment(payment, 1));
        auto request = FeeBumper(*wallet).replacement_of(payment.transaction.txid()).value();
        request.fee_rate = FeeRate{14'500};
        Payment bumped = build_payment(request, wallet->spendable_coins().coins, bits).value();
        EXPECT_EQ(bumped.paid(), 2'000);
        EXPECT_EQ(bumped.transaction.outputs.at(bumped.change_index.value()).script_pubkey, change);
        wallet->sign(bumped.transaction, bumped.coins, wallet->secret(""), {});
        ASSERT_TRUE(FeeBumper(*wallet).keep_replacement(bumped, payment.transaction.txid(), 2));
        mine({bumped.transaction});
        EXPECT_EQ(wallet->received(wallet->script_at(own.path), 1), 2'000);
    }
}

TEST_F(PrivateDescriptors, DoNotSpendWhatIsImportedBesideThem) {
    restore("wpkh(WIF)");
    const std::string watched = account.to_string(regtest_params());
    const std::vector<std::string> texts{"pkh(" + std::string(kWatchedKey) + ")",
                                         "wpkh([73c5da0a/84h/1h/0h]" + watched + "/<0;1>/*)"};
    const auto imported = parse_new_descriptors(texts, regtest_params());
    ASSERT_TRUE(imported);
    ASSERT_TRUE(wallet->import(imported->descriptors, {}));
    mine_payment_to(1, 50'000, 1);
    mine_payment_to(2, 50'000, 2);
    EXPECT_TRUE(wallet->spendable_coins().coins.empty());
    EXPECT_EQ(wallet->spendable_coins().watched, 100'000);
    EXPECT_EQ(wallet->change_for({}).script_pubkey, wallet->script_at({0, 0}));
    EXPECT_EQ(
        wallet->change_for(std::vector<Recipient>{{wallet->script_at({2, 1}), 1}}).script_pubkey,
        wallet->script_at({0, 0}));
    EXPECT_EQ(wallet->current_address(true).path, (KeyPath{0, 0}));
    EXPECT_EQ(wallet->secret("").size(), wallet->secret("x").size());
    reopen();
}

TEST_F(PrivateDescriptors, AreEncryptedLikeASeed) {
    restore("wpkh(WIF)");
    EXPECT_NE(file_content().find(kSpentWif), std::string::npos)
        << "this shows that the search would find it";
    EXPECT_FALSE(wallet->info().encrypted);
    wallet->encrypt("", "correct horse", test::kCheapScrypt);
    EXPECT_EQ(file_content().find(kSpentWif), std::string::npos);
    EXPECT_TRUE(wallet->info().encrypted);
    reopen();
    EXPECT_EQ(error_of([&] { return wallet->secret(""); }), Kind::bad_password);
    const auto shown = wallet->private_descriptors(wallet->secret("correct horse"));
    ASSERT_EQ(shown.size(), 1U);
    EXPECT_TRUE(shown[0].starts_with("wpkh(cVpF924E"));
}

TEST_F(PrivateDescriptors, AreNotGivenIfThePublicOnesDiffer) {
    for (const char* const password : {"", "correct horse"}) {
        restore("wpkh(WIF)\nwpkh(KEY/84h/1h/0h/0/*)", password);
        wallet.reset();
        // Both are wpkh(), so that the scripts have the form of either descriptor.
        change_scripts(
            "UPDATE descriptor SET text = (SELECT text FROM descriptor WHERE number = 0)"
            " WHERE number = 1; DELETE FROM script WHERE chain = 1 AND number > 0");
        const auto opened = Wallet::open(file, regtest_params(), Access::read);
        EXPECT_EQ(error_of([&] { return opened.secret(password); }), Kind::damaged) << password;
    }
}

TEST_F(PrivateDescriptors, DamagedSecretIsReported) {
    for (const char* const secret :
         {"zeroblob(64)", "x''", "secret || 'x'", "'petal descriptors 2' || substr(secret, 20)",
          "substr(secret, 1, 20)", "replace(secret, 'wpkh', 'sh')"}) {
        restore("wpkh(WIF)");
        wallet.reset();
        execute("UPDATE secret SET secret = CAST(" + std::string(secret) + " AS BLOB)");
        const auto opened = Wallet::open(file, regtest_params(), Access::read);
        EXPECT_EQ(error_of([&] { return opened.secret(""); }), Kind::damaged) << secret;
    }
}

// The secret is not read here. Without it, a wallet that is not encrypted looks like a watch-only
// wallet.
TEST_F(PrivateDescriptors, WithoutTheirOriginMarkOnlyWatchOrAreRefused) {
    restore("wpkh(WIF)", "correct horse");
    wallet.reset();
    execute("UPDATE descriptor SET origin = 2");
    EXPECT_EQ(error_of([&] { Wallet::open(file, regtest_params(), Access::read); }), Kind::damaged);

    restore("wpkh(WIF)");
    wallet.reset();
    execute("UPDATE descriptor SET origin = 2");
    const auto opened = Wallet::open(file, regtest_params(), Access::read);
    EXPECT_TRUE(opened.info().watch_only);
    EXPECT_EQ(error_of([&] { return opened.secret(""); }), Kind::watch_only);
}

}  // namespace
}  // namespace petal::wallet
