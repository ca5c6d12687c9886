// The content of a new wallet: keys, secret, birthday.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <stdexcept>

#include "tests/wallet/wallet_fixture.h"
#include "wallet/wallet.h"

namespace petal::wallet {
namespace {

using Kind = WalletError::Kind;

TEST(WalletKeys, AreThoseOfBip84) {
    const test::TemporaryFolder folder;
    auto wallet = Wallet::create(folder.path() / "w.sqlite", *chain::find_network("mainnet"),
                                 test::new_wallet());

    // BIP84, test vectors.
    const auto first = wallet.receive_address(false);
    EXPECT_EQ(first.address, "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu");
    EXPECT_EQ(first.path_text, "m/84h/0h/0h/0/0");
    EXPECT_EQ(wallet.addresses(KeyChain::receive, 2)[1].address,
              "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g");
    EXPECT_EQ(wallet.addresses(KeyChain::change, 1)[0].address,
              "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el");
    EXPECT_EQ(wallet.info().fingerprint, "73c5da0a");
    EXPECT_EQ(wallet.info().name, "w");
    ASSERT_EQ(wallet.info().descriptors.size(), 2U);
    EXPECT_EQ(wallet.info().descriptors[0].substr(0, 26), "wpkh([73c5da0a/84h/0h/0h]x");
}

TEST(WalletSecret, IsTheSeedOfTheWords) {
    const test::TemporaryFolder folder;
    auto made = test::new_wallet();
    made.passphrase = "TREZOR";
    const auto wallet = Wallet::create(folder.path() / "w", test::regtest_params(), made);

    // BIP39's reference vectors (github.com/trezor/python-mnemonic).
    EXPECT_EQ(
        chain::to_hex(wallet.secret("")),
        "c55257c360c07c72029aebc1b53c05ed0362ada38ead3e3e9efa3708e53495531f09a6987599d18264c1e1c9"
        "2f2cf141630c7a3c4ab7c81b2f001698e7463b04");
    EXPECT_FALSE(wallet.info().encrypted);
}

TEST(WalletSecret, IsGivenForThePasswordAlone) {
    const test::TemporaryFolder folder;
    auto made = test::new_wallet();
    made.password = "correct horse";
    made.scrypt_cost = test::kCheapScrypt;
    const auto file = folder.path() / "w";
    {
        const auto wallet = Wallet::create(file, test::regtest_params(), made);
        EXPECT_TRUE(wallet.info().encrypted);
    }
    const auto wallet = Wallet::open(file, test::regtest_params(), Access::read);
    EXPECT_TRUE(wallet.info().encrypted);
    EXPECT_EQ(chain::to_hex(wallet.secret("correct horse")).substr(0, 8), "5eb00bbd");
    EXPECT_EQ(test::error_of([&] { return wallet.secret("wrong"); }), Kind::bad_password);
    EXPECT_EQ(test::error_of([&] { return wallet.secret(""); }), Kind::bad_password);
}

// An attacker with write access to the file could redirect all payments.
TEST(WalletSecret, IsNotGivenBesideAnotherAccountsKey) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "w";
    auto made = test::new_wallet();
    made.passphrase = "TREZOR";
    const auto other = Wallet::create(folder.path() / "other", test::regtest_params(), made);
    const std::string other_key = test::account_of(other).to_string(test::regtest_params());
    made.passphrase = "";
    made.scrypt_cost = test::kCheapScrypt;
    for (const std::string password : {"", "correct horse"}) {
        for (const std::string& change :
             {"account_key = '" + other_key + "'", std::string("fingerprint = x'00112233'")}) {
            made.password = password;
            std::filesystem::remove(file);
            static_cast<void>(Wallet::create(file, test::regtest_params(), made));
            SQLite::Database(file.string(), SQLite::OPEN_READWRITE)
                .exec("UPDATE identity SET " + change);
            const auto changed = Wallet::open(file, test::regtest_params(), Access::read);
            EXPECT_EQ(test::error_of([&] { return changed.secret(password); }), Kind::damaged)
                << change;
        }
    }
}

// The mnemonic of such a wallet is never shown, so its coins would be lost with its file.
TEST(WalletCreation, LeavesNoWalletThatItCouldNotOpen) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "w";
    std::filesystem::create_directory(file.string() + ".sync-lock");
    EXPECT_EQ(test::error_of(
                  [&] { return Wallet::create(file, test::regtest_params(), test::new_wallet()); }),
              Kind::storage);
    EXPECT_FALSE(std::filesystem::exists(file));
    EXPECT_FALSE(std::filesystem::exists(file.string() + ".new"));
    std::filesystem::remove(file.string() + ".sync-lock");
    static_cast<void>(Wallet::create(file, test::regtest_params(), test::new_wallet()));
}

TEST(WalletCreation, RefusesWordsThatAreNoMnemonic) {
    const test::TemporaryFolder folder;
    auto made = test::new_wallet();
    made.mnemonic = "abandon abandon";
    EXPECT_THROW(Wallet::create(folder.path() / "w", test::regtest_params(), made),
                 std::invalid_argument);
    made = test::new_wallet();
    made.passphrase = "\xff";
    EXPECT_THROW(Wallet::create(folder.path() / "w", test::regtest_params(), made),
                 std::invalid_argument);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

TEST(WalletDeletion, RemovesADraftThatMayHoldTheSeed) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "w";
    Wallet::create(file, test::regtest_params(), test::new_wallet());
    const auto draft = folder.path() / "w.new";
    for (const char* suffix : {"", "-journal"}) std::ofstream(draft.string() + suffix) << "seed";
    Wallet::remove(file);
    EXPECT_TRUE(std::filesystem::is_empty(folder.path())) << "the lock files are removed, too";
}

TEST(WalletDeletion, RefusesASymbolicLink) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "w";
    const auto link = folder.path() / "link";
    Wallet::create(file, test::regtest_params(), test::new_wallet());
    std::filesystem::create_symlink(file, link);
    EXPECT_THROW(Wallet::remove(link), WalletError);
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_TRUE(std::filesystem::exists(file));
}

TEST(WalletCreation, KeepsTheBirthday) {
    const test::TemporaryFolder folder;
    auto made = test::new_wallet();
    made.birthday = {812, 1'690'000'000};
    const auto file = folder.path() / "w";
    EXPECT_EQ(Wallet::create(file, test::regtest_params(), made).birthday().height, 812U);
    const auto wallet = Wallet::open(file, test::regtest_params(), Access::sync);
    EXPECT_EQ(wallet.birthday().height, 812U);
    EXPECT_EQ(wallet.birthday().time, 1'690'000'000 - 86'400);
    EXPECT_EQ(wallet.info().birthday.time, 1'690'000'000) << "the given birthday";
    EXPECT_EQ(wallet.info().birthday.height, 812U);
}

TEST(WalletCreation, RefusesABirthdayInMilliseconds) {
    const test::TemporaryFolder folder;
    auto made = test::new_wallet();
    made.birthday.time = 1'690'000'000'000;
    EXPECT_THROW(Wallet::create(folder.path() / "w", test::regtest_params(), made),
                 std::invalid_argument);
    EXPECT_FALSE(std::filesystem::exists(folder.path() / "w"));
}

}  // namespace
}  // namespace petal::wallet
