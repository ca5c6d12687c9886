// The secret is in memory only while it is used.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/support/memory_scan.h"
#include "tests/wallet/wallet_fixture.h"
#include "wallet/wallet.h"

namespace petal::wallet {
namespace {

using test::count_in_memory;
using test::MaskedBytes;

// The first half of the BIP39 seed of test::kMnemonic (github.com/trezor/python-mnemonic, without a
// passphrase). Storing both halves would put another copy of the secret into the binary.
MaskedBytes seed_bytes() {
    return MaskedBytes(
        chain::from_hex("5eb00bbddcf069084889a8ab9155568165f5c453ccb85e70811aaed6f6da5fc1")
            .value());
}

/// Creates the wallet in another process, so that this process has never held the secret.
void create_elsewhere(const std::filesystem::path& file, const std::string& then_sql = "") {
    const pid_t child = ::fork();
    if (child == 0) {
        static_cast<void>(Wallet::create(file, test::regtest_params(), test::new_wallet()));
        if (!then_sql.empty()) {
            SQLite::Database(file.string(), SQLite::OPEN_READWRITE).exec(then_sql);
        }
        ::_exit(0);
    }
    int status = 1;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_EQ(status, 0);
}

/// Everything that a process that follows the chain does with its wallet.
void follow(Wallet& wallet) {
    test::SceneChain chain;
    const auto script =
        script_for(ScriptKind::wpkh, test::account_of(wallet).derive(0)->derive(0)->key());
    const auto& block = chain.mine({test::spend({test::foreign_coin(0)}, {{7, script}})});
    chain::SyncState state = wallet.sync_state();
    state.synced = block.block;
    EXPECT_EQ(wallet.apply({&block, 1}, state).relevant, 1U);
    test::see(wallet, test::spend({test::foreign_coin(1)}, {{3, script}}), 1);
    static_cast<void>(wallet.receive_address(true));
    EXPECT_EQ(wallet.balance().total(), 10);
    static_cast<void>(wallet.info());
    static_cast<void>(wallet.watched_elements(0));
    static_cast<void>(wallet.filter_padding());
    static_cast<void>(wallet.own_unconfirmed());
}

TEST(SecretInMemory, IsAbsentIfAWalletIsOnlySynced) {
    const test::TemporaryFolder folder;
    create_elsewhere(folder.path() / "w");
    auto wallet = Wallet::open(folder.path() / "w", test::regtest_params(), Access::sync);
    follow(wallet);
    const auto reader = Wallet::open(folder.path() / "w", test::regtest_params(), Access::read);
    EXPECT_EQ(reader.balance().total(), 10);
    EXPECT_EQ(count_in_memory(seed_bytes()), 0U);

    // Shows that the scan would find the secret, both in the wallet's own memory and in SQLite's
    // pages.
    {
        const SecretBytes seed = wallet.secret("");
        EXPECT_GT(count_in_memory(seed_bytes()), 0U) << seed.size();
    }
    EXPECT_EQ(count_in_memory(seed_bytes()), 0U) << "secret() leaves no copy in memory";
    SQLite::Database database((folder.path() / "w").string(), SQLite::OPEN_READONLY);
    EXPECT_EQ(database.execAndGet("SELECT length(secret) FROM secret").getInt(), 64);
    EXPECT_EQ(database.execAndGet("SELECT hex(secret) FROM secret").getString().size(), 128U);
    EXPECT_GT(count_in_memory(seed_bytes()), 0U) << "a page in SQLite's cache has it";
}

TEST(SecretInMemory, IsGoneOnceTheWalletIsMade) {
    const test::TemporaryFolder folder;
    const auto wallet =
        Wallet::create(folder.path() / "w", test::regtest_params(), test::new_wallet());
    EXPECT_EQ(count_in_memory(seed_bytes()), 0U);
}

TEST(SecretInMemory, IsGoneOnceAFileOfAnEarlierVersionIsRenewed) {
    const test::TemporaryFolder folder;
    create_elsewhere(folder.path() / "w", test::kToSecondVersion);
    const auto wallet = Wallet::open(folder.path() / "w", test::regtest_params(), Access::sync);
    EXPECT_EQ(count_in_memory(seed_bytes()), 0U);
    EXPECT_EQ(chain::to_hex(wallet.secret("")).substr(0, 8), "5eb00bbd");
}

}  // namespace
}  // namespace petal::wallet
