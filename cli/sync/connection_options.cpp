#include "cli/sync/connection_options.h"

#include <string>
#include <utility>

#include "cli/command_error.h"
#include "cli/options/option_values.h"
#include "cli/text.h"
#include "net/io/dial/onion_address.h"

namespace petal::cli {
namespace {

constexpr std::uint16_t kSocksPort = 1080;  // RFC 1928
constexpr std::size_t kMaxSeeds = 100;

/// What CLI11 writes into.
struct RawConnection {
    ConnectionOptions options;
    std::vector<std::string> connect;
    std::string proxy;
    std::vector<std::string> seeds;
};

net::Endpoint read_endpoint(const std::string& text, const chain::NetworkParams& network) {
    const auto endpoint = net::parse_endpoint(text, network.default_port);
    if (endpoint) return *endpoint;
    throw usage_error("--connect: " + text + ": " + std::string(net::describe(endpoint.error())));
}

net::Endpoint read_proxy(const std::string& text) {
    const auto endpoint = net::parse_endpoint(text, kSocksPort);
    if (!endpoint) {
        throw usage_error("--proxy: " + text + ": " + std::string(net::describe(endpoint.error())));
    }
    if (net::is_onion_name(endpoint->host)) {
        throw usage_error("--proxy: an onion service can't be the way to onion services");
    }
    return *endpoint;
}

/// The seeds by their names; none where `none` is the only one.
std::vector<std::string> read_seeds(const std::vector<std::string>& texts) {
    if (texts.size() == 1 && texts.front() == "none") return {};
    if (texts.size() > kMaxSeeds) throw usage_error("--dns-seed: no more than 100 of them");
    std::vector<std::string> names;
    for (const std::string& text : texts) {
        const auto endpoint = net::parse_endpoint(text, 1);
        const bool is_name = endpoint && endpoint->host == text && !net::is_ip_address(text) &&
                             !net::is_onion_name(text);
        if (!is_name || text == "none") {
            throw usage_error("--dns-seed: " + printable(text) + " is no name, nor none alone");
        }
        names.push_back(text);
    }
    return names;
}

/// Refuses what could only be done by asking DNS, or going round the proxy.
void check_route(const ConnectionOptions& options) {
    if (options.onion_only && !options.proxy) {
        throw usage_error("--onion-only needs --proxy HOST:PORT, the way to onion services");
    }
    if (options.onion_only && options.proxy->host != "localhost" &&
        !net::is_ip_address(options.proxy->host)) {
        throw usage_error("--onion-only asks no DNS: give the proxy by its IP address");
    }
    for (const net::Endpoint& peer : options.connect) {
        const bool onion = net::is_onion_name(peer.host);
        if (onion && !options.proxy) {
            throw usage_error("--connect " + to_string(peer) +
                              ": onion services are reached through --proxy HOST:PORT alone");
        }
        if (options.onion_only && !onion) {
            throw usage_error("--connect " + to_string(peer) +
                              " is no .onion address, and "
                              "--onion-only connects to no other");
        }
    }
}

ConnectionOptions take_connection(RawConnection& raw, const GlobalOptions& global) {
    ConnectionOptions options = std::move(raw.options);
    for (const std::string& text : raw.connect) {
        options.connect.push_back(read_endpoint(text, *global.network));
    }
    if (!raw.proxy.empty()) options.proxy = read_proxy(raw.proxy);
    if (!raw.seeds.empty()) options.dns_seeds = read_seeds(raw.seeds);
    check_route(options);
    return options;
}

/// A command whose arguments are hosts, in the help shown as `argument`. The name itself has no
/// colon, which CLI11 refuses since 2.4.
template <typename Options>
CommandEntry hosts_command(CLI::App* parent, const char* name, const char* description,
                           const char* argument, std::vector<std::string> Options::*hosts) {
    CLI::App* app = parent->add_subcommand(name, description);
    auto options = std::make_shared<Options>();
    app->add_option("HOST", (*options).*hosts, "IP addresses or .onion names")
        ->option_text(argument)
        ->required();
    if constexpr (std::is_same_v<Options, PeersBanOptions>) {
        app->add_option("--days", options->days, "days until the ban ends (default: never)")
            ->type_name("N")
            ->check(whole_number(1, 36'500));
    }
    return {app, [options](const GlobalOptions&) -> Command { return std::move(*options); }};
}

}  // namespace

CLI::Option* repeatable(CLI::Option* option) {
    return option->take_all()->allow_extra_args(false);
}

CLI::Option* add_seconds(CLI::App* app, const char* name,
                         std::optional<std::chrono::milliseconds>& value, const char* description,
                         bool may_be_zero) {
    return app
        ->add_option_function<std::string>(
            name, [&value](const std::string& text) { value = to_milliseconds(text); }, description)
        ->type_name("SECONDS")
        ->check(seconds(may_be_zero));
}

std::function<ConnectionOptions(const GlobalOptions&)> add_connection_options(CLI::App* app,
                                                                              const char* timeout) {
    auto raw = std::make_shared<RawConnection>();
    CLI::Option* connect =
        app->add_option("--connect", raw->connect,
                        "connect to this node and to no others; the port defaults\n"
                        "to the network's; [::1]:18444 for IPv6; may be repeated");
    repeatable(connect)->type_name("HOST:PORT");
    app->add_option("--peers", raw->options.peers, "nodes to be connected to at once (default: 8)")
        ->type_name("N")
        ->check(whole_number(1, 64));
    app->add_option("--proxy", raw->proxy,
                    "a SOCKS5 proxy for every connection, such as Tor at\n"
                    "127.0.0.1:9050; it also resolves names, this machine asks\n"
                    "DNS at most for the proxy's own")
        ->type_name("HOST:PORT");
    CLI::Option* onion_only = app->add_flag("--onion-only", raw->options.onion_only,
                                            "connect to .onion addresses alone; needs --proxy");
    repeatable(app->add_option("--dns-seed", raw->seeds,
                               "a name that lists nodes, instead of the network's own;\n"
                               "may be repeated; none for none; not with --connect or\n"
                               "--onion-only, which ask no seed"))
        ->type_name("NAME")
        ->excludes(connect)
        ->excludes(onion_only);
    add_seconds(app, "--timeout", raw->options.timeout, timeout);
    return [raw](const GlobalOptions& global) { return take_connection(*raw, global); };
}

std::vector<CommandEntry> add_peers_commands(CLI::App* peers) {
    auto list = std::make_shared<PeersListOptions>();
    peers->add_flag("--all", list->all, "also those that petal has only heard of");
    const auto read_list = [list](const GlobalOptions&) -> Command { return *list; };
    std::vector<CommandEntry> entries{
        {peers, read_list},
        hosts_command<PeersAddOptions>(peers, "add", "remember nodes, and dial them first",
                                       "HOST:PORT", &PeersAddOptions::peers),
        hosts_command<PeersRemoveOptions>(peers, "remove", "forget nodes", "HOST:PORT",
                                          &PeersRemoveOptions::peers),
        hosts_command<PeersBanOptions>(peers, "ban", "never dial these hosts, on any port", "HOST",
                                       &PeersBanOptions::hosts),
        hosts_command<PeersUnbanOptions>(peers, "unban", "lift bans", "HOST",
                                         &PeersUnbanOptions::hosts)};
    // Last, since commands inherit it.
    peers->footer(
        "Without a command, lists the peers that have served and those that you added, when they\n"
        "did last, who told of them, and why they are not dialled. What is changed counts from\n"
        "the next sync on.\n\n"
        "Examples:\n"
        "  petal peers add 203.0.113.5\n"
        "  petal peers ban 198.51.100.7 --days 30");
    return entries;
}

}  // namespace petal::cli
