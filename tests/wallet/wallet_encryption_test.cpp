// Encrypting an existing wallet: what remains on the disk, whatever happens meanwhile.
#include <gtest/gtest.h>
#include <unistd.h>

#include <random>

#include "chain/hash.h"
#include "tests/support/file_content.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/keys/secret_box.h"
#include "wallet/wallet.h"

namespace petal::wallet {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::kCheapScrypt;
using test::regtest_params;
using Kind = WalletError::Kind;

// Eight bytes of the seed of test::kMnemonic, so that a partial copy is found as well.
constexpr std::string_view kPartOfSeed = "\x5e\xb0\x0b\xbd\xdc\xf0\x69\x08";

/// The files of a folder that contain the unencrypted seed.
std::vector<std::string> files_with_seed(const fs::path& folder) {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        if (test::file_text(entry.path()).find(kPartOfSeed) != std::string::npos) {
            names.push_back(entry.path().filename().string());
        }
    }
    return names;
}

std::string seed_text(const Wallet& wallet, std::string_view password) {
    return chain::to_hex(wallet.secret(password)).substr(0, 16);
}

class WalletEncryptionTest : public test::WalletFixture {
protected:
    WalletEncryptionTest() {
        mine({pay(10)});
        wallet->receive_address(true);
        wallet->set_label(wallet->script_at(wallet->receive_address(false).path), "Lunch");
    }
};

TEST_F(WalletEncryptionTest, LeavesTheSeedInNoFile) {
    EXPECT_EQ(files_with_seed(folder.path()), std::vector<std::string>{"wallet.sqlite"});
    wallet->encrypt("", "correct horse", kCheapScrypt);
    EXPECT_EQ(files_with_seed(folder.path()), std::vector<std::string>{});

    EXPECT_TRUE(wallet->info().encrypted);
    EXPECT_EQ(seed_text(*wallet, "correct horse"), "5eb00bbddcf06908");
    EXPECT_EQ(error_of([&] { return wallet->secret(""); }), Kind::bad_password);
    mine({pay(20, 1, 1)});
    EXPECT_EQ(wallet->balance().total(), 30);
    reopen();
    EXPECT_TRUE(wallet->info().encrypted);
    EXPECT_EQ(seed_text(*wallet, "correct horse"), "5eb00bbddcf06908");
    EXPECT_EQ(files_with_seed(folder.path()), std::vector<std::string>{});
}

TEST_F(WalletEncryptionTest, LeavesTheSeedInNoFileOfAnEarlierVersion) {
    wallet.reset();
    execute(test::kToSecondVersion);
    execute("PRAGMA journal_mode = WAL");
    wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
    mine({pay(20, 1, 1)});
    wallet->encrypt("", "correct horse", kCheapScrypt);
    EXPECT_EQ(files_with_seed(folder.path()), std::vector<std::string>{});
    EXPECT_EQ(seed_text(*wallet, "correct horse"), "5eb00bbddcf06908");
}

TEST_F(WalletEncryptionTest, ChangesThePasswordOnlyWithTheOldOne) {
    wallet->encrypt("", "correct horse", kCheapScrypt);
    const auto change = [&](std::string_view old_password) {
        return error_of([&] {
            wallet->encrypt(old_password, "battery staple", kCheapScrypt);
            return 0;
        });
    };
    EXPECT_EQ(change(""), Kind::bad_password);
    EXPECT_EQ(change("battery staple"), Kind::bad_password);
    EXPECT_EQ(seed_text(*wallet, "correct horse"), "5eb00bbddcf06908");
    EXPECT_EQ(change("correct horse"), std::nullopt);
    EXPECT_EQ(seed_text(*wallet, "battery staple"), "5eb00bbddcf06908");
    EXPECT_EQ(error_of([&] { return wallet->secret("correct horse"); }), Kind::bad_password);
}

// The seed in a box of the first version, which is not bound to any keys, with the password
// "tulip". Sealed in Python with hashlib.scrypt and cryptography's ChaCha20Poly1305.
TEST_F(WalletEncryptionTest, BindsABoxOfTheFirstVersion) {
    constexpr const char* kOldBox =
        "706574616c626f7801040801000102030405060708090a0b0c0d0e0f10111213141516171819"
        "1a1b1c1d1e1f6465666768696a6b6c6d6e6f0575f24415438cc1f8fa565507cb1db65afeccc7"
        "3abb68ec1eb54f89b964733ab0bed076946827040871607c43cf6f6c366122eaf859bbf866db"
        "c937148ad885206fd788ae9b52b242b2ec868c58f0ceb74b0205fb75447b";
    constexpr const char* kVersion = "SELECT unicode(substr(CAST(secret AS TEXT), 9)) FROM secret";
    wallet.reset();
    execute("UPDATE secret SET secret = x'" + std::string(kOldBox) + "'");
    execute("UPDATE identity SET encrypted = 1");
    wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
    EXPECT_EQ(seed_text(*wallet, "tulip"), "5eb00bbddcf06908");
    EXPECT_EQ(error_of([&] { return wallet->secret("rose"); }), Kind::bad_password);
    EXPECT_EQ(ask(kVersion), 1);
    wallet->encrypt("tulip", "tulip", kCheapScrypt);
    EXPECT_EQ(ask(kVersion), 2);
    EXPECT_EQ(seed_text(*wallet, "tulip"), "5eb00bbddcf06908");
}

// The keyboard of another system may compose accents in another way.
TEST_F(WalletEncryptionTest, TakesAPasswordInAnyNormalForm) {
    const std::string_view composed = "caf\u00e9\u00a0\uff11";
    const std::string_view decomposed = "cafe\u0301 1";
    wallet->encrypt("", composed, kCheapScrypt);
    EXPECT_EQ(seed_text(*wallet, decomposed), "5eb00bbddcf06908");
    EXPECT_EQ(seed_text(*wallet, composed), "5eb00bbddcf06908");
    EXPECT_EQ(error_of([&] { return wallet->secret("cafe 1"); }), Kind::bad_password);
    wallet->encrypt(composed, "\xff", kCheapScrypt);
    EXPECT_EQ(seed_text(*wallet, "\xff"), "5eb00bbddcf06908");
}

// The box of BindsABoxOfTheFirstVersion with the password "caf\u00e9", which earlier versions did
// not normalise.
TEST_F(WalletEncryptionTest, OpensABoxThatWasSealedWithThePasswordAsItWasTyped) {
    constexpr const char* kOldBox =
        "706574616c626f7801040801000102030405060708090a0b0c0d0e0f10111213141516171819"
        "1a1b1c1d1e1f6465666768696a6b6c6d6e6ff28c1d75c3bb58122b5bbf4d479b4898dfa86113"
        "968501633793c685123830e524f95c1091bc85e2c8ad8bb0b5a1df390e1266e228955bb8e938"
        "6dfe9f1f53ffa9b2f5755d33b847a5296e5d618b1c88b22a970d0dd56eac";
    wallet.reset();
    execute("UPDATE secret SET secret = x'" + std::string(kOldBox) + "'");
    execute("UPDATE identity SET encrypted = 1");
    wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
    EXPECT_EQ(seed_text(*wallet, "caf\u00e9"), "5eb00bbddcf06908");
    EXPECT_EQ(error_of([&] { return wallet->secret("cafe\u0301"); }), Kind::bad_password);
    wallet->encrypt("caf\u00e9", "caf\u00e9", kCheapScrypt);
    EXPECT_EQ(seed_text(*wallet, "cafe\u0301"), "5eb00bbddcf06908");
}

// A process that is forked while the wallet is open would take its parent's SQLite locks for its
// own, so the wallet is closed first.
TEST_F(WalletEncryptionTest, WaitsForReaders) {
    wallet.reset();
    const test::ChildProcess reader([&](const auto& begun) {
        SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
        SQLite::Transaction transaction(database);
        static_cast<void>(database.execAndGet("SELECT count(*) FROM tx"));
        begun();
        ::usleep(300'000);
    });
    wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
    wallet->encrypt("", "correct horse", kCheapScrypt);
    EXPECT_EQ(files_with_seed(folder.path()), std::vector<std::string>{});
}

TEST_F(WalletEncryptionTest, ChangesNothingIfAReaderDoesNotEnd) {
    wallet.reset();
    const test::ChildProcess reader([&](const auto& begun) {
        SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
        SQLite::Transaction transaction(database);
        static_cast<void>(database.execAndGet("SELECT count(*) FROM tx"));
        begun();
        ::pause();
    });
    wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
    EXPECT_EQ(error_of([&] {
                  wallet->encrypt("", "correct horse", kCheapScrypt);
                  return 0;
              }),
              Kind::locked_by_other);
    EXPECT_FALSE(wallet->info().encrypted);
    EXPECT_EQ(seed_text(*wallet, ""), "5eb00bbddcf06908");
    mine({pay(20, 1, 1)});
    EXPECT_EQ(wallet->balance().total(), 30);
}

TEST(WalletEncryption, SurvivesKillsAtAnyMoment) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "w";
    std::mt19937_64 random(7);
    int encrypted = 0;
    int clear = 0;
    constexpr int kRounds = 60;
    for (int round = 0; round < kRounds; ++round) {
        fs::remove(file);
        static_cast<void>(Wallet::create(file, regtest_params(), test::new_wallet(5, 5)));
        {
            const test::ChildProcess child([&](const auto& begun) {
                auto wallet = Wallet::open(file, regtest_params(), Access::sync);
                begun();
                wallet.encrypt("", "correct horse", kCheapScrypt);
                ::pause();
            });
            // The last round finishes, and probably most of the twenty rounds before it.
            const auto limit = round < 40 ? 15'000U : 200'000U;
            ::usleep(round + 1 < kRounds ? static_cast<useconds_t>(random() % limit) : 2'000'000U);
        }
        const bool had_seed = !files_with_seed(folder.path()).empty();
        const auto wallet = Wallet::open(file, regtest_params(), Access::read);
        if (wallet.info().encrypted) {
            ++encrypted;
            EXPECT_FALSE(had_seed) << "round " << round;
            EXPECT_EQ(seed_text(wallet, "correct horse"), "5eb00bbddcf06908");
        } else {
            ++clear;
            EXPECT_EQ(seed_text(wallet, ""), "5eb00bbddcf06908");
        }
    }
    EXPECT_GT(encrypted, 0);
    EXPECT_GT(clear, 0);
}

}  // namespace
}  // namespace petal::wallet
