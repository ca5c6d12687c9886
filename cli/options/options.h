/// What the user asks for: the command line, the environment and the config file, as plain values.
#pragma once

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/measures/filter_solver.h"
#include "bloom/measures/world.h"
#include "chain/network_params.h"
#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/io/dial/endpoint.h"
#include "net/sync/blocks/second_opinions.h"
#include "net/sync/filters/privacy.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"

namespace petal::cli {

/// How much is said on standard error beyond errors.
enum class LogLevel : std::uint8_t { error, warning, info, debug };

/// The wallet that is meant where none is named.
inline constexpr const char* kDefaultWallet = "default";

/// Options that every command takes.
struct GlobalOptions {
    std::shared_ptr<const chain::NetworkParams> network;  ///< never null once parsed
    std::filesystem::path data_dir;
    /// Made of letters, digits and `._-`: safe in a file name.
    std::string wallet = kDefaultWallet;
    bool json = false;
    LogLevel log_level = LogLevel::warning;
    std::optional<std::filesystem::path> log_file;  ///< that gets what standard error is told, too
    /// Of --network, --signet-challenge, --datadir, --wallet and --config, those that are on the
    /// command line, each with its value: for advised().
    std::vector<std::string> given;
};

/// A file that holds a secret; `-` is standard input.
using SecretFile = std::optional<std::filesystem::path>;

struct AccountOptions {
    std::optional<wallet::ScriptKind> type;  ///< nothing: wpkh
    std::uint32_t number = 0;
};

struct CreateOptions {
    wallet::MnemonicSize words = wallet::MnemonicSize::words_12;
    AccountOptions account;
    SecretFile password_file;
    SecretFile passphrase_file;
};

struct RestoreOptions {
    SecretFile mnemonic_file;
    AccountOptions account;
    SecretFile password_file;
    SecretFile passphrase_file;
    chain::Birthday birthday;
};

struct EncryptOptions {
    SecretFile password_file;
    SecretFile old_password_file;
};

struct RescanOptions {
    std::optional<chain::Birthday> from;  ///< nothing: the wallet's birthday
};

struct RenameOptions {
    std::string name;
    bool yes = false;  ///< without a question
};

struct DeleteOptions {
    bool yes = false;  ///< without a question
};

struct WalletsOptions {};
struct InfoOptions {};

/// How a command gets to nodes.
struct ConnectionOptions {
    std::vector<net::Endpoint> connect;  ///< these alone; where it is empty, peers are found
    std::optional<net::Endpoint> proxy;  ///< SOCKS5; then nothing goes anywhere else
    bool onion_only = false;             ///< only onion services; implies a proxy
    /// Instead of the network's own; empty for none.
    std::optional<std::vector<std::string>> dns_seeds;
    std::uint32_t peers = 8;  ///< connected at once, at most
    std::optional<std::chrono::milliseconds> timeout;
};

/// How a sync shows how far it is, on standard error.
enum class ProgressFormat : std::uint8_t {
    automatic,  ///< a bar on a terminal, lines elsewhere
    json,       ///< an object a line, as the event `progress` of `sync --follow --json`
    none,
};

struct SyncCommandOptions {
    ConnectionOptions connection;
    ProgressFormat progress = ProgressFormat::automatic;
    bool full_blocks = false;
    net::CrossCheckMode cross_check = net::CrossCheckMode::sample;
    std::optional<net::Privacy> privacy;  ///< nothing: as so far
    std::optional<std::chrono::milliseconds> wait_unconfirmed;
    bool follow = false;        ///< go on with what comes until interrupted
    std::string notify;         ///< a shell command that gets each event; empty for none
    bool from_genesis = false;  ///< trust no anchor
    /// Below it nothing of a chain counts; nothing for the network's minimum.
    std::optional<chain::Uint256> minimum_chainwork;
};

/// One of address, txid and height.
struct WaitOptions {
    SyncCommandOptions sync;
    std::string address;
    chain::Satoshis amount = 1;  ///< that the address has received, at least
    std::optional<chain::Txid> txid;
    /// Of the transaction, or of the payments to the address, at least.
    std::uint32_t confirmations = 0;
    std::optional<std::uint32_t> height;
};

struct BroadcastCommandOptions {
    std::string transaction;  ///< hexadecimal, the name of a file, or `-`
    ConnectionOptions connection;
};

struct PeersListOptions {
    bool all = false;  ///< also those that were only heard of
};

/// Peers and hosts as the user writes them.
struct PeersAddOptions {
    std::vector<std::string> peers;
};

struct PeersRemoveOptions {
    std::vector<std::string> peers;
};

struct PeersBanOptions {
    std::vector<std::string> hosts;
    std::uint32_t days = 0;  ///< 0 for good
};

struct PeersUnbanOptions {
    std::vector<std::string> hosts;
};

struct HeadersStatusOptions {};
struct HeadersVerifyOptions {};

struct HeadersExportOptions {
    std::filesystem::path file;
};

struct HeadersImportOptions {
    std::filesystem::path file;
    bool from_genesis = false;  ///< also where it contradicts an anchor
};

struct HeadersResetOptions {
    bool yes = false;  ///< without a question
};

struct BalanceOptions {};

struct UtxosOptions {
    std::uint32_t min_confirmations = 0;
};

struct HistoryOptions {
    std::uint32_t limit = 0;            ///< 0 for all
    std::optional<std::int64_t> since;  ///< Unix seconds
    std::string address;                ///< whose transactions alone; empty for all
    bool csv = false;
};

struct TransactionOptions {
    chain::Txid txid;
};

struct AddressesOptions {
    std::string address;  ///< this one alone; empty for all
    bool change = false;
    bool unused = false;
};

struct AbandonOptions {
    chain::Txid txid;
};

struct ReceiveOptions {
    bool hand_out = false;
    bool qr = false;
    std::optional<chain::Satoshis> amount;
    std::string label;
};

struct LabelOptions {
    std::string target;  ///< an address, a txid or an outpoint
    std::string text;    ///< empty: the label is removed
};

struct FilterDesignOptions {
    std::uint64_t elements = 0;
    double false_positive_rate = 0;
    bloom::UpdateMode flags = bloom::UpdateMode::all;
    std::uint32_t tweak = 0;
};

/// One filter of the user's; nothing set where parameters alone are given instead.
struct FilterSource {
    std::string hex;
    std::optional<std::filesystem::path> file;  ///< hexadecimal text or plain bytes
    bool wallet = false;                        ///< the wallet's own
    std::optional<net::Privacy> privacy;        ///< of the wallet's own; nothing: as so far
};

inline constexpr double kUsedAddresses = 10;

/// What is assumed about the wallet behind a filter, and about Bitcoin.
struct FilterAssumptions {
    /// Addresses of the wallet that are on the chain; where it isn't said, the truth of the
    /// wallet's own filter, else kUsedAddresses.
    std::optional<double> used;
    unsigned shards = 1;
    bloom::World world;
};

struct FilterMakeOptions {
    double false_positive_rate = 0;  ///< 0 where the size is given
    std::uint64_t elements = 0;      ///< to size it for; 0: for those that it is made of
    std::uint64_t bytes = 0;         ///< 0 where the rate is given
    std::uint32_t hash_functions = 0;
    bloom::UpdateMode flags = bloom::UpdateMode::all;
    std::uint32_t tweak = 0;
    std::vector<std::string> content;
    bool from_stdin = false;
};

struct FilterMatchOptions {
    FilterSource filter;
    std::vector<std::string> elements;
    bool from_stdin = false;
    bool matches_only = false;
};

struct FilterInspectOptions {
    FilterSource filter;
    /// Without a filter: the average one of this size with so many elements in it.
    bloom::FilterSize size;
    std::uint64_t elements = 0;
    bloom::UpdateMode flags = bloom::UpdateMode::all;
    FilterAssumptions assumptions;

    bool parameters_only() const { return filter.hex.empty() && !filter.file && !filter.wallet; }
};

struct FilterCompareOptions {
    std::vector<std::string> filters;  ///< names of files, or hexadecimal
    FilterAssumptions assumptions;
};

struct FilterPlanOptions {
    std::uint64_t elements = 2'048;
    std::uint64_t utxos = 0;  ///< outpoints that are inserted too
    bloom::FilterTarget target;
    FilterAssumptions assumptions;
};

struct FilterReportOptions {
    std::vector<std::string> filters;     ///< names of files, or hexadecimal; or none,
    bool wallet = false;                  ///< and the wallet's own
    std::optional<net::Privacy> privacy;  ///< as FilterSource has it
    std::filesystem::path output;
    FilterAssumptions assumptions;
};

struct DemoOptions {
    std::uint32_t blocks = 0;
};

struct RegtestNodeOptions {
    std::uint16_t port = 0;
    std::optional<std::uint32_t> blocks;  ///< nothing: 120, or as many as the payments need
    std::vector<std::string> pay;
    std::optional<std::chrono::milliseconds> mine_every;
    std::uint32_t block_delay_ms = 0;
    bool control = false;
};

using Command =
    std::variant<CreateOptions, RestoreOptions, EncryptOptions, WalletsOptions, InfoOptions,
                 SyncCommandOptions, BalanceOptions, UtxosOptions, HistoryOptions, AddressesOptions,
                 ReceiveOptions, FilterDesignOptions, FilterMakeOptions, FilterInspectOptions,
                 FilterMatchOptions, FilterCompareOptions, FilterPlanOptions, FilterReportOptions,
                 DemoOptions, RegtestNodeOptions, HeadersStatusOptions, HeadersVerifyOptions,
                 HeadersExportOptions, HeadersImportOptions, PeersListOptions, PeersAddOptions,
                 PeersBanOptions, PeersUnbanOptions, BroadcastCommandOptions, AbandonOptions,
                 LabelOptions, RescanOptions, RenameOptions, DeleteOptions, TransactionOptions,
                 PeersRemoveOptions, WaitOptions, HeadersResetOptions>;

}  // namespace petal::cli
