// The wallet file: permissions, locks, damage.
#include "wallet/store/wallet_store.h"

#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <random>

#include "tests/support/file_content.h"
#include "tests/wallet/wallet_fixture.h"

namespace petal::wallet {
namespace {

namespace fs = std::filesystem;
using test::error_of;
using test::new_wallet;
using test::regtest_params;
using Kind = WalletError::Kind;

class WalletStoreTest : public test::WalletFixture {
protected:
    auto open(Access access = Access::read) const {
        return error_of([&] { return Wallet::open(file, regtest_params(), access); });
    }
};

unsigned mode_of(const fs::path& path) {
    struct stat status {};
    EXPECT_EQ(::stat(path.c_str(), &status), 0) << path;
    return status.st_mode & 0777U;
}

void write_file(const fs::path& file, std::string_view bytes) {
    std::ofstream stream(file, std::ios::binary | std::ios::trunc);
    stream.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
}

TEST(WalletFile, IsForItsOwnerAlone) {
    const test::TemporaryFolder folder;
    const auto file = folder.path() / "data" / "regtest" / "w.sqlite";
    const mode_t old_mask = ::umask(0);
    auto wallet = Wallet::create(file, regtest_params(), new_wallet());
    wallet.receive_address(true);
    ::umask(old_mask);

    EXPECT_EQ(mode_of(file), 0600U);
    EXPECT_EQ(mode_of(file.string() + "-wal"), 0600U);
    EXPECT_EQ(mode_of(file.string() + "-shm"), 0600U);
    EXPECT_EQ(mode_of(file.string() + ".lock"), 0600U);
    EXPECT_EQ(mode_of(file.string() + ".sync-lock"), 0600U);
    EXPECT_EQ(mode_of(file.parent_path()), 0700U);
    EXPECT_EQ(mode_of(file.parent_path().parent_path()), 0700U);
}

TEST_F(WalletStoreTest, LeavesNothingBesideButItsLocks) {
    wallet.reset();
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder.path())) {
        names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    EXPECT_EQ(names, (std::vector<std::string>{"wallet.sqlite", "wallet.sqlite.lock",
                                               "wallet.sqlite.sync-lock"}));
}

TEST_F(WalletStoreTest, IsNeverMadeOverAnother) {
    const auto again = [&] { return Wallet::create(file, regtest_params(), new_wallet()); };
    EXPECT_EQ(error_of(again), Kind::exists);
    wallet.reset();
    const std::string before = test::file_text(file);
    EXPECT_EQ(error_of(again), Kind::exists);
    EXPECT_EQ(test::file_text(file), before);
}

TEST_F(WalletStoreTest, IsNoSymbolicLink) {
    wallet.reset();
    fs::rename(file, folder.path() / "other");
    fs::create_symlink(folder.path() / "other", file);
    EXPECT_EQ(open(), Kind::storage);
    EXPECT_EQ(open(Access::sync), Kind::storage);
    try {
        Wallet::open(file, regtest_params(), Access::read);
    } catch (const WalletError& error) {
        EXPECT_NE(std::string(error.what()).find("a symbolic link"), std::string::npos);
    }
    // The folder may be reached through a symlink.
    fs::create_directory_symlink(folder.path(), folder.path() / "link");
    EXPECT_EQ(error_of([&] {
                  return Wallet::open(folder.path() / "link" / "other", regtest_params(),
                                      Access::sync);
              }),
              std::nullopt);
}

TEST_F(WalletStoreTest, HasOneSyncAtATime) {
    EXPECT_EQ(open(Access::sync), Kind::locked_by_other);
    EXPECT_EQ(open(Access::read), std::nullopt);

    wallet.reset();
    {
        const test::ChildProcess other([&](const auto& begun) {
            const auto its_own = Wallet::open(file, regtest_params(), Access::sync);
            begun();
            ::pause();
        });
        EXPECT_EQ(open(Access::sync), Kind::locked_by_other);
        EXPECT_EQ(open(Access::read), std::nullopt);
    }
    EXPECT_EQ(open(Access::sync), std::nullopt);
}

TEST_F(WalletStoreTest, ReportsAMissingWallet) {
    const auto elsewhere = [&](const fs::path& path) {
        return error_of([&] { return Wallet::open(path, regtest_params(), Access::sync); });
    };
    EXPECT_EQ(elsewhere(folder.path() / "other"), Kind::missing);
    EXPECT_EQ(elsewhere(folder.path() / "no" / "other"), Kind::missing);
    EXPECT_FALSE(fs::exists(folder.path() / "other.lock"));
    EXPECT_EQ(elsewhere(file / "below-a-file"), Kind::storage);
    EXPECT_EQ(elsewhere(folder.path()), Kind::storage);
}

TEST_F(WalletStoreTest, IsNotMadeInAnUnwritablePlace) {
    const auto make = [&](const fs::path& path) {
        return error_of([&] { return Wallet::create(path, regtest_params(), new_wallet()); });
    };
    EXPECT_EQ(make(file / "w"), Kind::storage) << "the data folder is a file";
    EXPECT_EQ(make("/proc/petal/w"), Kind::storage) << "no folder can be created there";
}

TEST_F(WalletStoreTest, BelongsToItsNetwork) {
    wallet.reset();
    EXPECT_EQ(error_of([&] {
                  return Wallet::open(file, *chain::find_network("testnet4"), Access::read);
              }),
              Kind::wrong_network);
}

TEST_F(WalletStoreTest, IsCreatedDespiteLeftoversOfAKilledCreation) {
    const auto other = folder.path() / "other";
    write_file(other.string() + ".new", "half a wallet");
    write_file(other.string() + ".new-journal", "its journal");
    EXPECT_EQ(error_of([&] { return Wallet::open(other, regtest_params(), Access::read); }),
              Kind::missing);
    {
        const auto made = Wallet::create(other, regtest_params(), new_wallet());
        EXPECT_EQ(made.balance(), Balance{});
    }
    EXPECT_FALSE(fs::exists(other.string() + ".new"));
    EXPECT_FALSE(fs::exists(other.string() + ".new-journal"));
}

// SQLite would apply the write-ahead log to the new file.
TEST_F(WalletStoreTest, LogOfARemovedWalletIsNotAppliedToANewOne) {
    mine({pay(10)});
    const std::string log = test::file_text(file.string() + "-wal");
    ASSERT_FALSE(log.empty());
    wallet.reset();
    fs::remove(file);
    write_file(file.string() + "-wal", log);

    const auto made = Wallet::create(file, regtest_params(), new_wallet());
    EXPECT_EQ(made.balance(), Balance{});
}

struct DamageCase {
    std::string name;
    std::string reason;  ///< in the error's text
    std::string sql;
    std::string sqlite_reason = {};  ///< instead, of an SQLite that notices it itself
};

void PrintTo(const DamageCase& c, std::ostream* out) {
    *out << c.name;
}

/// A closed wallet with a history, which a statement then damages.
class DamagedStore : public WalletStoreTest, public testing::WithParamInterface<DamageCase> {
protected:
    DamagedStore() {
        mine({pay(10), test::spend({test::foreign_coin(8)}, {{5, script(1)}})});
        test::see(*wallet, pay(3, 2, 3), 1);
        wallet->receive_address(true);
        wallet.reset();
    }
};

TEST_P(DamagedStore, RefusesTheFileWithItsReason) {
    EXPECT_EQ(open(), std::nullopt);
    execute("PRAGMA ignore_check_constraints = ON; PRAGMA foreign_keys = OFF;" + GetParam().sql);
    for (const Access access : {Access::read, Access::sync}) {
        try {
            Wallet::open(file, regtest_params(), access);
            ADD_FAILURE() << "the wallet is opened";
        } catch (const WalletError& error) {
            EXPECT_EQ(error.kind(), Kind::damaged);
            const auto gives = [&](const std::string& reason) {
                return std::string(error.what()).find(" is damaged (" + reason + "); ") !=
                       std::string::npos;
            };
            const auto& [name, reason, sql, sqlite_reason] = GetParam();
            EXPECT_TRUE(gives(reason) || gives(sqlite_reason)) << error.what();
        }
    }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Statements, DamagedStore, testing::ValuesIn(std::initializer_list<DamageCase>{
    {"OtherApplication",    "this is no wallet of petal's",     "PRAGMA application_id = 1"},
    {"NoVersion",           "unknown version",                  "PRAGMA user_version = 0"},
    {"NegativeVersion",     "unknown version",                  "PRAGMA user_version = -1"},
    {"TableGone",           "bad value of sql",                 "DROP TABLE handed_out"},
    {"TableMore",           "it has more tables than a wallet", "CREATE TABLE more (x)"},
    {"TableChanged",        "bad value of sql",                 "ALTER TABLE sync ADD COLUMN more INTEGER"},
    {"ColumnRenamed",       "its tables are not a wallet's",    "ALTER TABLE handed_out RENAME COLUMN end TO fin"},
    {"Trigger",             "it has more tables than a wallet", "CREATE TRIGGER t AFTER INSERT ON tx BEGIN DELETE FROM tx; END"},
    // In LIKE, an underscore matches any character.
    {"TriggerLikeSqlites",  "it has more tables than a wallet", "CREATE TRIGGER sqliteXevil AFTER INSERT ON tx BEGIN DELETE FROM tx; END"},
    {"TriggerAsSqlites",    "it has more tables than a wallet", "PRAGMA writable_schema = ON; INSERT INTO sqlite_schema VALUES ('trigger', 'sqlite_evil', 'tx', 0, 'CREATE TRIGGER sqlite_evil AFTER INSERT ON tx BEGIN DELETE FROM tx; END')"},
    {"NoIdentity",          "it has no keys",                   "DELETE FROM identity"},
    {"UnknownKind",         "bad value of kind",                "UPDATE identity SET kind = 4"},
    {"OtherKind",           "bad script",                       "UPDATE identity SET kind = 1"},
    {"BadAccountKey",       "bad account key",                  "UPDATE identity SET account_key = 'tpub'"},
    {"LongAccountKey",      "bad value of account_key",         "UPDATE identity SET account_key = printf('%.300c', 'x')"},
    {"MasterAsAccountKey",  "bad account key",                  "UPDATE identity SET account_key = 'tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56hjod1RhGjxbaTLV3X4FyWuejifB9jusQ46QzG87VKp'"},
    {"NoAccountsKey",       "bad account key",                  "UPDATE identity SET account_key = 'tpubDC8msFGVwFQp8aWGx8h43rfdRpjdX7ycBkcbaGpzuTeRmGMkMq2FpoUnRw5vtqnATDkSt8WKSeTh8uvDCz1zuZTfW5uM3ibYT6EAbNk5fFa'"},
    // The key m/0h of BIP32's first vector.
    {"KeyOfAnotherDepth",   "bad account key",                  "UPDATE identity SET account_key = 'tpubD8eQVK4Kdxg3gHrF62jGP7dKVCoYiEB8dFSpuTawkL5YxTus5j5pf83vaKnii4bc6v2NVEy81P2gYrJczYne3QNNwMTS53p5uzDyHvnw2jm'"},
    {"ShortFingerprint",    "bad fingerprint",                  "UPDATE identity SET fingerprint = x'0011'"},
    {"EncryptedHow",        "bad value of encrypted",           "UPDATE identity SET encrypted = 2"},
    {"NegativeBirthday",    "bad value of birthday_height",     "UPDATE identity SET birthday_height = -1"},
    {"BornBeforeAllTime",   "bad value of birthday_time",       "UPDATE identity SET birthday_time = -9223372036854775807"},
    {"NoGapLimit",          "bad look-ahead",                   "UPDATE identity SET gap_limit = 0"},
    {"GapBeyondWatched",    "bad look-ahead",                   "UPDATE identity SET gap_limit = 51"},
    {"WatchedBillions",     "scripts are missing",              "UPDATE identity SET watched = 4294967295"},
    {"NoSyncState",         "it has no sync state",             "DELETE FROM sync"},
    {"ShortSyncHash",       "bad value of hash",                "UPDATE sync SET hash = x'00'"},
    {"NoSyncHash",          "CHECK constraint failed in sync",  "UPDATE sync SET height = 1, hash = NULL"},
    {"NoSyncHeight",        "CHECK constraint failed in sync",  "UPDATE sync SET height = NULL"},
    {"HugeSyncHeight",      "bad value of height",              "UPDATE sync SET height = 4294967296"},
    {"LastSyncHeight",      "bad value of height",              "UPDATE sync SET height = 4294967295, hash = zeroblob(32)"},
    {"HandedOutBeyond",     "scripts are missing",              "UPDATE handed_out SET end = 51"},
    {"HandedOutBillions",   "scripts are missing",              "UPDATE handed_out SET end = 4294967295"},
    {"HandedOutTooFar",     "scripts are missing",              "UPDATE handed_out SET end = 31"},
    {"ScriptGone",          "scripts are missing",              "DELETE FROM script WHERE chain = 0 AND number = 7"},
    {"ScriptChanged",       "its scripts have changed",         "UPDATE script SET script = CAST(x'0014' || zeroblob(20) AS BLOB) WHERE chain = 1 AND number = 30"},
    {"ScriptsExchanged",    "its scripts have changed",         "UPDATE script SET script = (SELECT script FROM script AS other WHERE other.number = 7 - script.number AND other.chain = script.chain) WHERE number IN (3, 4)"},
    {"ScriptDigestGone",    "its scripts have changed",         "DELETE FROM script_digest"},
    {"ScriptDigestCut",     "bad digest of scripts",            "UPDATE script_digest SET digest = x'00'"},
    {"ScriptDigestChanged", "its scripts have changed",         "UPDATE script_digest SET digest = zeroblob(32)"},
    {"LastScriptGone",      "its scripts have changed",         "DELETE FROM script WHERE chain = 1 AND number = 49"},
    {"ScriptTwice",         "scripts are missing",              "INSERT INTO script (chain, number, script) VALUES (0, 49, x'00')"},
    {"ScriptOfNoChain",     "scripts of no descriptor",         "UPDATE script SET chain = 2 WHERE id = 1"},
    {"EmptyScript",         "bad script",                       "UPDATE script SET script = x'' WHERE id = 3"},
    {"ScriptOfAnotherKind", "bad script",                       "UPDATE script SET script = CAST(x'a914' || zeroblob(20) || x'87' AS BLOB) WHERE id = 3"},
    {"LongScript",          "bad value of script",              "UPDATE script SET script = zeroblob(10001) WHERE id = 3"},
    {"RootOfAnotherTable",  "two tables have the same page",    "PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = (SELECT rootpage FROM sqlite_schema WHERE name = 'announced') WHERE name = 'tx'"},
    {"RootOfAnotherIndex",  "an index lacks transactions",      "DELETE FROM merkle_branch; UPDATE tx SET height = NULL, position = NULL; DELETE FROM block; PRAGMA writable_schema = ON; UPDATE sqlite_schema SET rootpage = 2 * (SELECT avg(rootpage) FROM sqlite_schema WHERE name IN ('sqlite_autoindex_tx_2', 'tx_height')) - rootpage WHERE name IN ('sqlite_autoindex_tx_2', 'tx_height')", "wrong # of entries in index sqlite_autoindex_tx_2"},
    {"BlockGone",           "contradicting transactions",       "DELETE FROM block"},
    {"ShortBlockHash",      "bad value of hash",                "UPDATE block SET hash = x'00'"},
    {"ShortTxid",           "bad value of txid",                "UPDATE tx SET txid = x'00' WHERE seen_order = (SELECT max(seen_order) FROM tx)"},
    {"OtherTxid",           "bad transaction",                  "UPDATE tx SET txid = zeroblob(32) WHERE seen_order = (SELECT max(seen_order) FROM tx)"},
    {"NegativeOrder",       "bad value of seen_order",          "UPDATE tx SET seen_order = -1 WHERE seen_order = (SELECT max(seen_order) FROM tx)"},
    {"ZeroOrder",           "contradicting transactions",       "UPDATE tx SET seen_order = 0 WHERE seen_order = (SELECT max(seen_order) FROM tx)"},
    {"OrderOfTheLast",      "bad value of seen_order",          "UPDATE tx SET seen_order = 4611686018427387905 WHERE seen_order = (SELECT max(seen_order) FROM tx)"},
    {"SeenAfterAllTime",    "bad value of seen_time",           "UPDATE tx SET seen_time = 9223372036854775807"},
    {"SeenBeforeAllTime",   "bad value of seen_time",           "UPDATE tx SET seen_time = -9223372036854775807"},
    {"HugeHeight",          "bad value of height",              "UPDATE block SET height = 2147483648; UPDATE tx SET height = 2147483648 WHERE height IS NOT NULL"},
    {"BlockAfterAllTime",   "bad value of time",                "UPDATE block SET time = 253402300800"},
    {"PositionGone",        "CHECK constraint failed in tx",    "UPDATE tx SET position = NULL"},
    {"HeightGone",          "CHECK constraint failed in tx",    "UPDATE tx SET height = NULL WHERE position = 4"},
    {"TransactionCut",      "bad transaction",                  "UPDATE tx SET raw = substr(raw, 1, length(raw) - 1)"},
    {"TransactionEmpty",    "bad transaction",                  "UPDATE tx SET raw = x''"},
    {"TransactionChanged",  "bad transaction",                  "UPDATE tx SET raw = CAST(raw || x'00' AS BLOB)"},
    {"TransactionHuge",     "bad value of raw",                 "UPDATE tx SET raw = zeroblob(4000001)"},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// SQLite: file format, 1.6: the number of entries is at offset 3 of a page, in big-endian order.
TEST_F(WalletStoreTest, PageThatHasLostAnEntryIsNoticed) {
    for (const int amount : {1, 2, 3}) mine({pay(amount)});
    wallet->set_label(wallet->script_at(wallet->receive_address(true).path), "Lunch");
    wallet.reset();
    const std::string intact = test::file_text(file);
    const std::int64_t page_bytes = ask("PRAGMA page_size");
    for (const char* const part : {"tx", "sqlite_autoindex_tx_1", "sqlite_autoindex_tx_2",
                                   "tx_height", "block", "handed_out", "label"}) {
        const std::string find = "SELECT rootpage FROM sqlite_schema WHERE name = '";
        const std::int64_t page = ask(find + part + "'");
        std::string damaged = intact;
        --damaged.at(static_cast<std::size_t>((page - 1) * page_bytes + 4));
        write_file(file, damaged);
        EXPECT_EQ(open(), Kind::damaged) << part;
    }
    write_file(file, intact);
    EXPECT_EQ(open(), std::nullopt);
}

TEST_F(WalletStoreTest, HandedOutUpToTheGapIsValid) {
    wallet.reset();
    execute("INSERT INTO handed_out VALUES (0, 30)");
    EXPECT_EQ(open(), std::nullopt);
}

TEST_F(WalletStoreTest, HugeCheckpointIsRefusedBeforeItIsRead) {
    wallet.reset();
    execute("UPDATE sync SET engine_memory = zeroblob(70000000)");
    EXPECT_EQ(open(), Kind::damaged);
}

TEST_F(WalletStoreTest, AddressThatTheKeysDoNotHaveIsNeverHandedOut) {
    wallet.reset();
    change_scripts(
        "UPDATE script SET script = CAST(x'0014' || zeroblob(20) AS BLOB)"
        " WHERE chain = 0 AND number = 1");
    auto opened = Wallet::open(file, regtest_params(), Access::sync);
    EXPECT_EQ(error_of([&] { return opened.receive_address(true); }), std::nullopt);
    EXPECT_EQ(error_of([&] { return opened.receive_address(false); }), Kind::damaged);
    EXPECT_EQ(error_of([&] { return opened.addresses(KeyChain::receive, 3); }), Kind::damaged);
}

TEST_F(WalletStoreTest, AddressThatTheKeysDoNotHaveGetsNoChange) {
    wallet.reset();
    change_scripts(
        "UPDATE script SET script = CAST(x'0014' || zeroblob(20) AS BLOB)"
        " WHERE chain = 1 AND number = 0");
    const auto opened = Wallet::open(file, regtest_params(), Access::sync);
    EXPECT_EQ(error_of([&] { return opened.change_for({}); }), Kind::damaged);
}

TEST_F(WalletStoreTest, KeepsTheLabelsOfAddresses) {
    const AddressEntry first = wallet->receive_address(true);
    const AddressEntry second = wallet->receive_address(false);
    wallet->set_label(wallet->script_at(first.path), "Lunch");
    wallet->set_label(wallet->script_at(second.path), "Dinner");
    wallet->set_label(wallet->script_at(second.path), std::string(kMaxLabelBytes, 'x'));
    reopen();
    const auto addresses = wallet->addresses(KeyChain::receive, 2);
    ASSERT_EQ(addresses.size(), 3U);
    EXPECT_EQ(addresses[0].label, "Lunch");
    EXPECT_EQ(addresses[1].label, std::string(kMaxLabelBytes, 'x'));
    EXPECT_EQ(addresses[2].label, "");
    EXPECT_EQ(wallet->addresses(KeyChain::change, 1)[0].label, "");
}

TEST_F(WalletStoreTest, LabelThatIsTooLongIsDamage) {
    const auto address = wallet->receive_address(false);
    wallet->set_label(wallet->script_at(address.path), "x");
    wallet.reset();
    execute("UPDATE label SET label = printf('%.1021c', 'x')");
    auto opened = Wallet::open(file, regtest_params(), Access::sync);
    EXPECT_EQ(error_of([&] { return opened.addresses(KeyChain::receive, 1); }), Kind::damaged);
    EXPECT_EQ(error_of([&] { return opened.history(0); }), Kind::damaged);
}

TEST_F(WalletStoreTest, CurrentAddressThatIsNotWatchedIsDamage) {
    wallet->current_address(true);
    wallet.reset();
    execute("UPDATE handed_out SET end = 1000000 WHERE chain = -1");
    auto opened = Wallet::open(file, regtest_params(), Access::sync);
    EXPECT_EQ(error_of([&] { return opened.current_address(true); }), Kind::damaged);
}

TEST_F(WalletStoreTest, ImpossibleSecretIsDamage) {
    wallet.reset();
    execute("UPDATE secret SET secret = zeroblob(63)");
    const auto opened = Wallet::open(file, regtest_params(), Access::read);
    EXPECT_EQ(error_of([&] { return opened.secret(""); }), Kind::damaged);
    execute("UPDATE identity SET encrypted = 1");
    const auto again = Wallet::open(file, regtest_params(), Access::read);
    EXPECT_EQ(error_of([&] { return again.secret("x"); }), Kind::damaged);
    execute("DELETE FROM secret");
    EXPECT_EQ(error_of([&] { return again.secret("x"); }), Kind::damaged);
}

TEST_F(WalletStoreTest, FileThatIsNoDatabaseIsDamage) {
    wallet.reset();
    write_file(file, "");
    EXPECT_EQ(open(), Kind::damaged);
    write_file(file, std::string(5'000, 'x'));
    EXPECT_EQ(open(), Kind::damaged);
    EXPECT_EQ(open(Access::sync), Kind::damaged);
    fs::remove(file);
    SQLite::Database(file.string(), SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE)
        .exec("CREATE TABLE other (x)");
    EXPECT_EQ(open(Access::sync), Kind::damaged);
}

TEST_F(WalletStoreTest, EveryMissingPageIsDamage) {
    wallet.reset();
    const std::string whole = test::file_text(file);
    ASSERT_EQ(whole.size() % 4'096, 0U);
    for (std::size_t size = 0; size < whole.size(); size += 4'096) {
        write_file(file, std::string_view(whole).substr(0, size));
        EXPECT_EQ(open(), Kind::damaged) << size << " of " << whole.size() << " bytes";
    }
}

// Not every bit matters, and not every change is noticed, but none may cause a crash or a hang.
TEST_F(WalletStoreTest, ChangedBytesAreDamageOrHarmless) {
    for (std::uint32_t i = 0; i < 30; ++i) mine({pay(10 + i, i % 20, i)});
    wallet.reset();
    const std::string whole = test::file_text(file);
    std::mt19937_64 random(1);
    int found = 0;
    for (int round = 0; round < 300; ++round) {
        std::string changed = whole;
        for (int i = 0; i < 3; ++i) {
            // In every second round, changes one of the first bytes of a page, where its structure
            // is stored.
            const std::size_t page = random() % (whole.size() / 4'096) * 4'096;
            changed[page + random() % (round % 2 == 0 ? 64 : 4'096)] ^=
                static_cast<char>(1 + random() % 255);
        }
        write_file(file, changed);
        const auto error = error_of([&] {
            auto opened = Wallet::open(file, regtest_params(), Access::sync);
            test::see(opened, pay(1, 0, 99), 1);
            return opened.watched_elements(0).size();
        });
        fs::remove(file.string() + "-wal");
        fs::remove(file.string() + "-shm");
        found += error ? 1 : 0;
    }
    EXPECT_GT(found, 100);
}

TEST(WalletCreation, SurvivesKillsAtAnyMoment) {
    const test::TemporaryFolder folder;
    std::mt19937_64 random(7);
    int killed = 0;
    int finished = 0;
    // How long a creation takes depends on the machine: the kills come later until one is too late.
    for (std::uint64_t round = 0; round < 40 || killed == 0 || finished == 0; ++round) {
        ASSERT_LT(round, 1'000U) << killed << " killed, " << finished << " finished";
        const auto file = folder.path() / std::to_string(round);
        {
            const test::ChildProcess creator([&](const auto& begun) {
                begun();
                static_cast<void>(Wallet::create(file, regtest_params(), new_wallet(30)));
            });
            ::usleep(static_cast<useconds_t>(random() % (12'000 * (1 + round / 40))));
        }
        const auto error =
            error_of([&] { return Wallet::open(file, regtest_params(), Access::sync); });
        if (error) {
            ++killed;
            EXPECT_EQ(error, Kind::missing);
            EXPECT_EQ(
                error_of([&] { return Wallet::create(file, regtest_params(), new_wallet(30)); }),
                std::nullopt);
        } else {
            ++finished;
        }
    }
    EXPECT_GT(killed, 0);
    EXPECT_GT(finished, 0);
}

}  // namespace
}  // namespace petal::wallet
