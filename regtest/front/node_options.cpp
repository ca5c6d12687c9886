#include "regtest/front/node_options.h"

#include <algorithm>
#include <charconv>
#include <string_view>
#include <utility>

#include "regtest/front/option_table.h"
#include "regtest/front/rpc_auth.h"
#include "regtest/rpc/address_type.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/rpc_node.h"
#include "regtest/serve/client_subnet.h"

namespace petal::regtest::front {
namespace {

constexpr std::uint16_t kPort = 18'444;
constexpr std::uint16_t kRpcPort = 18'443;
constexpr std::size_t kMaxUserAgent = 256;  // BIP14
constexpr std::int64_t kMaxTime = 0xffffffff;

/// Ends the reading of options. Caught by read_node_options().
struct WrongOption {
    std::string what;
};

std::int64_t number_of(const Settings& settings, const char* name, std::int64_t otherwise,
                       std::int64_t least, std::int64_t most) {
    const auto text = settings.text(name);
    if (!text) return otherwise;
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), value);
    const bool is_number = error == std::errc{} && end == text->data() + text->size();
    if (is_number && value >= least && value <= most) return value;
    throw WrongOption{"Invalid value of -" + std::string(name) + ": '" + *text + "'"};
}

std::uint16_t port_of(const Settings& settings, const char* name, std::uint16_t otherwise) {
    const auto text = settings.text(name);
    if (!text) return otherwise;
    std::uint16_t port = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), port);
    if (error == std::errc{} && end == text->data() + text->size()) return port;
    throw WrongOption{"Invalid port specified in -" + std::string(name) + ": '" + *text + "'"};
}

net::Endpoint address_of(const std::string& text, const char* name, std::uint16_t port) {
    // The default port may be 0, any free port, which an endpoint does not allow.
    const auto endpoint = net::parse_endpoint(text, 1);
    const bool has_port = endpoint && to_string(*endpoint) == text;
    const bool is_valid = endpoint && net::is_ip_address(endpoint->host);
    if (!is_valid) {
        throw WrongOption{"Cannot resolve -" + std::string(name) + " address: '" + text + "'"};
    }
    return {endpoint->host, has_port ? endpoint->port : port};
}

/// An address or network with permissions in front: `PERMISSIONS@ADDRESS`, of which the node
/// listens on one.
void read_listening(const Settings& settings, NodeOptions& options) {
    const std::uint16_t port = port_of(settings, "port", kPort);
    options.listen = {"127.0.0.1", port};
    std::vector<net::Endpoint> binds;
    for (const std::string& bind : settings.list("bind")) {
        // Connections of a Tor service, which this node does not have.
        if (bind.ends_with("=onion")) continue;
        binds.push_back(address_of(bind, "bind", port));
    }
    const bool connects_only = settings.is_set("connect");
    const bool has_room = settings.text("maxconnections") != "0";
    options.listens = settings.boolean("listen", !binds.empty() || (!connects_only && has_room));
    if (!binds.empty() && !options.listens) {
        throw WrongOption{"Cannot set -bind or -whitebind together with -listen=0"};
    }
    std::ranges::sort(binds, {}, [](const auto& bind) { return to_string(bind); });
    binds.erase(std::unique(binds.begin(), binds.end()), binds.end());
    if (binds.size() > 1) throw WrongOption{"petal-bitcoind takes one -bind address"};
    if (!binds.empty()) options.listen = binds.front();
    options.max_connections =
        static_cast<std::size_t>(number_of(settings, "maxconnections", 125, 0, 100'000));
}

void read_nodes(const Settings& settings, NodeOptions& options) {
    for (const char* name : {"connect", "addnode"}) {
        for (const std::string& node : settings.list(name)) {
            if (node == "0" && name == std::string_view("connect")) continue;
            if (!net::parse_endpoint(node, kPort)) {
                throw WrongOption{"Invalid address in -" + std::string(name) + ": '" + node + "'"};
            }
            options.nodes.push_back(node);
        }
    }
}

/// Bitcoin Core: SAFE_CHARS_UA_COMMENT.
bool is_safe_comment(std::string_view comment) {
    return comment.find_first_not_of(
               "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
               "0123456789 .,;-_?@") == comment.npos;
}

std::string user_agent_of(const Settings& settings) {
    std::string comments;
    for (const std::string& comment : settings.list("uacomment")) {
        if (!is_safe_comment(comment)) {
            throw WrongOption{"User Agent comment (" + comment + ") contains unsafe characters."};
        }
        comments += (comments.empty() ? "" : "; ") + comment;
    }
    std::string agent = "/Satoshi:" + std::string(kCoreVersionText);
    if (!comments.empty()) agent += "(" + comments + ")";
    agent += "/";
    if (agent.size() <= kMaxUserAgent) return agent;
    throw WrongOption{"Total length of network version string (" + std::to_string(agent.size()) +
                      ") exceeds maximum length (256). Reduce the number or size of uacomments."};
}

chain::Satoshis fee_rate_of(const Settings& settings, const char* name, chain::Satoshis otherwise) {
    const auto text = settings.text(name);
    if (!text) return otherwise;
    const auto rate = rpc::parse_btc_text(*text);
    if (rate && *rate >= 0 && *rate <= chain::kMaxMoney) return *rate;
    throw WrongOption{"Invalid amount for -" + std::string(name) + "=<amount>: '" + *text + "'"};
}

void read_serving(const Settings& settings, NodeOptions& options) {
    options.user_agent = user_agent_of(settings);
    options.serves_bloom = settings.boolean("peerbloomfilters", false);
    for (const std::string& type : settings.list("blockfilterindex")) {
        const bool is_known = type.empty() || type == "0" || type == "1" || type == "basic";
        if (!is_known) throw WrongOption{"Unknown -blockfilterindex value " + type + "."};
    }
    const auto index = settings.text("blockfilterindex");
    const bool has_index = index && *index != "0";
    options.serves_compact_filters = settings.boolean("peerblockfilters", false);
    if (options.serves_compact_filters && !has_index) {
        throw WrongOption{"Cannot set -peerblockfilters without -blockfilterindex."};
    }
    for (const char* name : {"txindex", "txospenderindex", "coinstatsindex"}) {
        if (settings.boolean(name, false)) options.indexes.emplace_back(name);
    }
    if (has_index) options.indexes.emplace_back(rpc::kFilterIndex);
    options.takes_transactions = !settings.boolean("blocksonly", false);
    constexpr chain::Satoshis kDefaultFeeRate = 100;
    options.least_fee_rate = fee_rate_of(settings, "minrelaytxfee", kDefaultFeeRate);
    const std::int64_t time = number_of(settings, "mocktime", 0, 0, kMaxTime);
    if (time > 0) options.mock_time = time;
}

/// A path relative to the folder of the chain. Empty if the option is negated.
std::filesystem::path path_of(const Settings& settings, const char* name, const char* otherwise,
                              const std::filesystem::path& folder) {
    if (settings.is_negated(name)) return {};
    const auto given = settings.text(name).value_or("");
    // An absolute path replaces the folder.
    return folder / (given.empty() || given == "1" ? otherwise : given);
}

std::filesystem::perms cookie_permissions(const Settings& settings) {
    using std::filesystem::perms;
    const std::string readers = settings.text("rpccookieperms").value_or("owner");
    if (readers == "owner") return perms::owner_read;
    if (readers == "group") return perms::owner_read | perms::group_read;
    if (readers == "all") return perms::owner_read | perms::group_read | perms::others_read;
    throw WrongOption{"Invalid -rpccookieperms=" + readers +
                      "; must be one of 'owner', 'group', or 'all'."};
}

void read_rpc(const Settings& settings, const std::filesystem::path& folder, NodeOptions& options) {
    RpcServiceOptions& rpc = options.rpc;
    rpc.is_served = settings.boolean("server", true);
    rpc.port = port_of(settings, "rpcport", kRpcPort);
    const bool is_open = settings.is_set("rpcallowip") && settings.is_set("rpcbind");
    for (const std::string& allowed : settings.list("rpcallowip")) {
        if (!ClientSubnet::parse(allowed)) {
            throw WrongOption{"Invalid -rpcallowip subnet specification: " + allowed +
                              ". Valid values are a single IP (e.g. 1.2.3.4), a network/netmask "
                              "(e.g. 1.2.3.4/255.255.255.0), a network/CIDR (e.g. 1.2.3.4/24), "
                              "all ipv4 (0.0.0.0/0), or all ipv6 (::/0)."};
        }
        rpc.allowed.push_back(allowed);
    }
    for (const std::string& bind : settings.list("rpcbind")) {
        const auto address = address_of(bind, "rpcbind", rpc.port);
        if (is_open) rpc.binds.push_back(address);
    }
    if (settings.is_set("rpcbind") && !is_open) {
        options.warnings.emplace_back(
            "option -rpcbind was ignored because -rpcallowip was not specified, refusing to allow "
            "everyone to connect");
    }
    if (settings.is_set("rpcallowip") && !is_open) {
        options.warnings.emplace_back(
            "option -rpcallowip was specified without -rpcbind; this doesn't usually make sense");
    }
    for (const std::string& auth : settings.list("rpcauth")) {
        if (!RpcAuth::parse(auth)) throw WrongOption{"Invalid -rpcauth argument."};
        rpc.auths.push_back(auth);
    }
    rpc.password = settings.text("rpcpassword").value_or("");
    rpc.user = settings.text("rpcuser").value_or("");
    // A client's user name ends at the first colon (RFC 7617).
    if (rpc.user.find(':') != rpc.user.npos) {
        throw WrongOption{"Invalid -rpcuser: a user name must not contain a colon."};
    }
    rpc.cookie_permissions = cookie_permissions(settings);
    if (rpc.password.empty()) {
        rpc.cookie_file = path_of(settings, "rpccookiefile", ".cookie", folder);
    }
}

wallet::ScriptKind address_type_of(const Settings& settings) {
    const std::string name = settings.text("addresstype").value_or("bech32");
    const auto kind = rpc::find_address_type(name);
    if (kind) return *kind;
    throw WrongOption{"Unknown address type '" + name + "'"};
}

void read_wallets(const Settings& settings, const std::filesystem::path& folder,
                  NodeOptions& options) {
    options.has_wallet = !settings.boolean("disablewallet", false);
    WalletSettings& wallets = options.wallets;
    wallets.folder = folder / "wallets";
    wallets.folder = path_of(settings, "walletdir", "wallets", folder);
    wallets.has_startup = !settings.is_negated("wallet");
    if (wallets.has_startup) wallets.names = settings.list("wallet");
    wallets.address_type = address_type_of(settings);
    const chain::Satoshis fallback = fee_rate_of(settings, "fallbackfee", 0);
    if (fallback > 0) wallets.fallback_fee_rate = fallback;
}

void check_uses(const Settings& settings, NodeOptions& options) {
    for (const std::string& name : settings.names()) {
        const OptionRow* const row = find_option(name);
        const bool is_set = settings.is_set(name) && settings.text(name).value_or("0") != "0";
        if (!is_set) continue;
        if (row->use == OptionUse::refused) {
            throw WrongOption{"petal-bitcoind does not have -" + name + "."};
        }
        if (row->use == OptionUse::unserved) {
            options.warnings.push_back("option -" + name + " has no effect in petal-bitcoind");
        }
    }
    for (const std::string& name : settings.unknown()) {
        options.warnings.push_back("Ignoring unknown configuration value " + name);
    }
}

}  // namespace

chain::Expected<NodeOptions, std::string> read_node_options(const Settings& settings,
                                                            const std::filesystem::path& folder) {
    try {
        std::string outside;
        for (const std::string& name : settings.outside_section()) {
            outside += (outside.empty() ? "" : " ") + ("Config setting for -" + name) +
                       " only applied on regtest network when in [regtest] section.";
        }
        if (!outside.empty()) throw WrongOption{outside};
        NodeOptions options;
        check_uses(settings, options);
        read_listening(settings, options);
        read_nodes(settings, options);
        read_serving(settings, options);
        read_rpc(settings, folder, options);
        read_wallets(settings, folder, options);
        options.notify = {settings.text("blocknotify").value_or(""),
                          settings.text("startupnotify").value_or(""),
                          settings.text("shutdownnotify").value_or(""),
                          settings.text("walletnotify").value_or("")};
        options.waits_for_daemon = settings.boolean("daemonwait", false);
        options.is_daemon = options.waits_for_daemon || settings.boolean("daemon", false);
        options.prints_log = settings.boolean("printtoconsole", !options.is_daemon);
        options.log_file = path_of(settings, "debuglogfile", "debug.log", folder);
        options.pid_file = path_of(settings, "pid", "bitcoind.pid", folder);
        return options;
    } catch (const WrongOption& wrong) {
        return chain::Unexpected(wrong.what);
    }
}

}  // namespace petal::regtest::front
