// Wallet files of earlier and later versions.
#include "wallet/store/wallet_schema.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <set>
#include <span>
#include <string>
#include <vector>

#include "tests/support/file_content.h"
#include "tests/wallet/wallet_fixture.h"

namespace petal::wallet {
namespace {

namespace fs = std::filesystem;
using test::regtest_params;
using Kind = WalletError::Kind;

class WalletVersions : public test::WalletFixture {
protected:
    auto open(Access access = Access::read) const {
        return test::error_of([&] { return Wallet::open(file, regtest_params(), access); });
    }
};

/// The statements that created a file's tables, in the order of the file.
std::vector<std::string> tables_of(const fs::path& file) {
    SQLite::Database database(file.string());
    SQLite::Statement query(database,
                            "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY rowid");
    std::vector<std::string> tables;
    while (query.executeStep()) tables.push_back(query.getColumn(0).getString());
    return tables;
}

/// A digest of the first `count` tables.
std::string digest_of(const std::vector<std::string>& tables, std::size_t count) {
    std::string text;
    for (const std::string& sql : std::span(tables).first(count)) text += sql + "\n";
    return chain::to_hex(chain::sha256(chain::as_bytes(text)));
}

// Users have wallet files of every version, so the tables of a released version must never change.
TEST_F(WalletVersions, TablesOfEachVersionAreAsTheyWereReleased) {
    wallet.reset();
    const auto now = tables_of(file);
    ASSERT_EQ(now.size(), 21U);
    EXPECT_EQ(digest_of(now, 8), "600957339dff3507b407a9ae3ca0417286a71465c64b55875a2fa625d070f3d2")
        << "version 1";
    EXPECT_EQ(digest_of(now, 9), "4c32b00f152c8fadc7bd9e658c06a3325db47b6f20b1de481dcef7fe5317740a")
        << "version 2";
    EXPECT_EQ(digest_of(now, 10),
              "5a45d12e479935fdacf27bbbfeabc93ca583e9f08ade8f9edcacf3e718c3ae5d")
        << "version 3";
    EXPECT_EQ(digest_of(now, 14),
              "7edfd4f92520a1ffda302614571218822b37ed299dc9c959f3400c7d9754da26")
        << "version 7";
    EXPECT_EQ(digest_of(now, 15),
              "7683c83c02157dd77fe549cf2ac3aa0dc25a895c6264f2720272259e33961fb3")
        << "version 8";
    EXPECT_EQ(digest_of(now, 19),
              "8ab6def496a2e8cd05fe100b6879c4be0d154dad43f4afc8d7e2e7e904d24c4c")
        << "version 9";
    EXPECT_EQ(digest_of(now, 20),
              "1548855510b6fd37df30af57674ad99054e76d44dc46ff2b83b5b39b37e0ce79")
        << "version 10";
    EXPECT_EQ(digest_of(now, 21),
              "0be8d4b2fc20ddc308a0d6ee872944b0bdbc38a30d4e118ec664e89ff064e05d")
        << "version 11";

    execute(test::kToFourthVersion);
    EXPECT_EQ(digest_of(tables_of(file), 11),
              "c266e921e21d0bf982e7d7d14021ed2fb6fb4ba2f6fccf439b66a06e5023ffc6")
        << "version 4";
    for (const std::string& later : std::span(now).subspan(10, 3)) execute(later);
    EXPECT_EQ(digest_of(tables_of(file), 14),
              "ec24c3c950a153a26538376895e241bccdd187796991f090738bbe31c8422b69")
        << "versions 5 and 6";

    execute("PRAGMA user_version = 6");
    EXPECT_EQ(open(Access::sync), std::nullopt);
    EXPECT_EQ(tables_of(file), now) << "the file has been upgraded";
}

TEST_F(WalletVersions, ExplanationsThatWereSeenAreStored) {
    EXPECT_EQ(wallet->seen_explanations(), std::set<std::string>{});
    Wallet::remember_explanations(file, {"a", "b"});
    Wallet::remember_explanations(file, {"b", "c"});
    wallet.reset();
    const std::set<std::string> seen{"a", "b", "c"};
    EXPECT_EQ(Wallet::open(file, regtest_params(), Access::read).seen_explanations(), seen);
    execute(test::kToEighthVersion);
    Wallet::remember_explanations(file, {"a"});
    EXPECT_TRUE(Wallet::open(file, regtest_params(), Access::read).seen_explanations().empty())
        << "an earlier version is not upgraded";
}

TEST_F(WalletVersions, LaterVersionIsNotTouched) {
    wallet.reset();
    execute("PRAGMA user_version = " + std::to_string(kSchemaVersion + 1));
    EXPECT_EQ(open(), Kind::newer_version);
    EXPECT_EQ(open(Access::sync), Kind::newer_version);
    execute("PRAGMA user_version = " + std::to_string(kSchemaVersion));
    EXPECT_EQ(open(), std::nullopt);
}

TEST_F(WalletVersions, FirstVersionIsReadAndRenewed) {
    const auto funding = pay(10);
    mine({funding});
    test::see(*wallet,
              test::sign(test::spend({test::output_of(funding)}, {{9, test::foreign_script()}}),
                         std::vector{funding}),
              1);
    const auto balance = wallet->balance();
    ASSERT_EQ(balance.unconfirmed_spent, 10);
    wallet.reset();
    execute(test::kToSecondVersion);
    execute("DROP TABLE announced; PRAGMA user_version = 1");
    EXPECT_EQ(Wallet::open(file, regtest_params(), Access::read).balance(), balance);
    EXPECT_TRUE(Wallet::open(file, regtest_params(), Access::read).own_unconfirmed().empty());
    for (int i = 0; i < 2; ++i) {
        auto renewed = Wallet::open(file, regtest_params(), Access::sync);
        EXPECT_EQ(renewed.balance().confirmed, 10);
        EXPECT_TRUE(renewed.own_unconfirmed().empty());
    }
    EXPECT_EQ(open(), std::nullopt);
}

TEST_F(WalletVersions, SecretOfTheSecondVersionMovesToItsOwnTable) {
    const std::string seed = chain::to_hex(wallet->secret(""));
    wallet.reset();
    execute(test::kToSecondVersion);
    EXPECT_EQ(ask("SELECT length(secret) FROM identity"), 64);
    EXPECT_EQ(chain::to_hex(Wallet::open(file, regtest_params(), Access::read).secret("")), seed);
    {
        const auto renewed = Wallet::open(file, regtest_params(), Access::sync);
        EXPECT_EQ(chain::to_hex(renewed.secret("")), seed);
    }
    EXPECT_EQ(ask("SELECT length(secret) FROM identity"), 0);
    EXPECT_EQ(ask("SELECT length(secret) FROM secret"), 64);

    const std::string bytes = test::file_text(file);
    const auto raw = chain::from_hex(seed).value();
    const std::string_view wanted(reinterpret_cast<const char*>(raw.data()), raw.size());
    const std::size_t first = bytes.find(wanted);
    ASSERT_NE(first, std::string::npos);
    EXPECT_EQ(bytes.find(wanted, first + 1), std::string::npos) << "the old place is empty";
}

// A reader must not see a half upgraded file, and the file must be upgraded in the end.
TEST_F(WalletVersions, FileOfAnEarlierVersionWaitsForItsReaders) {
    wallet.reset();
    execute(test::kToSecondVersion);
    const test::ChildProcess reader([&](const auto& begun) {
        SQLite::Database database(file.string(), SQLite::OPEN_READONLY);
        SQLite::Transaction transaction(database);
        static_cast<void>(database.execAndGet("SELECT count(*) FROM tx"));
        begun();
        ::usleep(300'000);
    });
    EXPECT_EQ(open(Access::sync), std::nullopt);
    EXPECT_EQ(ask("PRAGMA user_version"), kSchemaVersion);
}

}  // namespace
}  // namespace petal::wallet
