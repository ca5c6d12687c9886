#include "cli/sync/sync_options.h"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "cli/options/option_values.h"
#include "cli/sync/sync_commands.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "net/io/dial/onion_address.h"
#include "net/io/dial/peer_endpoint.h"

namespace petal::cli {
namespace {

constexpr std::uint16_t kSocksPort = 1080;  // RFC 1928
constexpr std::size_t kMaxSeeds = 100;

/// The variables that CLI11 sets.
struct RawConnection {
    client::ConnectionOptions options;
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

/// The seeds by their names. Empty if `none` is the only one.
std::vector<std::string> read_seeds(const std::vector<std::string>& texts) {
    if (texts.size() == 1 && texts.front() == "none") return {};
    if (texts.size() > kMaxSeeds) throw usage_error("--dns-seed: no more than 100 of them");
    std::vector<std::string> names;
    for (const std::string& text : texts) {
        const auto endpoint = net::parse_endpoint(text, 1);
        const bool is_name = endpoint && endpoint->host == text && !net::is_ip_address(text) &&
                             !net::is_onion_name(text);
        if (text == "none") throw usage_error("--dns-seed none goes with no other --dns-seed");
        if (!is_name) {
            throw usage_error("--dns-seed: " + printable(text) + " is not the name of a DNS seed");
        }
        names.push_back(text);
    }
    return names;
}

/// Refuses a node that is named twice: it would count as two nodes that agree.
void check_nodes(const std::vector<net::Endpoint>& nodes) {
    std::map<std::string, std::string> given;  // what was given, by PeerIdentity::node
    for (const net::Endpoint& node : nodes) {
        const net::PeerIdentity identity = net::identity_of(node);
        const auto [first, is_new] = given.emplace(identity.node, identity.address);
        if (is_new) continue;
        throw usage_error("--connect names one node twice: " + first->second + " and " +
                          identity.address);
    }
}

/// Refuses options that would require DNS lookups, or bypass the proxy.
void check_route(const client::ConnectionOptions& options) {
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

client::ConnectionOptions take_connection(RawConnection& raw, const GlobalOptions& global) {
    client::ConnectionOptions options = std::move(raw.options);
    options.stop_on_signals = true;
    for (const std::string& text : raw.connect) {
        options.connect.push_back(read_endpoint(text, *global.network));
    }
    if (!raw.proxy.empty()) options.proxy = read_proxy(raw.proxy);
    if (!raw.seeds.empty()) options.dns_seeds = read_seeds(raw.seeds);
    check_nodes(options.connect);
    check_route(options);
    return options;
}

/// Adds the options that every syncing command has besides those of its connections. `options` must
/// outlive the parsing.
void add_block_options(CLI::App* app, SyncCommandOptions& options) {
    using enum net::CrossCheckMode;
    add_choice<net::CrossCheckMode>(
        app, "--cross-check", options.cross_check,
        {{"none", none}, {"sample", sample}, {"all", all}},
        "blocks to request from a second peer, too, to detect matches that the first "
        "left out: none, sample (one in twenty) or all (default: sample)");
    add_privacy(app, options.privacy,
                "share of other addresses that match the filter by chance: 1 in 100,000 "
                "(fast), 1 in 20,000 (balanced) or 1 in 4,000 (private). Their transactions "
                "are downloaded too (default: as in the last sync of the wallet, or fast)");
    CLI::Option* const source = add_choice<client::SourceOption>(
        app, "--source", options.source,
        {{"auto", client::SourceOption::automatic},
         {"bloom", client::SourceOption::bloom},
         {"compact", client::SourceOption::compact},
         {"blocks", client::SourceOption::blocks}},
        "how payments are found: bloom (the peers search by a filter of the wallet), compact (the "
        "filters of blocks are searched here, and blocks that match are downloaded), blocks (all "
        "blocks are downloaded and searched here) or auto (the fastest that the named nodes serve; "
        "without --connect, as --privacy says: compact first if private) (default: bloom with "
        "--connect and at regtest's default node, else auto)");
    app->add_flag_callback(
           "--full-blocks", [&options] { options.source = client::SourceOption::blocks; },
           "the same as --source blocks: much more traffic, but the peers learn nothing about the "
           "wallet")
        ->excludes(source);
    using Unconfirmed = net::UnconfirmedMode;
    add_choice<net::UnconfirmedMode>(
        app, "--unconfirmed", options.unconfirmed,
        {{"bloom", Unconfirmed::bloom}, {"all", Unconfirmed::all}, {"none", Unconfirmed::none}},
        "how unconfirmed payments are found while the sync listens: bloom (one peer gets a Bloom "
        "filter of the addresses that await payments), all (one peer relays all transactions, on "
        "mainnet 20 to 60 MB a day; not with --source bloom) or none (default: by the filter with "
        "--source bloom, else all)");
    add_choice<ProgressFormat>(
        app, "--progress", options.progress,
        {{"auto", ProgressFormat::automatic},
         {"json", ProgressFormat::json},
         {"none", ProgressFormat::none}},
        "progress of the sync on standard error: auto (a bar on a terminal, lines "
        "elsewhere), json (an object a line) or none (default: auto)");
    app->add_flag("--from-genesis", options.from_genesis,
                  "download the headers from the first block on, instead of from a block "
                  "shortly before the wallet's birthday");
    app->add_option_function<std::string>(
           "--minimum-chainwork",
           [&options](const std::string& hex) { options.minimum_chainwork = parse_chainwork(hex); },
           "minimum work of a chain (default: the network's); a chain with less is "
           "ignored; 0 accepts any chain, for tests")
        ->type_name("HEX")
        ->check(chainwork_hex());
}

void check_unconfirmed(const SyncCommandOptions& options) {
    using enum client::SourceOption;
    const bool may_be_bloom = options.source == bloom || options.source == by_default;
    if (options.unconfirmed == net::UnconfirmedMode::all && may_be_bloom) {
        throw usage_error(
            "--unconfirmed all goes with --source compact or blocks: with --source bloom, peers "
            "relay what matches the wallet's filter");
    }
    if (options.unconfirmed == net::UnconfirmedMode::none && options.wait_unconfirmed) {
        throw usage_error("--wait-unconfirmed and --unconfirmed none do not go together");
    }
}

CommandEntry add_sync(CLI::App& root) {
    CLI::App* app =
        add_command(root, kSyncing, "sync", "sync the headers and the wallet to the best chain");
    auto options = std::make_shared<SyncCommandOptions>();
    const auto read_connection = add_connection_options(
        app,
        "give up after this many seconds, with exit status 3; unreachable peers are "
        "retried until then");
    add_block_options(app, *options);
    add_seconds(app, "--wait-unconfirmed", options->wait_unconfirmed,
                "then listen for unconfirmed transactions for this long (default: 0); 30 is "
                "enough, as nodes answer with their next announcements, after 5 seconds on "
                "average",
                /*may_be_zero=*/true);
    auto* wait = app->get_option("--wait-unconfirmed");
    app->add_flag("--all-wallets", options->several.all,
                  "sync every wallet of the network, each over its own nodes, and download "
                  "headers once; or repeat --wallet NAME for some");
    app->add_flag("--follow", options->follow,
                  "then stay connected and report new blocks, payments before and after they "
                  "confirm, and reorganisations, until interrupted; with --json, one object a "
                  "line")
        ->excludes(wait);
    add_explain(app, options->explain);
    app->add_option("--notify", options->notify,
                    "with --follow: run this shell command for each transaction, reorganisation, "
                    "synced block and peer, with the event as JSON on its standard input")
        ->type_name("COMMAND")
        ->check(not_empty());
    app->footer(
        "Without --connect, petal finds nodes by itself that serve what --source needs: Bloom "
        "filters (Bitcoin Core: peerbloomfilters=1), compact filters (blockfilterindex=1 and "
        "peerblockfilters=1) or blocks; on regtest, that is 127.0.0.1:18444 unless petal peers "
        "knows another. Ctrl-C at any moment loses nothing that was verified.\n\n"
        "Examples:\n"
        "  petal sync\n"
        "  petal --network regtest sync\n"
        "  petal sync --connect mynode.lan --wait-unconfirmed 30\n"
        "  petal sync --connect mynode.lan --follow\n"
        "  petal sync --connect mynode.lan --connect 203.0.113.5\n"
        "  petal sync --proxy 127.0.0.1:9050 --connect mynode.lan\n"
        "  petal sync --all-wallets");
    return {app,
            [options, read_connection](const GlobalOptions& global) {
                if (!options->notify.empty() && !options->follow) {
                    throw usage_error("--notify goes with --follow");
                }
                const bool names_wallet = std::ranges::count(global.given, "--wallet") > 0;
                if (options->several.all && names_wallet) {
                    throw usage_error("--all-wallets and --wallet do not go together");
                }
                if (!options->several.all) options->several.names = global.wallets;
                if (options->wait_unconfirmed == std::chrono::milliseconds::zero()) {
                    options->wait_unconfirmed.reset();
                }
                check_unconfirmed(*options);
                options->connection = read_connection(global);
                const bool follows = options->follow;
                Action action = make_action(std::move(*options), run_sync);
                action.prints_events = follows;
                action.may_run_twice = true;
                return action;
            },
            /*takes_wallets=*/true};
}

CommandEntry add_wait(CLI::App& root) {
    CLI::App* app =
        add_command(root, kSyncing, "wait", "sync until a payment, confirmation or block");
    auto options = std::make_shared<WaitOptions>();
    auto* address = app->add_option("--address", options->address,
                                    "wait until this address of the wallet is paid");
    address->type_name("ADDRESS")->check(not_empty());
    app->add_option_function<std::string>(
           "--amount",
           [options](const std::string& text) { options->amount = *parse_amount(text); },
           "total amount to wait for (0.001 in bitcoin, or 100000sat)")
        ->type_name("AMOUNT")
        ->needs(address)
        ->check(positive_amount());
    auto* tx = app->add_option_function<std::string>(
        "--tx", [options](const std::string& text) { options->txid = GivenTxid::parse(text); },
        "wait until this transaction is confirmed; of one that the wallet has, the first digits "
        "will do");
    tx->type_name("TXID")->check(given_txid());
    auto confirmations = std::make_shared<std::optional<std::uint32_t>>();
    app->add_option_function<std::uint32_t>(
           "--conf", [confirmations](std::uint32_t count) { *confirmations = count; },
           "confirmations to wait for (default: 1 for --tx, 0 for --address); 0: until "
           "seen")
        ->type_name("N")
        ->check(whole_number(0, 100'000'000));
    app->add_option_function<std::uint32_t>(
           "--height", [options](std::uint32_t height) { options->height = height; },
           "wait until the wallet is synced to this block")
        ->type_name("H")
        ->check(whole_number(0, 100'000'000));
    const auto read_connection =
        add_connection_options(app, "give up after this many seconds, with exit status 3");
    add_block_options(app, options->sync);
    app->footer(
        "Without --conf, an address counts as paid before a block confirms the "
        "payment, which proves nothing: its sender can take it back.\n\n"
        "Examples:\n"
        "  petal wait --address bc1q… --amount 0.001 --conf 1\n"
        "  petal wait --tx 4a5e1e4b --conf 6");
    return {app, [options, confirmations, read_connection](const GlobalOptions& global) {
                const int given = (options->address.empty() ? 0 : 1) + (options->txid ? 1 : 0) +
                                  (options->height ? 1 : 0);
                if (given != 1) {
                    throw usage_error("give one of --address, --tx and --height to wait for");
                }
                if (*confirmations && options->height) {
                    throw usage_error("--conf goes with --address or --tx");
                }
                check_unconfirmed(options->sync);
                options->confirmations = confirmations->value_or(options->txid ? 1 : 0);
                options->sync.connection = read_connection(global);
                Action action = make_action(std::move(*options), run_wait);
                action.may_run_twice = true;
                return action;
            }};
}

/// `raw` must outlive the parsing. Returns --dns-seed.
CLI::Option* add_search_options(CLI::App* app, RawConnection& raw, const char* timeout,
                                const char* dns_seed) {
    app->add_option("--proxy", raw.proxy,
                    "a SOCKS5 proxy for every connection, such as Tor at 127.0.0.1:9050; host "
                    "names are resolved by the proxy (except the proxy's own)")
        ->type_name("HOST:PORT")
        ->check(not_empty());
    CLI::Option* onion_only = app->add_flag("--onion-only", raw.options.onion_only,
                                            "connect only to .onion addresses; needs --proxy");
    CLI::Option* seed = repeatable(app->add_option("--dns-seed", raw.seeds, dns_seed))
                            ->type_name("NAME")
                            ->excludes(onion_only);
    add_seconds(app, "--timeout", raw.options.timeout, timeout);
    return seed;
}

}  // namespace

std::function<client::ConnectionOptions(const GlobalOptions&)> add_connection_options(
    CLI::App* app, const char* timeout) {
    auto raw = std::make_shared<RawConnection>();
    CLI::Option* connect =
        app->add_option("--connect", raw->connect,
                        "connect only to this node (default port: the network's); [::1]:18444 for "
                        "IPv6; may be repeated");
    repeatable(connect)->type_name("HOST:PORT");
    app->add_option("--peers", raw->options.peers, "peers to be connected to at once (default: 8)")
        ->type_name("N")
        ->check(whole_number(1, 64));
    add_search_options(app, *raw, timeout,
                       "DNS seed to query instead of the network's; none for no seed; may be "
                       "repeated; not with --connect or --onion-only, which query no seed")
        ->excludes(connect);
    return [raw](const GlobalOptions& global) { return take_connection(*raw, global); };
}

std::function<client::ConnectionOptions(const GlobalOptions&)> add_search_options(
    CLI::App* app, const char* timeout) {
    auto raw = std::make_shared<RawConnection>();
    add_search_options(app, *raw, timeout,
                       "DNS seed to query instead of the network's; none for no seed; may be "
                       "repeated; not with --onion-only, which queries no seed");
    return [raw](const GlobalOptions& global) { return take_connection(*raw, global); };
}

std::vector<CommandEntry> add_sync_commands(CLI::App& root) {
    return {add_sync(root), add_wait(root)};
}

}  // namespace petal::cli
