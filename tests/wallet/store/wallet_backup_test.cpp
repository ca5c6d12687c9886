// Backups: what is restored, and what is refused.
#include "wallet/wallet_backup.h"

#include <SQLiteCpp/Database.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <fstream>
#include <set>
#include <system_error>

#include "tests/support/file_content.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/descriptors/new_descriptors.h"

namespace petal::wallet {
namespace {

namespace fs = std::filesystem;
using chain::Byte;
using chain::Bytes;
using chain::ByteView;
using test::all_of;
using test::error_of;
using test::expect_equal;
using test::file_content;
using test::regtest_params;
using Kind = WalletError::Kind;

std::set<std::string> names_in(const fs::path& folder) {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(folder)) {
        names.insert(entry.path().filename().string());
    }
    return names;
}

ByteSource source_of(ByteView bytes) {
    return [bytes](std::span<Byte> to) mutable {
        const std::size_t count = std::min(to.size(), bytes.size());
        std::ranges::copy(bytes.first(count), to.begin());
        bytes = bytes.subspan(count);
        return count;
    };
}

void accept_any(const Wallet&) {}

/// Does `work` while no file may grow. This simulates a full disk within one process.
template <typename Work>
void with_full_disk(Work work) {
    std::signal(SIGXFSZ, SIG_IGN);
    rlimit limit{};
    ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &limit), 0);
    const rlimit none{4'096, limit.rlim_max};
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &none), 0);
    work();
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
}

class WalletBackup : public test::WalletFixture {
protected:
    WalletBackup() {
        mine({pay(10)});
        mine({pay(20, 1, 1)});
    }

    Bytes backup_of_wallet() const {
        Bytes backup;
        back_up(file, regtest_params(),
                [&](ByteView bytes) { backup.insert(backup.end(), bytes.begin(), bytes.end()); });
        return backup;
    }
    auto restore(ByteView backup) const {
        return restore_backup(other, regtest_params(), source_of(backup), accept_any);
    }
    /// Creates another wallet in the folder of the restored ones.
    void put_neighbour() const {
        fs::create_directories(other.parent_path());
        fs::copy_file(file, neighbour);
    }
    /// Whether that wallet is unchanged and alone in its folder.
    bool is_neighbour_untouched() const {
        return names_in(other.parent_path()) == std::set{neighbour.filename().string()} &&
               file_content(neighbour) == file_content(file);
    }
    Wallet open_restored() const { return Wallet::open(other, regtest_params(), Access::sync); }

    fs::path backup_file = folder.path() / "backup";
    fs::path other = folder.path() / "restored" / "other.sqlite";
    fs::path neighbour = other.parent_path() / "neighbour.sqlite";
};

TEST_F(WalletBackup, RestoresAllOfAWallet) {
    const AddressEntry handed_out = wallet->receive_address(true);
    wallet->set_label(wallet->script_at(handed_out.path), "Lunch");
    wallet->set_label(chain.at(1).transactions[0].txid, "Rent");
    apply(chain.mine(), Bytes(5'000, 7));
    const auto spend =
        test::sign(test::spend({test::output_of(pay(10))}, {{9, script(3)}}), std::vector{pay(10)});
    ASSERT_TRUE(wallet->keep_own(spend, 1'600'000'000));
    const auto before = all_of(*wallet);
    const auto proof = wallet->known_transaction(pay(20, 1, 1).txid())->proof;

    const std::uint64_t written = back_up_to(file, regtest_params(), backup_file);
    EXPECT_EQ(written, fs::file_size(backup_file));
    EXPECT_EQ(fs::status(backup_file).permissions(),
              fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_TRUE(restore(file_content(backup_file)));

    EXPECT_EQ(fs::status(other).permissions(), fs::perms::owner_read | fs::perms::owner_write);
    EXPECT_EQ(fs::status(other.parent_path()).permissions(), fs::perms::owner_all);
    Wallet restored = open_restored();
    expect_equal(all_of(restored), before);
    EXPECT_EQ(restored.history(0).back().label, "Rent");
    EXPECT_EQ(restored.address(script(handed_out.path.index))->label, "Lunch");
    EXPECT_EQ(restored.known_transaction(pay(20, 1, 1).txid())->proof, proof);
    EXPECT_EQ(restored.own_unconfirmed().size(), 1U);
    EXPECT_EQ(restored.secret("")[0], wallet->secret("")[0]);
    EXPECT_EQ(restored.receive_address(true).address, wallet->receive_address(true).address);
}

// SQLite's file format, 1.3: a file with the value 2 there has a write-ahead log.
TEST_F(WalletBackup, HasADatabaseThatNeedsNoLog) {
    constexpr std::size_t kHeader = 64;
    ASSERT_EQ(file_content(file).at(18), 2);
    const Bytes backup = backup_of_wallet();
    EXPECT_EQ(backup.at(kHeader + 18), 1);
    EXPECT_EQ(backup.at(kHeader + 19), 1);
}

TEST_F(WalletBackup, OfAnEncryptedWalletHoldsTheSameBox) {
    const SecretBytes clear = wallet->secret("");
    const Bytes seed(clear.begin(), clear.end());
    const auto holds_seed = [&](const Bytes& bytes) {
        return std::search(bytes.begin(), bytes.end(), seed.begin(), seed.end()) != bytes.end();
    };
    EXPECT_TRUE(holds_seed(backup_of_wallet())) << "this shows that the search would find it";
    wallet->encrypt("", "correct horse", test::kCheapScrypt);
    const Bytes backup = backup_of_wallet();
    EXPECT_FALSE(holds_seed(backup));
    ASSERT_TRUE(restore(backup));
    const Wallet restored = open_restored();
    EXPECT_TRUE(restored.info().encrypted);
    EXPECT_EQ(error_of([&] { return restored.secret("wrong"); }), Kind::bad_password);
    EXPECT_TRUE(std::ranges::equal(restored.secret("correct horse"), seed));
}

// The sync goes on meanwhile. In each backup, the blocks and coins must be of the same moment.
TEST_F(WalletBackup, IsOneStateOfAWalletThatIsSynced) {
    wallet.reset();
    const test::ChildProcess follower([&](const auto& begun) {
        wallet.emplace(Wallet::open(file, regtest_params(), Access::sync));
        for (std::uint32_t i = 2;; ++i) {
            mine({pay(5, i % 8, i)});
            if (i == 2) begun();
        }
    });
    std::set<std::uint32_t> heights;
    while (heights.size() < 5) {
        const Bytes backup = backup_of_wallet();
        ASSERT_TRUE(restore(backup));
        {
            const Wallet restored = open_restored();
            const std::uint32_t height = restored.sync_state().synced->height;
            EXPECT_EQ(restored.balance().confirmed, 30 + 5 * (height - 2));
            heights.insert(height);
        }
        Wallet::remove(other);
    }
}

TEST_F(WalletBackup, OverwritesNothing) {
    std::ofstream(backup_file) << "of yesterday";
    try {
        back_up_to(file, regtest_params(), backup_file);
        FAIL() << "the file was overwritten";
    } catch (const std::system_error& error) {
        EXPECT_EQ(error.code(), std::errc::file_exists);
    }
    EXPECT_EQ(fs::file_size(backup_file), 12U);
    EXPECT_EQ(names_in(folder.path()).count("backup.petal-draft"), 0U);

    const Bytes wallet_before = file_content(file);
    EXPECT_EQ(error_of([&] {
                  return restore_backup(file, regtest_params(), source_of(backup_of_wallet()),
                                        accept_any);
              }),
              Kind::exists);
    EXPECT_TRUE(file_content(file) == wallet_before);
}

TEST_F(WalletBackup, EveryTruncationIsRefused) {
    put_neighbour();
    const Bytes backup = backup_of_wallet();
    for (std::size_t size = 0; size < backup.size(); size += size < 200 ? 1 : 1'999) {
        const auto restored = restore(ByteView(backup).first(size));
        ASSERT_FALSE(restored) << size;
        EXPECT_EQ(restored.error(), BackupError::truncated) << size;
        ASSERT_TRUE(is_neighbour_untouched()) << size;
    }
}

TEST_F(WalletBackup, EveryFlippedByteIsRefused) {
    put_neighbour();
    const Bytes backup = backup_of_wallet();
    for (std::size_t at = 0; at < backup.size(); at += at < 200 ? 1 : 1'009) {
        Bytes changed = backup;
        changed[at] ^= 0x40;
        const auto restored = restore(changed);
        ASSERT_FALSE(restored) << at;
        EXPECT_TRUE(at < 200 || restored.error() == BackupError::damaged) << at;
        ASSERT_TRUE(is_neighbour_untouched()) << at;
    }
}

TEST_F(WalletBackup, OfAnotherNetworkIsRefused) {
    const auto& testnet = *chain::find_network("testnet4");
    EXPECT_EQ(error_of([&] {
                  return restore_backup(other, testnet, source_of(backup_of_wallet()), accept_any);
              }),
              Kind::wrong_network);
    EXPECT_TRUE(fs::is_empty(other.parent_path()));
    EXPECT_EQ(error_of([&] { return back_up_to(file, testnet, backup_file); }),
              Kind::wrong_network);
    EXPECT_FALSE(fs::exists(backup_file));
}

/// A fabricated backup with matching checksums.
struct MadeUpCase {
    std::string name;
    std::string sql;
    Kind error = Kind::damaged;
};

void PrintTo(const MadeUpCase& c, std::ostream* out) {
    *out << c.name;
}

class MadeUpBackup : public WalletBackup, public testing::WithParamInterface<MadeUpCase> {};

TEST_P(MadeUpBackup, IsRefused) {
    wallet.reset();
    execute("PRAGMA journal_mode = DELETE");
    execute(GetParam().sql);
    Bytes backup;
    write_backup("regtest", file_content(file),
                 [&](ByteView bytes) { backup.insert(backup.end(), bytes.begin(), bytes.end()); });
    EXPECT_EQ(error_of([&] { return restore(backup); }), GetParam().error);
    EXPECT_TRUE(fs::is_empty(other.parent_path()));
}

INSTANTIATE_TEST_SUITE_P(
    Wallets, MadeUpBackup,
    testing::Values(MadeUpCase{"OfAnotherNetworkInside",
                               "UPDATE identity SET network = 'testnet4'"},
                    MadeUpCase{"WithATrigger",
                               "CREATE TRIGGER t AFTER INSERT ON tx BEGIN DELETE FROM label; END"},
                    MadeUpCase{"WithAnotherSeed", "UPDATE secret SET secret = zeroblob(64)"},
                    MadeUpCase{"WithoutScripts", "DELETE FROM script"},
                    MadeUpCase{"OfALaterPetal", "PRAGMA user_version = 99", Kind::newer_version}),
    [](const auto& row) { return row.param.name; });

TEST_F(WalletBackup, OfAFileThatIsNoDatabaseIsRefused) {
    Bytes backup;
    write_backup("regtest", Bytes(5'000, 'x'),
                 [&](ByteView bytes) { backup.insert(backup.end(), bytes.begin(), bytes.end()); });
    EXPECT_EQ(error_of([&] { return restore(backup); }), Kind::damaged);
    EXPECT_TRUE(fs::is_empty(other.parent_path()));
}

TEST_F(WalletBackup, OfAWatchOnlyWalletIsRestored) {
    const std::vector<std::string> texts{
        "wpkh(0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798)"};
    const fs::path watching = folder.path() / "watching";
    const auto parsed = parse_new_descriptors(texts, regtest_params());
    ASSERT_TRUE(parsed);
    Wallet::watch(watching, regtest_params(), {parsed->descriptors, {}, {}});
    back_up_to(watching, regtest_params(), backup_file);
    ASSERT_TRUE(restore(file_content(backup_file)));
    EXPECT_TRUE(open_restored().info().watch_only);
}

TEST_F(WalletBackup, OfAnEarlierVersionIsRenewed) {
    wallet.reset();
    execute("PRAGMA journal_mode = DELETE");
    execute(test::kToThirdVersion);
    ASSERT_TRUE(restore(backup_of_wallet()));
    EXPECT_EQ(open_restored().balance().confirmed, 30);
}

TEST_F(WalletBackup, ThatTheCallerRefusesLeavesNothing) {
    EXPECT_THROW(static_cast<void>(
                     restore_backup(other, regtest_params(), source_of(backup_of_wallet()),
                                    [](const Wallet&) { throw std::runtime_error("refused"); })),
                 std::runtime_error);
    EXPECT_TRUE(fs::is_empty(other.parent_path()));
}

TEST_F(WalletBackup, FullDiskLeavesNothing) {
    const Bytes backup = backup_of_wallet();
    ASSERT_GT(backup.size(), 4'096U);
    with_full_disk([&] {
        EXPECT_THROW(back_up_to(file, regtest_params(), backup_file), std::system_error);
        EXPECT_THROW(static_cast<void>(restore(backup)), std::system_error);
    });
    EXPECT_FALSE(fs::exists(backup_file));
    EXPECT_FALSE(fs::exists(backup_file.string() + ".petal-draft"));
    EXPECT_TRUE(fs::is_empty(other.parent_path()));
    EXPECT_TRUE(restore(backup));
}

// All bytes have been written, but the wallet does not have its name yet.
TEST_F(WalletBackup, KilledRestoreLeavesNoWallet) {
    const Bytes backup = backup_of_wallet();
    {
        const test::ChildProcess restoring([&](const auto& begun) {
            static_cast<void>(
                restore_backup(other, regtest_params(), source_of(backup), [&](const Wallet&) {
                    begun();
                    ::pause();
                }));
        });
        EXPECT_EQ(error_of([&] { return restore(backup); }), Kind::locked_by_other);
    }
    EXPECT_EQ(error_of([&] { return open_restored(); }), Kind::missing);
    ASSERT_TRUE(restore(backup));
    EXPECT_EQ(open_restored().balance().confirmed, 30);
    EXPECT_FALSE(fs::exists(other.string() + ".new"));
}

TEST_F(WalletBackup, LogOfARemovedWalletIsNotAppliedToARestoredOne) {
    const Bytes log = file_content(file.string() + "-wal");
    ASSERT_FALSE(log.empty());
    const Bytes backup = backup_of_wallet();
    mine({pay(40, 2, 2)});
    fs::create_directories(other.parent_path());
    fs::copy_file(file.string() + "-wal", other.string() + "-wal");
    ASSERT_TRUE(restore(backup));
    EXPECT_EQ(open_restored().balance().confirmed, 30);
}

// SQLite would apply the journal to the file that is checked.
TEST_F(WalletBackup, JournalOfAKilledCreationIsNotAppliedToTheRestored) {
    const Bytes backup = backup_of_wallet();
    mine({pay(40, 2, 2)});
    wallet.reset();
    execute("PRAGMA journal_mode = DELETE");
    fs::create_directories(other.parent_path());
    {
        SQLite::Database database(file.string(), SQLite::OPEN_READWRITE);
        database.exec("PRAGMA synchronous = OFF; BEGIN; DELETE FROM tx");
        fs::copy_file(file.string() + "-journal", other.string() + ".new-journal");
    }
    ASSERT_TRUE(restore(backup));
    EXPECT_EQ(open_restored().balance().confirmed, 30);
}

// The wallet and its earlier copy end up equal, however the chain has changed meanwhile.
TEST_F(WalletBackup, ContinuesTheSyncFromItsBlock) {
    const Bytes backup = backup_of_wallet();
    mine({pay(40, 2, 2)});
    wallet->undo_to(chain.cut(1));
    mine({pay(7, 3, 3)});
    mine({pay(8, 4, 4)});

    ASSERT_TRUE(restore(backup));
    Wallet restored = open_restored();
    EXPECT_EQ(restored.sync_state().synced->height, 2U);
    restored.undo_to(chain.at(1).block);
    for (const std::uint32_t height : {2U, 3U}) {
        const auto& block = chain.at(height);
        static_cast<void>(restored.apply({&block, 1}, {block.block, {}}));
    }
    EXPECT_EQ(restored.balance().confirmed, 25);
    EXPECT_EQ(restored.balance().confirmed, wallet->balance().confirmed);
    EXPECT_EQ(restored.sync_state().synced, wallet->sync_state().synced);
}

}  // namespace
}  // namespace petal::wallet
