// Descriptors that overlap or repeat others of the wallet, and what an import knows before the next
// sync.
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <tuple>

#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/descriptor_checksum.h"
#include "wallet/descriptors/new_descriptors.h"
#include "wallet/keys/base58.h"

namespace petal::wallet {
namespace {

using test::foreign_coin;
using test::output_of;
using test::regtest_params;
using test::spend;

constexpr const char* kImportedKey =
    "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";

class WalletImport : public test::WalletFixture {
protected:
    static std::vector<NewDescriptor> parsed_all(const std::vector<std::string>& texts) {
        const auto descriptors = parse_new_descriptors(texts, regtest_params());
        EXPECT_TRUE(descriptors) << descriptors.error().reason;
        return descriptors->descriptors;
    }

    /// Creates a wallet that watches these descriptors and makes it `wallet`.
    void watch(const std::vector<std::string>& texts) {
        wallet.reset();
        file = folder.path() / "watch-only";
        wallet.emplace(Wallet::watch(file, regtest_params(), {parsed_all(texts), {}, {20, 50}}));
    }

    /// Returns why the import is refused; empty if it is accepted.
    std::string import_from(const std::string& text, std::optional<chain::BlockRef> kept) {
        const auto imported = wallet->import(parsed_all({text}), {{}, {}, kept});
        return imported ? "" : imported.error().reason;
    }

    /// A key expression with the account's key, preceded by `before` and followed by `after`.
    std::string account_key(const std::string& before, const std::string& after) const {
        return before + account.to_string(regtest_params()) + after;
    }
    std::string range() const { return account_key("wpkh(", "/0/*)"); }

    std::string address(std::uint32_t index, KeyChain of_chain = KeyChain::receive) const {
        return address_of(script(index, of_chain), regtest_params());
    }

    static chain::Bytes imported_script() {
        return parsed_all({std::string("wpkh(") + kImportedKey + ")"}).at(0).first_scripts.at(0);
    }
};

TEST_F(WalletImport, PaidSingleAddressIsNotHandedOutOfARange) {
    watch({address(3), range()});
    mine({pay(10, 3)});
    EXPECT_EQ(wallet->coins().at(0).path, (KeyPath{0, 0}));
    EXPECT_EQ(wallet->receive_address(true).address, address(4));
    reopen();
    EXPECT_EQ(wallet->receive_address(false).address, address(5));
}

TEST_F(WalletImport, AddressThatWasPaidBeforeItsRangeWasImportedIsNotHandedOut) {
    watch({address(3)});
    mine({pay(10, 3)});
    ASSERT_EQ(import_from(range(), wallet->sync_state().synced), "");
    EXPECT_EQ(wallet->receive_address(false).address, address(4));
    reopen();
    EXPECT_EQ(wallet->receive_address(false).address, address(4));
}

TEST_F(WalletImport, PaymentToAnAddressOfTwoDescriptorsIsConfirmedInBoth) {
    watch({address(3)});
    mine({pay(10, 3)});
    ASSERT_EQ(import_from(range(), wallet->sync_state().synced), "");
    const auto addresses = wallet->addresses(KeyChain::receive, 0);
    ASSERT_EQ(addresses.size(), 5U);
    for (const std::size_t shown : {0U, 4U}) {
        EXPECT_EQ(addresses[shown].address, address(3));
        EXPECT_EQ(addresses[shown].received, 10);
        EXPECT_EQ(addresses[shown].unconfirmed, 0);
    }
}

// The user has imported these addresses, so a payer may know them. The addresses before them are
// free.
TEST_F(WalletImport, WatchedSingleAddressIsNotHandedOutOfARange) {
    watch({address(1), address(2), range()});
    EXPECT_EQ(wallet->receive_address(true).address, address(0));
    EXPECT_EQ(wallet->current_address(true).address, address(3));
    reopen();
    EXPECT_EQ(wallet->receive_address(true).address, address(4));
}

TEST_F(WalletImport, LargestScriptCanBeReadAgain) {
    chain::Bytes script(10'000, 0x61);
    script[0] = 20;  // pushes the next 20 bytes
    watch({"raw(" + chain::to_hex(script) + ")"});
    reopen();
    EXPECT_EQ(wallet->watched_elements(0).size(), 1U);
}

TEST_F(WalletImport, PaidAddressExtendsEachRangeThatHasIt) {
    watch({address(40), range()});
    mine({pay(10, 40)});
    EXPECT_EQ(wallet->watched_elements(0).size(), 1U + 100U);
    reopen();
    mine({pay(5, 60, 1)});
    EXPECT_EQ(wallet->balance().confirmed, 15);
}

// Earlier versions counted a payment only for the first path of its script.
TEST_F(WalletImport, RangeThatAnEarlierVersionDidNotExtendIsExtendedByTheNextChange) {
    watch({address(49), range()});
    mine({pay(10, 49)});
    wallet.reset();
    change_scripts("DELETE FROM script WHERE chain = 1 AND number >= 50");
    wallet.emplace(Wallet::open(file, regtest_params(), Access::read));
    EXPECT_EQ(wallet->balance().confirmed, 10);
    EXPECT_EQ(wallet->receive_address(false).address, address(50));
    EXPECT_EQ(wallet->watched_elements(0).size(), 1U + 50U);
    wallet.reset();
    wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
    EXPECT_TRUE(apply(chain.mine()).grew);
    EXPECT_EQ(ask("SELECT count(*) FROM script"), 1 + 100);
    mine({pay(5, 60, 1)});
    EXPECT_EQ(wallet->balance().confirmed, 15);
    reopen();
}

TEST_F(WalletImport, RangeThatWasNotExtendedIsExtendedByAnyChange) {
    watch({address(49), range()});
    mine({pay(10, 49)});
    wallet.reset();
    change_scripts("DELETE FROM script WHERE chain = 1 AND number >= 50");
    wallet.emplace(Wallet::open(file, regtest_params(), Access::change));
    EXPECT_TRUE(wallet->set_label(script(0), "Rent"));
    EXPECT_EQ(ask("SELECT count(*) FROM script"), 1 + 100);
}

TEST_F(WalletImport, PaymentToATwiceWatchedAddressIsShownForBoth) {
    watch({address(3), range()});
    mine({pay(10, 3)});
    std::vector<chain::Satoshis> received;
    for (const AddressEntry& entry : wallet->addresses(KeyChain::receive, 0)) {
        if (entry.address != address(3)) continue;
        EXPECT_TRUE(entry.used);
        received.push_back(entry.received);
    }
    EXPECT_EQ(received, (std::vector<chain::Satoshis>{10, 10}));
}

// The range reaches this key only after a payment has extended it.
TEST_F(WalletImport, RangeThatReachesAPaidAddressContinuesAfterIt) {
    watch({address(95), range()});
    mine({pay(10, 95)});
    EXPECT_EQ(wallet->watched_elements(0).size(), 1U + 50U);
    mine({pay(5, 35, 1)});
    EXPECT_EQ(wallet->watched_elements(0).size(), 1U + 150U) << "20 addresses after index 95";
    EXPECT_EQ(wallet->receive_address(false).address, address(96));
    reopen();
}

struct SameCase {
    const char* name;
    std::string before;
    std::string after;
};

void PrintTo(const SameCase& c, std::ostream* out) {
    *out << c.name;
}

class SameKeys : public WalletImport, public testing::WithParamInterface<SameCase> {};

TEST_P(SameKeys, AreNotImportedAgain) {
    const std::string text = account_key(GetParam().before, GetParam().after);
    const auto before = test::all_of(*wallet);
    EXPECT_EQ(import_from(text, std::nullopt).substr(0, 28), "the wallet watches it alread")
        << text;
    test::expect_equal(test::all_of(*wallet), before);
    EXPECT_EQ(wallet->info().descriptors.size(), 2U);
}

INSTANTIATE_TEST_SUITE_P(Writings, SameKeys,
                         testing::Values(SameCase{"without origin", "wpkh(", "/0/*)"},
                                         SameCase{"multipath", "wpkh(", "/<0;1>/*)"},
                                         SameCase{"apostrophes", "wpkh([73c5da0a/84'/1'/0']",
                                                  "/0/*)"},
                                         SameCase{"another origin", "wpkh([00000000/7]", "/1/*)"},
                                         SameCase{"one of its addresses", "wpkh(", "/0/7)"}));

TEST_F(WalletImport, AccountOfSlip132IsNotImportedAgain) {
    auto bytes = decode_base58check(account.to_string(regtest_params()), 100).value();
    const chain::Bytes vpub{0x04, 0x5f, 0x1c, 0xf6};
    std::ranges::copy(vpub, bytes.begin());
    EXPECT_NE(import_from(encode_base58check(bytes), std::nullopt), "");
    EXPECT_EQ(import_from(account.to_string(regtest_params()), std::nullopt), "")
        << "pkh() of the account's keys";
}

TEST_F(WalletImport, OtherKeysOfTheAccountAreNoRepetition) {
    EXPECT_EQ(import_from(account_key("wpkh(", "/2/*)"), std::nullopt), "");
    EXPECT_EQ(import_from(account_key("wpkh(", "/0/1000)"), std::nullopt), "")
        << "the address is not watched yet";
    EXPECT_EQ(import_from(account_key("pkh(", "/0/*)"), std::nullopt), "")
        << "the scripts are different";
}

TEST_F(WalletImport, KeysOfMultisigInAnotherOrderAreTheSame) {
    const std::string a = account_key("", "/0/*");
    const std::string b = account_key("", "/1/*");
    watch({"wsh(sortedmulti(1," + a + "," + b + "))"});
    EXPECT_NE(import_from("wsh(sortedmulti(1," + b + "," + a + "))", std::nullopt), "");
    EXPECT_EQ(wallet->info().descriptors.size(), 1U);
}

TEST_F(WalletImport, RangeOfWhichFewScriptsAreWatchedIsNotImportedAgain) {
    wallet.reset();
    file = folder.path() / "watch-only";
    wallet.emplace(Wallet::watch(file, regtest_params(), {parsed_all({range()}), {}, {1, 2}}));
    ASSERT_EQ(wallet->watched_elements(0).size(), 2U);
    const std::string same = account_key("wpkh([00000000/7]", "/0/*)");
    EXPECT_EQ(import_from(same, std::nullopt).substr(0, 28), "the wallet watches it alread");
}

// By chance, the keys of these two are in ascending order at the first nine indexes.
TEST_F(WalletImport, MultisigDiffersFromTheSameWithSortedKeys) {
    const std::string keys = account_key("", "/0/*") + "," + account_key("", "/255/*");
    const std::string unsorted = "wsh(multi(1," + keys + "))";
    const std::string sorted = "wsh(sortedmulti(1," + keys + "))";
    const auto a = parsed_all({unsorted}).at(0).first_scripts;
    const auto b = parsed_all({sorted}).at(0).first_scripts;
    EXPECT_TRUE(std::equal(a.begin(), a.begin() + 9, b.begin()));
    EXPECT_NE(a, b);
    watch({sorted});
    EXPECT_EQ(import_from(unsorted, std::nullopt).find("watches it already"), std::string::npos);
}

TEST_F(WalletImport, SameKeysWrittenOtherwiseAreGivenTwice) {
    const auto twice = parse_new_descriptors(
        std::vector{range(), account_key("wpkh([73c5da0a/84h/1h/0h]", "/0/*)")}, regtest_params());
    ASSERT_FALSE(twice);
    EXPECT_EQ(twice.error().given, 1U);
    EXPECT_EQ(twice.error().reason, "it is given twice");
}

TEST_F(WalletImport, InputOfAnUncompressedKeyIsLonger) {
    const std::string key =
        "0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798483ada7726a3c4655da4fbfc"
        "0e1108a8fd17b448a68554199c47d08ffb10d4b8";
    watch({"pkh(" + key + ")"});
    mine({spend({foreign_coin(1)}, {{100'000, wallet->script_at({0, 0})}})});
    const auto coins = wallet->spendable_coins().coins;
    ASSERT_EQ(coins.size(), 1U);
    EXPECT_EQ(coins[0].form.size.script_sig_bytes,
              SpendForm(ScriptKind::pkh, Signer::others).size.script_sig_bytes + 32);
}

// Many wallets show accounts of every type as such a key.
TEST_F(WalletImport, ExtendedKeyAloneIsNotedToBeOfLegacyAddresses) {
    const std::string key = account.to_string(regtest_params());
    EXPECT_EQ(parse_new_descriptors(std::vector<std::string>{key}, regtest_params())->notes.size(),
              1U);
    EXPECT_TRUE(parse_new_descriptors(std::vector<std::string>{"pkh(" + key + "/<0;1>/*)"},
                                      regtest_params())
                    ->notes.empty());
}

// The sync before the import did not search for the imported script.
TEST_F(WalletImport, CoinIsUnconfirmedUntilTheBlocksAboveAreSearched) {
    const auto both = spend({foreign_coin(1)}, {{10, script(0)}, {7, imported_script()}});
    mine();
    const chain::BlockRef kept = chain.tip();
    mine({both});
    mine();
    ASSERT_EQ(import_from(std::string("wpkh(") + kImportedKey + ")", kept), "");
    EXPECT_EQ(wallet->balance().confirmed, 10);
    EXPECT_EQ(wallet->balance().pending, 7);
    for (const Coin& coin : wallet->coins()) {
        const bool is_own = coin.value == 10;
        EXPECT_EQ(coin.height.has_value(), is_own);
        EXPECT_EQ(coin.confirmations > 0, is_own);
        EXPECT_EQ(coin.spendable, is_own);
    }
    reopen();
    for (std::uint32_t height = 2; height <= 3; ++height) apply(chain.at(height));
    EXPECT_EQ(wallet->balance().confirmed, 17);
    EXPECT_EQ(wallet->balance().pending, 0);
}

TEST_F(WalletImport, SpendThatTheNextSyncFindsTakesTheCoinAway) {
    const auto both = spend({foreign_coin(1)}, {{10, script(0)}, {7, imported_script()}});
    mine();
    const chain::BlockRef kept = chain.tip();
    mine({both});
    chain.mine({spend({output_of(both, 1)}, {{6, test::foreign_script()}})});
    ASSERT_EQ(import_from(std::string("wpkh(") + kImportedKey + ")", kept), "");
    EXPECT_EQ(wallet->balance().confirmed, 10);
    for (std::uint32_t height = 2; height <= 3; ++height) apply(chain.at(height));
    EXPECT_EQ(wallet->balance().total(), 10);
}

// The birthday is later than a payment that the wallet knows.
TEST_F(WalletImport, BlocksFromAKnownPaymentAreSearchedDespiteTheBirthday) {
    mine({pay(1, 1, 5)});
    const chain::BlockRef before = chain.tip();
    mine();
    mine({spend({foreign_coin(1)}, {{10, script(0)}, {7, imported_script()}})});
    mine();
    ASSERT_EQ(import_from(std::string("wpkh(") + kImportedKey + ")", wallet->sync_state().synced),
              "");
    EXPECT_EQ(wallet->sync_state().synced, before) << "the last known block below the payment";
    EXPECT_EQ(wallet->balance().confirmed, 11);
    EXPECT_EQ(wallet->balance().pending, 7);
    reopen();
}

// A block between may spend the coin. No path but the imported one said that it was not searched.
TEST_F(WalletImport, CoinStaysUnsearchedIfAnOwnRangeReachesItsAddress) {
    mine({spend({foreign_coin(1)}, {{10, script(0)}, {7, script(60)}})});
    mine();
    ASSERT_EQ(import_from("addr(" + address(60) + ")", wallet->sync_state().synced), "");
    EXPECT_EQ(wallet->balance().pending, 7);
    const std::uint32_t paid = chain.tip().height - 1;
    for (int i = 0; i < 30; ++i) static_cast<void>(wallet->receive_address(true));
    EXPECT_EQ(wallet->balance().confirmed, 0);
    EXPECT_EQ(wallet->balance().pending, 17);
    EXPECT_EQ(wallet->take_unsearched_from(), paid);
    reopen();
    for (std::uint32_t height = paid; height <= chain.tip().height; ++height) {
        apply(chain.at(height));
    }
    EXPECT_EQ(wallet->balance().confirmed, 17);
    EXPECT_EQ(wallet->coins().at(1).path, (KeyPath{0, 60}));
}

TEST_F(WalletImport, CoinThatAnotherProcessMadeTheWalletsOwnIsSearchedFor) {
    mine({spend({foreign_coin(1)}, {{10, script(0)}, {7, script(60)}})});
    mine();
    ASSERT_EQ(import_from("addr(" + address(60) + ")", wallet->sync_state().synced), "");
    Wallet other = Wallet::open(file, regtest_params(), Access::change);
    for (int i = 0; i < 30; ++i) static_cast<void>(other.receive_address(true));
    EXPECT_TRUE(wallet->refresh());
    EXPECT_EQ(wallet->balance().pending, 17);
    EXPECT_EQ(wallet->take_unsearched_from(), chain.tip().height - 1);
}

TEST_F(WalletImport, BlocksBelowAKnownPaymentAreNotSearched) {
    mine({pay(1, 1, 5)});
    mine();
    const chain::BlockRef before = chain.tip();
    mine({spend({foreign_coin(1)}, {{10, script(0)}, {7, imported_script()}})});
    mine();
    const auto block_at = [&](std::uint32_t height) {
        return height == before.height ? std::optional{before} : std::nullopt;
    };
    const auto given = parsed_all({std::string("wpkh(") + kImportedKey + ")"});
    ASSERT_TRUE(wallet->import(given, {{}, {}, wallet->sync_state().synced, block_at}));
    EXPECT_EQ(wallet->sync_state().synced, before);
    EXPECT_EQ(wallet->balance().pending, 7);
    reopen();
    for (std::uint32_t height = before.height + 1; height <= chain.tip().height; ++height) {
        apply(chain.at(height));
    }
    EXPECT_EQ(wallet->balance().confirmed, 18);
}

TEST_F(WalletImport, BlocksBelowItsBirthdayAreNotSearchedForAKnownPaymentAbove) {
    mine();
    const chain::BlockRef birthday = chain.tip();
    mine();
    mine({spend({foreign_coin(1)}, {{10, script(0)}, {7, imported_script()}})});
    ASSERT_EQ(import_from(std::string("wpkh(") + kImportedKey + ")", birthday), "");
    EXPECT_EQ(wallet->sync_state().synced, birthday);
    EXPECT_FALSE(wallet->take_unsearched_from());
}

// For the other descriptors, the blocks above have not been searched yet.
TEST_F(WalletImport, LaterBirthdayDoesNotAdvanceTheSync) {
    mine();
    const chain::BlockRef synced = chain.tip();
    chain.mine_empty(2);
    ASSERT_EQ(import_from(std::string("wpkh(") + kImportedKey + ")", chain.tip()), "");
    EXPECT_EQ(wallet->sync_state().synced, synced);
}

TEST_F(WalletImport, EarlierBirthdayBecomesTheWallets) {
    wallet.reset();
    file = folder.path() / "watch-only";
    wallet.emplace(
        Wallet::watch(file, regtest_params(), {parsed_all({range()}), {9, 0}, {20, 50}}));
    const auto given = parsed_all({std::string("wpkh(") + kImportedKey + ")"});
    ASSERT_TRUE(wallet->import(given, {{3, 0}, {3, 0}, {}}));
    EXPECT_EQ(wallet->info().birthday.height, 3U);
    reopen();
    EXPECT_EQ(wallet->info().birthday.height, 3U);
}

// Only the wallet's own keys are private, whatever master key an imported descriptor's origin
// names.
TEST_F(WalletImport, PrivateDescriptorsAreOnlyOfTheWalletsOwnKeys) {
    const auto before = wallet->private_descriptors(wallet->secret(""));
    ASSERT_EQ(import_from(std::string("wpkh([00000000/1]") + kImportedKey + ")", std::nullopt), "");
    EXPECT_EQ(wallet->private_descriptors(wallet->secret("")), before);
}

TEST_F(WalletImport, DescriptorThatNoWalletStoresIsDamage) {
    const std::string key = kImportedKey;
    const std::string wif = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW";
    const std::tuple<std::string, std::string, std::string> cases[]{
        {"of several functions", "pk(" + key + ")", "combo(" + key + ")"},
        {"of several paths", range(), account_key("wpkh(", "/<0;1>/*)")},
        {"with a private key", "pk(" + key + ")", "pk(" + wif + ")"},
        {"without a checksum", range(), range()},
    };
    for (const auto& [what, given, stored] : cases) {
        watch({given});
        wallet.reset();
        const bool has_checksum = given != stored;
        const auto checksum = has_checksum ? '#' + *descriptor_checksum(stored) : "";
        execute("UPDATE descriptor SET text = '" + stored + checksum + "'");
        EXPECT_EQ(test::error_of([&] {
                      return Wallet::open(file, regtest_params(), Access::read).balance().total();
                  }),
                  WalletError::Kind::damaged)
            << what;
        Wallet::remove(file);
    }
}

TEST_F(WalletImport, DescriptorsAreAtMostAThousand) {
    std::vector<std::string> texts;
    for (std::size_t i = 1; i <= 1'000; ++i) {
        chain::Bytes script(22);
        script[1] = 20;
        script[2] = static_cast<chain::Byte>(i >> 8);
        script[3] = static_cast<chain::Byte>(i);
        texts.push_back("raw(" + chain::to_hex(script) + ")");
    }
    const std::string last = texts.back();
    texts.pop_back();
    watch(texts);
    ASSERT_EQ(import_from(last, std::nullopt), "");
    EXPECT_EQ(import_from(range(), std::nullopt), "the wallet has too many descriptors");
    EXPECT_EQ(wallet->info().descriptors.size(), 1'000U);
    reopen();
}

TEST_F(WalletImport, FormOfDescriptorsWithoutATypeIsNamed) {
    const std::string a = account_key("", "/0/*");
    const std::string b = account_key("", "/1/*");
    watch({"wsh(sortedmulti(1," + a + "," + b + "))", "pk(" + std::string(kImportedKey) + ")",
           address_of(chain::p2wpkh_script({1}), regtest_params()),
           "wsh(sortedmulti(1," + account_key("", "/2/*") + "," + account_key("", "/3/*") + "))"});
    EXPECT_TRUE(wallet->info().types.empty());
    EXPECT_EQ(wallet->info().other_forms,
              (std::vector<std::string>{"wsh(sortedmulti(1 of 2))", "pk", "addr"}));
}

TEST_F(WalletImport, ChangeIsNotPaidToAWatchedSingleAddress) {
    ASSERT_EQ(import_from(account_key("wpkh(", "/1/55)"), std::nullopt), "");
    mine({spend({foreign_coin(1)}, {{5, script(40, KeyChain::change)}})});
    mine({spend({foreign_coin(2)}, {{5, script(54, KeyChain::change)}})});
    EXPECT_EQ(wallet->change_for({}).script_pubkey, script(56, KeyChain::change));
    reopen();
    EXPECT_EQ(wallet->change_for({}).script_pubkey, script(56, KeyChain::change));
}

// An origin is a remark that anyone can write.
TEST_F(WalletImport, ChangeStaysWithItsKeysWhateverTypeIsPaid) {
    chain::Bytes p2tr(34, 7);
    p2tr[0] = 0x51;
    p2tr[1] = 32;
    const std::vector<Recipient> recipients{{p2tr, 1}};
    const std::string other_key =
        "tpubDC5FSnBiZDMmhiuCmWAYsLwgLYrrT9rAqvTySfuCCrgsWz8wxMXUS9Tb9iVMvcRbvFcAHGkMD5Kx8koh4GquN"
        "GNTfohfk7pgjhaPCdXpoba";
    for (const char* const origin : {"[01020304/86h/1h/0h]", "[01020304/84h/1h/0h]", ""}) {
        wallet.reset();
        std::filesystem::remove(folder.path() / "watch-only");
        watch({account_key("wpkh([01020304/84h/1h/0h]", "/<0;1>/*)"),
               "tr(" + std::string(origin) + other_key + "/<0;1>/*)"});
        EXPECT_EQ(wallet->change_for(recipients).script_pubkey, script(0, KeyChain::change))
            << origin;
    }
}

// Its children are other keys.
TEST_F(WalletImport, KeyWithAnotherChainCodeIsOfAnotherOwner) {
    auto bytes = decode_base58check(account.to_string(regtest_params()), 78).value();
    bytes.at(20) ^= 1;
    watch({account_key("wpkh(", "/<0;1>/*)"), "wpkh(" + encode_base58check(bytes) + "/<2;3>/*)"});
    mine({pay(10'000),
          spend({foreign_coin(2)}, {{20'000, wallet->script_at({DescriptorNumber{2}, 0})}})});
    EXPECT_EQ(wallet->spendable_coins().other_accounts, 20'000);
    const auto coins = wallet->coins();
    const auto other = std::ranges::find(coins, 20'000, &Coin::value)->outpoint;
    EXPECT_EQ(wallet->change_for({}, other).script_pubkey,
              wallet->script_at({DescriptorNumber{3}, 0}));
}

TEST_F(WalletImport, ChangeStaysInThePairOfTheCoin) {
    watch({account_key("wpkh(", "/<0;1>/*)"), account_key("wpkh(", "/<2;3>/*)"),
           account_key("wpkh(", "/4/*)")});
    const std::pair<std::uint32_t, std::uint32_t> change_of[]{{0, 1}, {1, 1}, {2, 3}, {3, 3}};
    for (const auto& [number, change] : change_of) {
        const auto payment = spend({foreign_coin(number)},
                                   {{10'000, wallet->script_at({DescriptorNumber{number}, 0})}});
        mine({payment});
        EXPECT_EQ(wallet->address(wallet->change_for({}, output_of(payment)).script_pubkey)
                      ->path.descriptor,
                  DescriptorNumber{change})
            << "coin of descriptor " << number;
    }
    EXPECT_EQ(wallet->spendable_coins().other_accounts, 0) << "all are of the same keys";
}

class ReceiveDescriptor : public WalletImport {
protected:
    /// The number of the descriptor of the address that is shown; empty if none is.
    std::optional<std::uint32_t> shown(std::optional<DescriptorNumber> named = std::nullopt) {
        std::optional<std::uint32_t> number;
        const auto error = test::error_of([&] {
            number = wallet->current_address(true, named).path.descriptor.value;
            return true;
        });
        EXPECT_EQ(error.has_value(), !number.has_value());
        return number;
    }
};

TEST_F(ReceiveDescriptor, StaysTheFirstWhateverIsImported) {
    const std::string single = "wpkh(" + std::string(kImportedKey) + ")";
    const std::tuple<std::string, std::vector<std::string>> cases[]{
        {"a single key", {single}},
        {"an address", {address_of(imported_script(), regtest_params())}},
        {"a change descriptor, then a single key", {account_key("wpkh(", "/<5;6>/*)")}},
    };
    for (const auto& [what, texts] : cases) {
        wallet.reset();
        std::filesystem::remove(folder.path() / "watch-only");
        watch(texts);
        const std::string before = wallet->current_address(true).address;
        ASSERT_EQ(import_from(account_key("wpkh([01020304/84h/1h/0h]", "/<0;1>/*)"), std::nullopt),
                  "");
        EXPECT_EQ(wallet->current_address(true).address, before) << what;
        EXPECT_EQ(wallet->info().receive_descriptor, 0U) << what;
    }
}

TEST_F(ReceiveDescriptor, IsTheOneThatTheUserNames) {
    watch({"wpkh(" + std::string(kImportedKey) + ")"});
    ASSERT_EQ(import_from(account_key("wpkh(", "/<0;1>/*)"), std::nullopt), "");
    EXPECT_EQ(wallet->info().descriptor_numbers, (std::vector{0U, 1U, 2U}));
    EXPECT_EQ(shown(), 0U);
    EXPECT_EQ(wallet->current_address(true, 1).address, address(0));
    EXPECT_EQ(shown(0), 0U);
    EXPECT_EQ(wallet->current_address(true, 1).address, address(0)) << "until it is paid";
    EXPECT_EQ(wallet->receive_address(true, 1).address, address(1));
    EXPECT_EQ(shown(2), std::nullopt) << "it is for change";
    EXPECT_EQ(shown(3), std::nullopt) << "it is not there";
    EXPECT_EQ(test::error_of([&] { return wallet->receive_address(true); }),
              WalletError::Kind::no_new_address)
        << "a single key has no other address";
    reopen();
    EXPECT_EQ(wallet->current_address(true, 1).address, address(0));
    mine({pay(10)});
    EXPECT_EQ(wallet->current_address(true, 1).address, address(2));
    EXPECT_EQ(shown(), 0U);
}

TEST_F(ReceiveDescriptor, HasACurrentAddressOfItsOwn) {
    watch({account_key("wpkh(", "/<0;1>/*)"), account_key("wpkh(", "/2/*)")});
    wallet->receive_address(true, 2);
    for (int i = 0; i < 2; ++i) {
        EXPECT_EQ(wallet->current_address(true, 2).path, (KeyPath{2, 1}));
        EXPECT_EQ(wallet->current_address(true).path, (KeyPath{0, 0}));
        reopen();
    }
}

TEST_F(ReceiveDescriptor, WithoutAnAddressIsNotReplacedByAnother) {
    watch({"pk(" + std::string(kImportedKey) + ")"});
    ASSERT_EQ(import_from(range(), std::nullopt), "");
    EXPECT_EQ(shown(), std::nullopt);
    EXPECT_EQ(shown(1), 1U);
}

TEST_F(ReceiveDescriptor, IsTheRangeThatHasTheFirstAddress) {
    watch({address(3)});
    ASSERT_EQ(import_from("tr(" + std::string(kImportedKey) + ")", std::nullopt), "");
    ASSERT_EQ(import_from(range(), std::nullopt), "");
    EXPECT_EQ(shown(), 2U);
}

}  // namespace
}  // namespace petal::wallet
