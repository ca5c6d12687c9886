/// A wallet in a folder of its own, and a chain for the wallet.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tests/support/mnemonic.h"
#include "tests/support/test_chain.h"
#include "tests/support/wallet_scene.h"
#include "tests/wallet/ledger/print_records.h"
#include "wallet/keys/extended_key.h"
#include "wallet/wallet.h"

namespace petal::test {

/// A low cost, so that scrypt takes no time.
inline constexpr wallet::ScryptCost kCheapScrypt{4, 8, 1};

/// Statements that turn a file of the present version into a file of an earlier version.
inline constexpr const char* kToEighthVersion =
    "DROP TABLE replacement; DROP TABLE explained; DROP TABLE tx_evidence; DROP TABLE "
    "change_output; DROP TABLE shown; "
    "DROP TABLE unsearched;"
    "PRAGMA user_version = 8";
inline constexpr const char* kToFourthVersion =
    "DROP TABLE replacement; DROP TABLE explained; DROP TABLE tx_evidence; DROP TABLE "
    "change_output; DROP TABLE shown; "
    "DROP TABLE unsearched;"
    "DROP TABLE script_digest; DROP TABLE label_record;"
    "DROP TABLE filter_padding; DROP TABLE descriptor;"
    "CREATE TABLE merkle_proof (txid BLOB PRIMARY KEY, transaction_count INTEGER NOT NULL,"
    " branch BLOB NOT NULL) STRICT, WITHOUT ROWID;"
    "INSERT INTO merkle_proof SELECT txid, transaction_count, branch FROM tx"
    " JOIN merkle_branch ON merkle_branch.tx = tx.id;"
    "DROP TABLE merkle_branch; UPDATE handed_out SET chain = 2 WHERE chain = -1;"
    "PRAGMA user_version = 4";
inline constexpr const char* kToThirdVersion =
    "DROP TABLE replacement; DROP TABLE explained; DROP TABLE tx_evidence; DROP TABLE "
    "change_output; DROP TABLE shown; "
    "DROP TABLE unsearched;"
    "DROP TABLE script_digest; DROP TABLE label_record;"
    "DROP TABLE filter_padding; DROP TABLE descriptor;"
    "DROP TABLE merkle_branch; UPDATE handed_out SET chain = 2 WHERE chain = -1;"
    "PRAGMA user_version = 3";
inline constexpr const char* kToSecondVersion =
    "DROP TABLE replacement; DROP TABLE explained; DROP TABLE tx_evidence; DROP TABLE "
    "change_output; DROP TABLE shown; "
    "DROP TABLE unsearched;"
    "DROP TABLE script_digest; DROP TABLE label_record;"
    "DROP TABLE filter_padding; DROP TABLE descriptor;"
    "DROP TABLE merkle_branch;"
    "UPDATE identity SET secret = (SELECT secret FROM secret);"
    "DROP TABLE secret; UPDATE handed_out SET chain = 2 WHERE chain = -1;"
    "PRAGMA user_version = 2";

/// The recipe of a wallet of kMnemonic that watches 2 x `watched` scripts.
wallet::NewWallet new_wallet(std::uint32_t watched = 50, std::uint32_t gap_limit = 20,
                             wallet::Account account = {});

/// The account key of a wallet made by new_wallet().
wallet::ExtendedPublicKey account_of(const wallet::Wallet& wallet);

/// Signs each input that spends an output of `funding` to one of the first 200 addresses of either
/// chain of new_wallet()'s first accounts. A taproot signature covers only the input's own output,
/// unless the input is the only input.
chain::Transaction sign(chain::Transaction transaction,
                        std::span<const chain::Transaction> funding);
/// Like sign(), but taproot signatures cover all of `spent`, the outputs that the inputs spend.
chain::Transaction sign_together(chain::Transaction transaction,
                                 std::span<const chain::TxOutput> spent);

/// All reports of a wallet, to compare two wallets.
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

/// Passes an unconfirmed transaction to the wallet, like a sync engine without new state to store.
/// Returns whether the watch list grew.
bool see(wallet::Wallet& wallet, const chain::Transaction& transaction, std::int64_t time);

/// The kind of the WalletError that `work` throws. Nothing if `work` throws no WalletError.
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

/// A process that does `work` and then ends. The destructor kills it.
class ChildProcess {
public:
    /// Returns when the child has called the function that is passed to `work`, or has ended.
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
          wallet(wallet::Wallet::create(file, regtest_params(), made)),
          kind(made.account.kind),
          account(account_of(*wallet)) {}

    /// Closes the wallet and opens the wallet again. Expects that no report changes.
    void reopen();
    /// Mines a block and applies the block, again if the watch list grew.
    void mine(const std::vector<chain::Transaction>& transactions = {});
    chain::ApplyResult apply(const chain::ProvenBlock& block, chain::ByteView memory = {});
    /// The state that an engine stores with blocks up to `last`.
    chain::SyncState state_after(const chain::ProvenBlock& last, chain::ByteView memory = {}) const;

    chain::Bytes script(std::uint32_t index,
                        wallet::KeyChain key_chain = wallet::KeyChain::receive) const;
    /// Pays script(index).
    /// from   the foreign coin to spend. Without `from`, a different coin for each value and index
    chain::Transaction pay(chain::Satoshis value, std::uint32_t index = 0,
                           std::optional<std::uint32_t> from = std::nullopt) const;

    /// The first number in a query's result, using a separate connection.
    std::int64_t ask(const std::string& sql) const;
    /// Runs statements on a separate connection.
    void execute(const std::string& sql) const;
    /// execute() by a program that knows the digest of the scripts.
    void change_scripts(const std::string& sql) const;

    TemporaryFolder folder;
    std::filesystem::path file;
    std::optional<wallet::Wallet> wallet;
    wallet::ScriptKind kind;
    wallet::ExtendedPublicKey account;
    SceneChain chain;
};

}  // namespace petal::test
