/// A wallet in a folder of its own, and a chain to feed it.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/test_chain.h"
#include "tests/wallet/ledger/print_records.h"
#include "tests/wallet/wallet_scene.h"
#include "wallet/keys/extended_key.h"
#include "wallet/wallet.h"

namespace petal::test {

/// BIP84's and BIP39's example.
inline constexpr const char* kMnemonic =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

/// Takes no time.
inline constexpr wallet::ScryptCost kCheapScrypt{4, 8, 1};

/// Make a file of an earlier version of one of the present.
inline constexpr const char* kToFourthVersion =
    "DROP TABLE label_record; DROP TABLE filter_padding; DROP TABLE descriptor;"
    "CREATE TABLE merkle_proof (txid BLOB PRIMARY KEY, transaction_count INTEGER NOT NULL,"
    " branch BLOB NOT NULL) STRICT, WITHOUT ROWID;"
    "INSERT INTO merkle_proof SELECT txid, transaction_count, branch FROM tx"
    " JOIN merkle_branch ON merkle_branch.tx = tx.id;"
    "DROP TABLE merkle_branch; PRAGMA user_version = 4";
inline constexpr const char* kToThirdVersion =
    "DROP TABLE label_record; DROP TABLE filter_padding; DROP TABLE descriptor;"
    "DROP TABLE merkle_branch; PRAGMA user_version = 3";
inline constexpr const char* kToSecondVersion =
    "DROP TABLE label_record; DROP TABLE filter_padding; DROP TABLE descriptor;"
    "DROP TABLE merkle_branch;"
    "UPDATE identity SET secret = (SELECT secret FROM secret);"
    "DROP TABLE secret; PRAGMA user_version = 2";

/// A new wallet of kMnemonic that watches 2 x `watched` scripts.
wallet::NewWallet new_wallet(std::uint32_t watched = 50, std::uint32_t gap_limit = 20,
                             wallet::Account account = {});

/// The key that all scripts of one of new_wallet()'s are derived from.
wallet::ExtendedPublicKey account_of(const wallet::Wallet& wallet);

/// Signs each input that spends one of the first 200 addresses of either chain of any of
/// new_wallet()'s first accounts, as an output of `funding`. With taproot, the signatures cover
/// what other inputs spend only where there is none.
chain::Transaction sign(chain::Transaction transaction,
                        std::span<const chain::Transaction> funding);
/// The same; with taproot, the signatures cover all of `spent`, which are the outputs that the
/// inputs spend.
chain::Transaction sign_together(chain::Transaction transaction,
                                 std::span<const chain::TxOutput> spent);

/// Everything a wallet tells, for comparing two.
struct WholeWallet {
    wallet::Balance balance;
    std::vector<wallet::Coin> coins;
    std::vector<wallet::HistoryEntry> history;
    std::vector<chain::Bytes> elements;
    chain::WatchedOutpoints outpoints;
    std::optional<chain::BlockRef> synced;
    chain::Bytes sync_checkpoint;

    friend bool operator==(const WholeWallet&, const WholeWallet&) = default;
};
WholeWallet all_of(const wallet::Wallet& wallet);
void expect_equal(const WholeWallet& a, const WholeWallet& b);

/// Shows the wallet an unconfirmed transaction, as a sync engine does that has nothing new to
/// store. Returns whether its list grew.
bool see(wallet::Wallet& wallet, const chain::Transaction& transaction, std::int64_t time);

/// What kind of WalletError `work` throws; nothing where it throws none.
template <typename Work>
std::optional<wallet::WalletError::Kind> error_of(Work work) {
    try {
        static_cast<void>(work());
    } catch (const wallet::WalletError& error) {
        EXPECT_EQ(std::string(error.what()).find('\n'), std::string::npos)
            << "one line: " << error.what();
        EXPECT_FALSE(std::string(error.what()).empty());
        return error.kind();
    }
    return std::nullopt;
}

/// A process that does `work`, and ends with it. Killed when this is destroyed.
class ChildProcess {
public:
    /// Returns when the child calls the function that `work` is given, or has ended.
    explicit ChildProcess(const std::function<void(const std::function<void()>& begun)>& work);
    ChildProcess(const ChildProcess&) = delete;
    ChildProcess& operator=(const ChildProcess&) = delete;
    ~ChildProcess();

private:
    int process_ = 0;
};

class WalletFixture : public testing::Test {
protected:
    explicit WalletFixture(const wallet::NewWallet& made = new_wallet())
        : file(folder.path() / "wallet.sqlite"),
          wallet(wallet::Wallet::create(file, regtest(), made)),
          kind(made.account.kind),
          account(account_of(*wallet)) {}

    /// Closes the wallet and opens it again, which must not change anything.
    void reopen();
    /// Mines a block and applies it, again where the watch list grew.
    void mine(const std::vector<chain::Transaction>& transactions = {});
    chain::ApplyResult apply(const chain::ProvenBlock& block, chain::ByteView memory = {});
    /// What an engine stores with blocks that end in this one.
    chain::SyncState state_after(const chain::ProvenBlock& last, chain::ByteView memory = {}) const;

    chain::Bytes script(std::uint32_t index,
                        wallet::KeyChain key_chain = wallet::KeyChain::receive) const;
    chain::Transaction pay(chain::Satoshis value, std::uint32_t index = 0,
                           std::uint32_t from = 0) const;

    /// The first number that a query gives, asked on a connection of its own.
    std::int64_t ask(const std::string& sql) const;
    /// Runs statements on a connection of its own.
    void execute(const std::string& sql) const;

    TemporaryFolder folder;
    std::filesystem::path file;
    std::optional<wallet::Wallet> wallet;
    wallet::ScriptKind kind;
    wallet::ExtendedPublicKey account;
    SceneChain chain;
};

}  // namespace petal::test
