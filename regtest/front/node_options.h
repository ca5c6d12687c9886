/// The options of bitcoind as the regtest node uses them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "net/io/dial/endpoint.h"
#include "regtest/front/settings.h"
#include "wallet/keys/key_path.h"

namespace petal::regtest::front {

/// Where and to whom the JSON-RPC interface is served.
struct RpcServiceOptions {
    bool is_served = true;
    std::uint16_t port = 0;
    /// Addresses other than the loopback interface. Empty: the loopback interface.
    std::vector<net::Endpoint> binds;
    std::vector<std::string> allowed;  ///< addresses and networks of clients, with `binds`
    std::string user;
    std::string password;               ///< empty: a cookie
    std::vector<std::string> auths;     ///< `USER:SALT$HASH`, checked
    std::filesystem::path cookie_file;  ///< empty: no cookie
    std::filesystem::perms cookie_permissions = std::filesystem::perms::owner_read;
};

/// Shell commands to run. Empty: none.
struct NotifyCommands {
    std::string block;  ///< `%s` stands for the hash of the tip
    std::string startup;
    std::string shutdown;  ///< awaited
    /// `%s` stands for the txid and `%w` for the name of the wallet.
    std::string wallet;
};

/// The options of wallets by name.
struct WalletSettings {
    std::filesystem::path folder;    ///< of all wallets
    std::vector<std::string> names;  ///< to load at the start, if there are such wallets
    bool has_startup = true;         ///< loads what load_on_startup has named, too
    wallet::ScriptKind address_type = wallet::ScriptKind::wpkh;  ///< of new addresses
    /// Satoshi per 1,000 vB. Empty: payments must state a fee rate.
    std::optional<chain::Satoshis> fallback_fee_rate;
};

struct NodeOptions {
    bool listens = true;
    net::Endpoint listen;  ///< port 0 for any free port
    std::size_t max_connections = 125;
    std::vector<std::string> nodes;  ///< to connect to
    std::string user_agent;
    bool serves_bloom = false;
    bool serves_compact_filters = false;
    bool takes_transactions = true;
    bool has_wallet = true;
    std::vector<std::string> indexes;  ///< as getindexinfo names them
    WalletSettings wallets;
    chain::Satoshis least_fee_rate = 0;  ///< satoshi per 1,000 vB
    std::optional<std::int64_t> mock_time;
    RpcServiceOptions rpc;
    NotifyCommands notify;
    bool is_daemon = false;
    bool waits_for_daemon = false;  ///< until the daemon serves
    bool prints_log = true;
    std::filesystem::path log_file;  ///< empty: none
    std::filesystem::path pid_file;  ///< empty: none
    std::vector<std::string> warnings;
};

/// The version of Bitcoin Core that the node resembles.
inline constexpr int kCoreVersion = 310000;
inline constexpr const char* kCoreVersionText = "31.0.0";

/// Checks the values. Returns what is wrong, in Bitcoin Core's words where bitcoind has the same
/// check.
/// folder   the folder of regtest in the data folder, to which relative paths refer
chain::Expected<NodeOptions, std::string> read_node_options(const Settings& settings,
                                                            const std::filesystem::path& folder);

}  // namespace petal::regtest::front
