#include "cli/sync/peer_commands.h"

#include <algorithm>
#include <filesystem>
#include <ostream>

#include "chain/enum_table.h"
#include "chain/unix_time.h"
#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/sync/peer_census.h"
#include "cli/sync/sync_options.h"
#include "cli/sync/text/peer_file_text.h"
#include "cli/sync/text/service_text.h"
#include "cli/terminal/table.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "client/sync/peer_source.h"
#include "net/io/clocks.h"
#include "net/io/dial/peer_endpoint.h"
#include "net/io/search/peer_store.h"

namespace petal::cli {
namespace {

constexpr std::int64_t kForGood = chain::kLastUnixTime;

std::string host_text(const net::PeerAddress& address) {
    return endpoint_of(address).host;
}

std::string address_text(const net::PeerAddress& address) {
    return to_string(endpoint_of(address));
}

/// The source of a node's address: a seed's name, or the network group of a peer.
std::string source_text(const net::KnownPeer& peer) {
    if (peer.by_user) return "you";
    const chain::Bytes& source = peer.source;
    const auto group_of = [&](net::AddressKind kind, std::size_t bytes, std::string_view mask) {
        net::PeerAddress address{kind, {source.begin() + 1, source.end()}, 0};
        address.host.resize(net::address_bytes(kind));
        return source.size() == bytes ? host_text(address).append(mask) : std::string{};
    };
    if (source.empty()) return "";
    if (source[0] == static_cast<chain::Byte>(net::AddressKind::ipv4)) {
        return group_of(net::AddressKind::ipv4, 3, "/16");
    }
    if (source[0] == static_cast<chain::Byte>(net::AddressKind::ipv6)) {
        return group_of(net::AddressKind::ipv6, 5, "/32");
    }
    if (source[0] == static_cast<chain::Byte>(net::AddressKind::onion)) {
        return "an onion service";
    }
    return printable(std::string(source.begin(), source.end()));
}

std::string_view outcome_text(net::PeerOutcome outcome) {
    using enum net::PeerOutcome;
    static constexpr auto kTexts = chain::enum_table<net::PeerOutcome, std::string_view>({
        {served, "served"},
        {answered, "answered a test connection"},
        {unreachable, "can't be reached"},
        {lacks_services, "lacks what a sync needed"},
        {too_old, "is too old"},
        {wrong_network, "is of another network"},
        {too_slow, "is too slow"},
        {bad_data, "sent bad data"},
        {refused, "hung up"},
        {low_work, "has a chain with too little work"},
        {lighter_chain, "does not have the stored chain"},
        {other_chain, "is on another chain"},
        {lesser_branch, "is on another chain"},
    });
    return kTexts[outcome];
}

std::string why_text(const net::KnownPeer& peer, const net::AddrMan& addrman, std::int64_t now) {
    if (addrman.bans().is_banned(peer.address, now)) return "banned";
    // A node is not blamed for failures while no node could be reached, or for the end of the sync.
    const std::string_view untried =
        peer.last_attempt == 0 ? "not tried yet" : "tried, no verdict yet";
    std::string text{peer.last_outcome ? outcome_text(*peer.last_outcome) : untried};
    if (addrman.anchors().contains(peer.address)) text += "; an anchor, dialled first";
    if (is_left_alone(peer, now)) text += "; left alone until " + format_time(peer.not_before);
    return text;
}

Json time_json(std::int64_t time) {
    return time == 0 ? Json(nullptr) : Json(time);
}

Json peer_json(const net::KnownPeer& peer, const net::AddrMan& addrman, std::int64_t now) {
    return {{"address", address_text(peer.address)},
            {"services", peer.services},
            {"services_time", time_json(peer.services_time)},
            {"tried", peer.tried},
            {"added_by_user", peer.by_user},
            {"anchor", addrman.anchors().contains(peer.address)},
            {"source", source_text(peer)},
            {"last_seen_time", time_json(peer.last_seen)},
            {"last_attempt_time", time_json(peer.last_attempt)},
            {"last_success_time", time_json(peer.last_success)},
            {"failures", peer.failures},
            {"last_outcome", peer.last_outcome ? Json(code_of(*peer.last_outcome)) : Json(nullptr)},
            {"left_alone_until_time", time_json(peer.not_before)},
            {"banned", addrman.bans().is_banned(peer.address, now)}};
}

Json ban_json(const net::PeerAddress& host, const net::PeerBan& ban) {
    return {{"host", host_text(host)},
            {"until_time", ban.until >= kForGood ? Json(nullptr) : Json(ban.until)},
            {"by_user", ban.by_user}};
}

Json addrman_json(const net::AddrMan& addrman, std::int64_t now) {
    Json peers = Json::array();
    for (const auto& peer : addrman.peers()) peers.push_back(peer_json(peer, addrman, now));
    Json bans = Json::array();
    for (const auto& [host, ban] : addrman.bans().all()) {
        if (ban.until > now) bans.push_back(ban_json(host, ban));
    }
    return {{"peers", peers},
            {"bans", bans},
            {"services", services_json(net::count_services(addrman.peers(), now))}};
}

std::string bans_text(const net::AddrMan& addrman, std::int64_t now) {
    std::string text;
    for (const auto& [host, ban] : addrman.bans().all()) {
        if (ban.until <= now) continue;
        text += "banned: " + host_text(host);
        text += ban.until >= kForGood ? " for good" : " until " + format_time(ban.until);
        text += ban.by_user ? ", by you\n" : ", for bad data\n";
    }
    return text;
}

std::string addrman_text(const net::AddrMan& addrman, bool all, const GlobalOptions& global,
                         const Console& console, std::int64_t now) {
    Table table({{"peer"},
                 {"last answered"},
                 {"known from", Table::Align::left, Table::Narrow::omit},
                 {"", Table::Align::left, Table::Narrow::below}});
    std::size_t others = 0;
    for (const auto& peer : addrman.peers()) {
        if (!all && !peer.tried && !peer.by_user) {
            ++others;
            continue;
        }
        table.add_row({address_text(peer.address),
                       peer.last_success == 0 ? "never" : format_time(peer.last_success),
                       source_text(peer), why_text(peer, addrman, now)});
    }
    std::string text = others == addrman.size() ? "" : fitted(table, global.full, console);
    text += bans_text(addrman, now);
    if (addrman.size() == 0) {
        return text + "No peers are known yet; " + advised("sync", global) + " finds some.\n";
    }
    text += fitted(service_table(net::count_services(addrman.peers(), now)), global.full, console);
    if (others == 0) return text;
    return text + count_of(others, others == addrman.size() ? "peer" : "other peer") +
           " petal has only heard of; --all lists them.\n";
}

net::PeerAddress read_address(const std::string& text, const GlobalOptions& global) {
    const auto endpoint = net::parse_endpoint(text, global.network->default_port);
    if (!endpoint) {
        throw usage_error(printable(text) + ": " + std::string(describe(endpoint.error())));
    }
    if (const auto address = net::address_of(*endpoint)) return *address;
    throw usage_error(printable(text) +
                      ": must be an IP address or an onion service; names are for --connect");
}

/// The network's known peers.
net::PeerStore open_store(const GlobalOptions& global, Console& console) {
    net::PeerStore store(data_of(global).peer_file());
    if (store.was_rebuilt())
        console.warn(damaged_peers_text(data_of(global).peer_file()) + "; it begins anew");
    return store;
}

/// The list as a sentence has it: "a, b and c".
std::string sentence_list(const std::vector<std::string>& texts) {
    std::string list;
    for (std::size_t i = 0; i < texts.size(); ++i) {
        if (i > 0) list += i + 1 < texts.size() ? ", " : " and ";
        list += printable(texts[i], 120);
    }
    return list;
}

/// Applies a change and saves it.
/// done   the message for people afterwards
template <typename Change>
void change_addrman(const GlobalOptions& global, Console& console, const std::string& done,
                    Change change) {
    data_of(global).check();
    net::PeerStore store = open_store(global, console);
    net::AddrMan addrman = store.load(client::addrman_options(*global.network));
    change(addrman);
    store.save(addrman);
    (global.json ? console.out() : console.prose())
        << (global.json ? to_line(addrman_json(addrman, net::unix_time_now())) : done) << '\n';
}

void run_peers_list(const PeersListOptions& options, const GlobalOptions& global,
                    Console& console) {
    if (options.census) return run_census(options.connection, global, console);
    data_of(global).check();
    net::AddrMan addrman(client::addrman_options(*global.network));
    if (std::filesystem::exists(data_of(global).peer_file())) {
        addrman = open_store(global, console).load(client::addrman_options(*global.network));
    }
    const std::int64_t now = net::unix_time_now();
    (global.json ? console.out() : console.prose())
        << (global.json ? to_line(addrman_json(addrman, now)) + "\n"
                        : addrman_text(addrman, options.all, global, console, now));
}

void run_peers_add(const PeersAddOptions& options, const GlobalOptions& global, Console& console) {
    const std::string done = "Added " + sentence_list(options.peers) + "; the next sync dials " +
                             (options.peers.size() == 1 ? "it" : "them") + " first.";
    change_addrman(global, console, done, [&](net::AddrMan& addrman) {
        for (const std::string& text : options.peers) {
            if (addrman.add_by_user(read_address(text, global), net::unix_time_now())) continue;
            throw CommandError(
                ExitStatus::failed, "too-many-peers",
                "there are " + count_of(net::AddrMan::kMaxByUser, "peer") + " of yours already");
        }
    });
}

void run_peers_remove(const PeersRemoveOptions& options, const GlobalOptions& global,
                      Console& console) {
    const std::string done = "Removed " + sentence_list(options.peers) + "; a sync that hears of " +
                             (options.peers.size() == 1 ? "it" : "them") + " again may dial again.";
    change_addrman(global, console, done, [&](net::AddrMan& addrman) {
        for (const std::string& text : options.peers) {
            const std::size_t before = addrman.size();
            addrman.forget(read_address(text, global));
            if (addrman.size() < before) continue;
            throw CommandError(ExitStatus::failed, "unknown-peer",
                               "petal knows no peer " + printable(text) + "; " +
                                   advised("peers --all", global) + " lists those it knows");
        }
    });
}

void run_peers_ban(const PeersBanOptions& options, const GlobalOptions& global, Console& console) {
    constexpr std::int64_t kDay = std::int64_t{24} * 60 * 60;
    const std::int64_t until =
        options.days == 0 ? kForGood : net::unix_time_now() + std::int64_t{options.days} * kDay;
    const std::string done = "Banned " + sentence_list(options.hosts) +
                             (options.days == 0 ? " for good" : " until " + format_time(until)) +
                             ", with all ports; " +
                             advised("peers unban " + options.hosts.front(), global) + " lifts it.";
    change_addrman(global, console, done, [&](net::AddrMan& addrman) {
        for (const std::string& text : options.hosts) {
            addrman.bans().ban(read_address(text, global), {.until = until, .by_user = true});
        }
    });
}

void run_peers_unban(const PeersUnbanOptions& options, const GlobalOptions& global,
                     Console& console) {
    const std::string done = "No longer banned: " + sentence_list(options.hosts) + ".";
    change_addrman(global, console, done, [&](net::AddrMan& addrman) {
        for (const std::string& text : options.hosts) {
            if (addrman.bans().unban(read_address(text, global))) continue;
            throw CommandError(ExitStatus::failed, "not-banned",
                               printable(text) + " is not banned");
        }
    });
}

/// A command whose arguments are hosts, shown as `argument` in the help. CLI11 refuses a colon in
/// the name itself since 2.4.
template <typename Options>
CommandEntry hosts_command(CLI::App* parent, const char* name, const char* description,
                           const char* argument, std::vector<std::string> Options::*hosts,
                           CommandFunction<Options> function) {
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
    return plain_entry(app, options, function);
}

/// `peers list`, which does what `peers` alone does.
CommandEntry list_entry(CLI::App* peers) {
    CLI::App* app = peers->add_subcommand("list", "list peers, as without a command");
    auto options = std::make_shared<PeersListOptions>();
    app->add_flag("--all", options->all, "also nodes that never answered");
    return reading(plain_entry(app, options, run_peers_list));
}

/// `peers` itself. The options of a census are refused without --census.
CommandEntry peers_entry(CLI::App* peers) {
    auto options = std::make_shared<PeersListOptions>();
    peers->add_flag("--all", options->all, "also nodes that never answered");
    CLI::Option* census = peers->add_flag("--census", options->census,
                                          "ask the DNS seeds, greet up to 500 nodes, 16 at a time, "
                                          "and show which services they have");
    const std::vector<CLI::Option*> before = peers->get_options();
    const auto read_connection =
        add_search_options(peers, "end the census after this many seconds (default: 120)");
    for (CLI::Option* option : peers->get_options()) {
        if (std::ranges::count(before, option) == 0) option->needs(census);
    }
    return {peers, [options, read_connection](const GlobalOptions& global) {
                if (options->census) options->connection = read_connection(global);
                return make_action(std::move(*options), run_peers_list);
            }};
}

}  // namespace

std::vector<CommandEntry> add_peer_commands(CLI::App& root) {
    CLI::App* peers = add_command(root, kSyncing, "peers", "list, add, remove and ban peers");
    std::vector<CommandEntry> entries{
        reading(peers_entry(peers)),
        list_entry(peers),
        hosts_command<PeersAddOptions>(peers, "add", "remember nodes, and dial them first",
                                       "HOST:PORT", &PeersAddOptions::peers, run_peers_add),
        hosts_command<PeersRemoveOptions>(peers, "remove", "forget nodes", "HOST:PORT",
                                          &PeersRemoveOptions::peers, run_peers_remove),
        hosts_command<PeersBanOptions>(peers, "ban", "never dial these hosts, on any port", "HOST",
                                       &PeersBanOptions::hosts, run_peers_ban),
        hosts_command<PeersUnbanOptions>(peers, "unban", "lift bans", "HOST",
                                         &PeersUnbanOptions::hosts, run_peers_unban)};
    // Last, since commands inherit it.
    peers->footer(
        "Without a command, lists the peers that have served, or answered when petal tested them, "
        "and those that you added: when they last did, where their addresses come from, and why "
        "petal does not dial them; and how many known nodes have each service. Changes take effect "
        "with the next sync.\n\n"
        "Examples:\n"
        "  petal peers --census\n"
        "  petal peers add 203.0.113.5\n"
        "  petal peers ban 198.51.100.7 --days 30");
    return without_secrets(std::move(entries));
}

}  // namespace petal::cli
