#include "cli/sync/text/sync_report.h"

#include <algorithm>

#include "chain/headers/header_rules.h"
#include "cli/options/advice.h"
#include "cli/sync/text/source_text.h"
#include "cli/text/text.h"
#include "cli/wallet/sync_status_text.h"
#include "cli/wallet/wallet_text.h"

namespace petal::cli {
namespace {

net::Traffic traffic_of(const net::SpvResult& result, net::PeerId peer) {
    const auto found = std::find_if(result.peers.begin(), result.peers.end(),
                                    [peer](const net::PeerTraffic& of) { return of.peer == peer; });
    return found == result.peers.end() ? net::Traffic{} : found->traffic;
}

Json stats_json(const client::SyncReport& report) {
    const net::SyncStatus& status = report.status;
    return {{"seconds", report.seconds},
            {"headers", status.counts.headers},
            {"filtered_blocks", status.counts.filtered_blocks},
            {"full_blocks", status.counts.full_blocks},
            {"compact_filters", status.counts.compact_filters},
            {"transactions", status.counts.transactions},
            {"false_positives", status.counts.false_positives},
            {"bytes_received", report.result.traffic.bytes_received},
            {"bytes_sent", report.result.traffic.bytes_sent},
            {"peers", status.peers.size()},
            {"filter_loads", status.counts.filter_loads},
            {"reorgs", status.counts.reorgs},
            {"deepest_reorg", status.counts.deepest_reorg},
            {"refetched_blocks", status.counts.refetched_blocks},
            {"cross_checked_blocks", status.counts.cross_checked_blocks},
            {"uncompared_filters", status.counts.uncompared_filters}};
}

Json peers_json(const net::SpvResult& result, const net::SyncStatus& status) {
    Json peers = Json::array();
    for (const net::PeerReport& peer : status.peers) {
        const net::Traffic traffic = traffic_of(result, peer.id);
        peers.push_back({{"address", peer.address},
                         {"user_agent", printable(peer.claims.user_agent)},
                         {"services", peer.claims.services},
                         {"height", peer.claims.height},
                         {"on_stored_chain", peer.on_best_chain},
                         {"outcome", peer.ended ? Json(net::code_of(*peer.ended)) : Json(nullptr)},
                         {"blocks", peer.blocks},
                         {"bytes_received", traffic.bytes_received},
                         {"misbehaviour", peer.misbehaviour}});
    }
    return peers;
}

/// Why the endpoints failed, also endpoints that were never connected.
Json failures_json(const net::SpvResult& result) {
    Json failures = Json::array();
    for (const net::EndpointReport& endpoint : result.endpoints) {
        if (!endpoint.last_failure) continue;
        failures.push_back({{"address", to_string(endpoint.endpoint)},
                            {"reason", code_of(endpoint.last_failure->reason)},
                            {"detail", printable(endpoint.last_failure->detail, kMaxShown)}});
    }
    return failures;
}

std::string blocks_text(const client::SyncReport& report) {
    const net::SyncStatus& status = report.status;
    const std::uint64_t blocks = status.counts.answers();
    if (blocks == 0) return "none that were new";
    std::string text = status.counts.filtered_blocks > 0
                           ? format_count(status.counts.filtered_blocks) + " filtered"
                           : "";
    if (status.counts.compact_filters > 0) {
        text += (text.empty() ? "" : ", ") + format_count(status.counts.compact_filters) +
                " by their compact filters";
    }
    if (status.counts.full_blocks > 0) {
        text += (text.empty() ? "" : ", ") + format_count(status.counts.full_blocks) + " in full";
    }
    const double rate = static_cast<double>(blocks) / std::max(report.blocks_seconds, 1e-3);
    if (blocks >= 100) {
        text += ", " + format_count(static_cast<std::uint64_t>(rate)) + " a second";
    }
    if (status.counts.refetched_blocks > 0) {
        text += ", " + format_count(status.counts.refetched_blocks) + " of them requested again";
    }
    if (status.counts.cross_checked_blocks > 0) {
        text +=
            ", " + format_count(status.counts.cross_checked_blocks) + " compared between two peers";
    }
    return text;
}

std::string transactions_text(const net::SyncStatus& status) {
    std::string text = format_count(status.counts.transactions) + " received";
    if (status.counts.false_positives > 0) {
        text += ", " + count_of(status.counts.false_positives, "false positive") + " of the filter";
    }
    return text;
}

bool has_served(const net::PeerReport& peer) {
    const bool is_left_out = peer.ended && *peer.ended != net::DisconnectReason::finished;
    return peer.blocks > 0 || (peer.answered && !is_left_out);
}

std::string peers_text(const client::SyncReport& report) {
    std::string text;
    for (const net::PeerReport& peer : report.status.peers) {
        if (!has_served(peer)) continue;
        const std::string agent =
            peer.claims.user_agent.empty() ? "" : " " + printable(peer.claims.user_agent, 60);
        text += field(text.empty() ? "from" : "", peer.address + agent);
    }
    return text;
}

/// The progress relative to the height of the chain, or to the highest claim of a peer.
std::string progress_text(const net::SyncStatus& status) {
    std::uint32_t target = status.header_height;
    for (const net::PeerReport& peer : status.peers) {
        target = std::max(target, static_cast<std::uint32_t>(std::max(peer.claims.height, 0)));
    }
    target = std::max(target, status.target_height);
    return "at block " + format_count(status.synced_height) + " of " + format_count(target) +
           (target > status.header_height ? " that a peer claims to have" : "");
}

std::string last_stall_text(const net::SyncStatus& status) {
    if (status.stall_reason == net::StallReason::none) return "";
    return ", waiting for " + std::string(describe(status.stall_reason));
}

/// What to do about blocks of which only the headers are known. Empty if a peer may have the
/// blocks.
std::string remedy_without_blocks(const net::SyncStatus& status, const GlobalOptions& global) {
    if (status.stall_reason != net::StallReason::peers_behind) return "";
    return "; if no fully synced node has these blocks (--connect HOST tries another), " +
           advised("headers reset", global) + " forgets their headers";
}

/// Which peer has relayed unconfirmed transactions, if it was only one.
std::string relay_text(const net::SyncStatus& status) {
    const auto* const peer =
        status.relay_peer ? net::find_report(status.peers, *status.relay_peer) : nullptr;
    if (peer == nullptr) return "";
    return status.relay_mode == net::UnconfirmedMode::bloom
               ? "; " + peer->address + " got a Bloom filter of the addresses that await payments"
               : "; " + peer->address + " relayed all transactions";
}

Json relay_json(const net::SyncStatus& status) {
    if (!status.relay_mode) return nullptr;
    const auto* const peer =
        status.relay_peer ? net::find_report(status.peers, *status.relay_peer) : nullptr;
    return {{"mode", code_of(*status.relay_mode)},
            {"peer", peer == nullptr ? Json(nullptr) : Json(peer->address)}};
}

bool is_connected(const net::PeerReport& peer) {
    return peer.claims.has_version && !peer.ended;
}

}  // namespace

void warn_of_old_tip(const client::ChainReport& chain, const GlobalOptions& global,
                     Console& console) {
    warn_of_old_tip(chain.tip.height, chain.tip_age, /*was_asked=*/true, global, console);
}

std::vector<std::string> useless_node_texts(const net::SpvResult& result,
                                            const net::SyncStatus& status, bool has_auto_source,
                                            const GlobalOptions& global) {
    FailedEndpoints failed = failures_of(result, status, has_auto_source, global);
    std::vector<std::string> texts;
    for (const net::EndpointReport& endpoint : result.endpoints) {
        const std::string address = to_string(endpoint.endpoint);
        const bool is_useful = std::ranges::any_of(status.peers, [&](const net::PeerReport& peer) {
            return peer.address == address && has_served(peer);
        });
        if (!endpoint.last_failure || is_useful) continue;
        const std::vector<net::EndpointReport> alone{endpoint};
        const FailedEndpoints one{alone,  failed.greeted,          {},
                                  global, /*may_be_served=*/false, has_auto_source};
        texts.push_back(describe(one) + remedy(one));
    }
    return texts;
}

FailedEndpoints failures_of(const net::SpvResult& result, const net::SyncStatus& status,
                            bool has_auto_source, const GlobalOptions& global) {
    FailedEndpoints failed{result.endpoints, {}, result.search, global};
    failed.has_auto_source = has_auto_source;
    for (const net::PeerReport& peer : status.peers) {
        if (peer.claims.has_version) failed.greeted.insert(peer.address);
        if (is_connected(peer) && peer.on_best_chain != false) failed.may_be_served = true;
    }
    return failed;
}

std::string no_relay_text(net::UnconfirmedMode mode) {
    return mode == net::UnconfirmedMode::bloom
               ? "no connected node serves Bloom filters, so payments are shown once they are "
                 "confirmed; --unconfirmed all asks one node for all transactions"
               : "no connected node relays transactions, so payments are shown once they are "
                 "confirmed; --connect HOST tries another node";
}

std::string unconfirmed_text(const client::SyncReport& report) {
    if (!report.listened) {
        constexpr double kNoticed = 0.5;
        const std::string time = format_duration(report.last_seconds);
        if (report.awaited_undone) {
            return "Peers were asked for transactions of replaced blocks for " + time + ".\n";
        }
        const bool waited_for_peers = report.last_seconds >= kNoticed && !report.status.early_until;
        const std::string all = format_duration(report.blocks_seconds + report.last_seconds);
        return (waited_for_peers ? "After that, the sync waited " + time +
                                       " for more peers: " + all + " in all.\n"
                                 : "") +
               std::string(
                   "No unconfirmed payments were awaited (--wait-unconfirmed SECONDS "
                   "does).\n");
    }
    const net::SyncStatus& status = report.status;
    if (status.relay_mode && !status.relay_peer) {
        return "Unconfirmed payments were not seen: " + no_relay_text(*status.relay_mode) + ".\n";
    }
    const double seconds = std::chrono::duration<double>(*report.listened).count();
    // Bitcoin Core: INBOUND_INVENTORY_BROADCAST_INTERVAL, a mean of 5 s. One in 400 takes longer.
    constexpr std::chrono::seconds kLongEnough{30};
    return "Unconfirmed transactions were listened for, " + format_duration(seconds) + " at most" +
           relay_text(status) +
           (*report.listened < kLongEnough
                ? "; a node may answer later than that (--wait-unconfirmed 30 is enough).\n"
                : ".\n");
}

Json sync_json(const client::SyncReport& report) {
    Json json{{"network", report.network},
              {"tip",
               {{"height", report.chain.tip.height},
                {"hash", report.chain.tip.hash.to_hex()},
                {"time", report.chain.tip_time}}},
              {"tip_age_s", report.chain.tip_age},
              {"wallet",
               {{"name", report.wallet},
                {"synced_height", report.synced_height},
                {"birthday_height", report.birthday_height}}},
              {"balance", balance_json(report.balance)},
              {"stats", stats_json(report)},
              {"peers", peers_json(report.result, report.status)},
              {"ahead_of_clock_until_time", report.status.early_until},
              {"minimum_work", report.chain.has_minimum_work},
              {"listened_for_unconfirmed", report.listened.has_value()},
              {"relay", relay_json(report.status)},
              {"by_other_process", report.by_other}};
    json.update(source_json(report.source));
    return json;
}

Json wallet_part_json(const client::SyncReport& report) {
    const Json whole = sync_json(report);
    Json part = whole["wallet"];
    for (const char* key : {"balance", "stats", "peers", "source", "source_reason", "relay",
                            "ahead_of_clock_until_time", "minimum_work"}) {
        part[key] = whole[key];
    }
    return part;
}

Json sum_json(const std::vector<const client::SyncReport*>& reports) {
    Json sum = stats_json(*reports.front());
    for (auto report = reports.begin() + 1; report != reports.end(); ++report) {
        const Json stats = stats_json(**report);
        for (auto& [key, value] : sum.items()) {
            const bool is_of_all = key == "seconds" || key == "reorgs" || key == "deepest_reorg";
            if (is_of_all) {
                value = std::max(value, stats[key]);
            } else {
                value = value.get<std::uint64_t>() + stats[key].get<std::uint64_t>();
            }
        }
    }
    return sum;
}

std::string sync_text(const client::SyncReport& report, Explanations& explanations,
                      const GlobalOptions& global, const Console& console) {
    return wallet_part_text(report, explanations, global, console) +
           (report.by_other ? "" : "\n" + unconfirmed_text(report));
}

std::string wallet_part_text(const client::SyncReport& report, Explanations& explanations,
                             const GlobalOptions& global, const Console& console) {
    const net::SyncStatus& status = report.status;
    const net::Traffic& traffic = report.result.traffic;
    std::string text =
        console.bold("Wallet '" + report.wallet + "' is synced to block " +
                     format_count(report.chain.tip.height) + " of " + report.network) +
        " (" + format_time(report.chain.tip_time) + ")";
    if (report.by_other) {
        return text + " by another petal, which is running.\n\n" +
               balance_text(report.balance, console) +
               minimum_work_line(report.chain.has_minimum_work, report.chain.tip, report.network) +
               balance_notes(report.balance, explanations, global);
    }
    text += " in " + format_duration(report.blocks_seconds) + ".\n\n";
    text += field("headers", format_count(status.counts.headers) + " new");
    text += field("blocks", blocks_text(report));
    if (report.source && status.counts.answers() > 0) {
        text += field("found by", source_text(*report.source));
    }
    if (status.counts.uncompared_filters > 0) {
        text += field("uncompared", count_of(status.counts.uncompared_filters, "block") +
                                        ", searched by the compact filters of one node alone "
                                        "(another --connect HOST compares them)");
    }
    text += field("transactions", transactions_text(status));
    // With several filters, only the size of the last filter is known.
    const std::string of_filter =
        status.counts.filter_loads == 1
            ? ", " + format_bytes(status.filter.bytes) + " of it the filter"
            : "";
    text += field("traffic", format_bytes(traffic.bytes_received) + " received, " +
                                 format_bytes(traffic.bytes_sent) + " sent" + of_filter);
    text += peers_text(report);
    if (status.counts.reorgs > 0) {
        text += field("reorganised", count_of(status.counts.reorgs, "time") + ", " +
                                         count_of(status.counts.deepest_reorg, "block") + " deep" +
                                         (status.counts.reorgs > 1 ? " at most" : ""));
    }
    return text + "\n" + balance_text(report.balance, console) +
           minimum_work_line(report.chain.has_minimum_work, report.chain.tip, report.network) +
           balance_notes(report.balance, explanations, global);
}

CommandError sync_error(const net::SpvResult& result, const net::SyncStatus& status,
                        bool has_auto_source, const GlobalOptions& global) {
    const std::string others = client::has_only_other_chains(status)
                                   ? "wallet '" + global.wallet + "' stays at block " +
                                         format_count(status.synced_height) +
                                         ", as no peer has the stored chain: "
                                   : "";
    switch (result.outcome) {
        case net::SyncOutcome::synced:
            break;
        case net::SyncOutcome::interrupted:
            return {ExitStatus::interrupted, "interrupted",
                    "interrupted " + progress_text(status) +
                        "; what was verified is saved, and the next sync goes on from there" +
                        remedy_without_blocks(status, global)};
        case net::SyncOutcome::timed_out: {
            const bool has_peer = std::ranges::any_of(status.peers, is_connected);
            const FailedEndpoints failed = failures_of(result, status, has_auto_source, global);
            const std::string made_anew = "not synced within --timeout; " + if_made_anew(global);
            const bool is_other = has_peer && !others.empty();
            CommandError error(
                ExitStatus::no_peer, is_on_other_chain(failed) ? "other-chain" : "timed-out",
                others + (is_other
                              ? made_anew
                              : "not synced within --timeout, " +
                                    (has_peer ? progress_text(status) + last_stall_text(status) +
                                                    "; the next sync goes on from there" +
                                                    remedy_without_blocks(status, global)
                                              : describe(failed).append(advice(failed)))));
            error.set_details(
                {{"peers", peers_json(result, status)}, {"failures", failures_json(result)}});
            return error;
        }
        case net::SyncOutcome::no_usable_peer: {
            const FailedEndpoints failed = failures_of(result, status, has_auto_source, global);
            CommandError error(ExitStatus::no_peer,
                               result.search.offline       ? "offline"
                               : is_on_other_chain(failed) ? "other-chain"
                                                           : "no-usable-peer",
                               (others.empty() ? "no usable peer: " : others) +
                                   describe(failed).append(advice(failed)));
            error.set_details(
                {{"peers", peers_json(result, status)}, {"failures", failures_json(result)}});
            return error;
        }
    }
    return {ExitStatus::failed, "internal", "the sync ended for no reason"};
}

}  // namespace petal::cli
