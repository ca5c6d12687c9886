#include "cli/sync/text/broadcast_text.h"

#include <algorithm>
#include <set>

#include "chain/enum_table.h"
#include "cli/options/advice.h"
#include "cli/sync/text/endpoint_text.h"
#include "cli/text/amount.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

using net::BroadcastOutcome;
using net::BroadcastPeer;
using net::BroadcastReport;
using net::RelayState;

constexpr double kVirtualBytesOfRate = 1'000;  // BIP133

std::size_t count_peers(const BroadcastReport& report, net::RelayStates states) {
    return static_cast<std::size_t>(std::ranges::count_if(
        report.peers, [states](const BroadcastPeer& peer) { return states.contains(peer.state); }));
}

double least_fee_rate_of(const BroadcastPeer& peer) {
    return static_cast<double>(peer.claims.least_fee_rate) / kVirtualBytesOfRate;
}

std::string fee_text(const BroadcastSummary& summary) {
    return fee_in_sat(*summary.fee) + ", " +
           format_fee_rate(fee_rate_of(*summary.fee, summary.virtual_size));
}

std::string announced_text(const BroadcastReport& report) {
    if (report.announced_to == 0) return "announced to no peer";
    const std::string asked = report.fetched_by == 0 ? "none" : format_count(report.fetched_by);
    return "announced to " + count_of(report.announced_to, "peer") + ", " + asked +
           " of which asked for it";
}

std::string refusals_text(const BroadcastReport& report) {
    std::set<std::string> reasons;
    for (const BroadcastPeer& peer : report.peers) {
        if (!peer.refusal) continue;
        reasons.insert(peer.refusal->empty() ? "without a reason" : "'" + *peer.refusal + "'");
    }
    std::string text;
    for (const std::string& reason : reasons) text += (text.empty() ? "" : "; ") + reason;
    return printable(text, 400);
}

/// The lowest feefilter among the peers with a feefilter above the transaction's fee rate.
std::string minimum_fee_text(const BroadcastReport& report) {
    std::optional<double> lowest;
    for (const BroadcastPeer& peer : report.peers) {
        if (peer.state != RelayState::fee_too_low) continue;
        lowest = std::min(lowest.value_or(least_fee_rate_of(peer)), least_fee_rate_of(peer));
    }
    return "at least " + format_fee_rate(lowest.value_or(0));
}

/// Why the transaction was not announced to some peers, to follow the results of the announcements.
std::string skipped_text(const BroadcastReport& report) {
    std::string text;
    const auto append = [&text](std::size_t peers, const std::string& what) {
        if (peers > 0) text += "; " + count_of(peers, "peer") + " " + what;
    };
    append(count_peers(report, {RelayState::fee_too_low}), "asked for " + minimum_fee_text(report));
    append(count_peers(report, {RelayState::no_relay}), "took no transactions at all");
    append(report.untold_filter_peers, "with the wallet's filter only watched");
    return text;
}

/// Why peers were useless. A peer that accepts no transactions is not at fault and is part of
/// skipped_text().
std::string failures_text(const BroadcastSummary& summary, const GlobalOptions& global) {
    std::set<std::string> greeted;
    auto failed = summary.result.endpoints;
    for (const BroadcastPeer& peer : summary.result.report.peers) {
        const std::string& address = peer.identity.address;
        if (peer.state != RelayState::connecting) greeted.insert(address);
        if (peer.state != RelayState::no_relay) continue;
        std::erase_if(failed, [&address](const net::EndpointReport& endpoint) {
            return to_string(endpoint.endpoint) == address;
        });
    }
    return describe(FailedEndpoints{failed, greeted, summary.result.search, global});
}

std::string advice(const BroadcastSummary& summary, const GlobalOptions& global) {
    const net::BroadcastResult& result = summary.result;
    return advice(FailedEndpoints{result.endpoints, {}, result.search, global});
}

/// The result and its reason, for unsuccessful outcomes.
std::string reason_text(const BroadcastSummary& summary, const GlobalOptions& global) {
    const BroadcastReport& report = summary.result.report;
    const std::string announced = "not seen anywhere: " + announced_text(report);
    switch (report.outcome) {
        case BroadcastOutcome::refused:
            return announced + ", and refused: " + refusals_text(report) + skipped_text(report);
        case BroadcastOutcome::dropped:
            return announced +
                   ", and none shows that it kept it; likely it is not valid, spends what is spent "
                   "or what they don't know, or pays too little" +
                   skipped_text(report);
        case BroadcastOutcome::ignored:
            return announced +
                   "; likely they have it in a block, have refused it before, or are still "
                   "syncing" +
                   skipped_text(report);
        case BroadcastOutcome::low_fee:
            return "announced to no peer: it pays " + fee_text(summary) +
                   ", and those that answered ask " + minimum_fee_text(report) +
                   (summary.is_own_payment ? "" : "; make another with a higher fee");
        case BroadcastOutcome::no_relay:
            return "announced to no peer: none of them takes transactions (they run with "
                   "blocksonly); --connect HOST:PORT names another node";
        default:
            return "no usable peer: " + failures_text(summary, global) +
                   skipped_text(report).append(advice(summary, global));
    }
}

ExitStatus status_of(BroadcastOutcome outcome) {
    const bool no_use =
        outcome == BroadcastOutcome::no_peer || outcome == BroadcastOutcome::no_relay;
    return no_use ? ExitStatus::no_peer : ExitStatus::failed;
}

/// Whether more time might have changed these outcomes.
bool may_be_unfinished(BroadcastOutcome outcome) {
    return outcome == BroadcastOutcome::no_peer || outcome == BroadcastOutcome::ignored ||
           outcome == BroadcastOutcome::dropped;
}

/// A note that the wallet keeps the transaction, if the outcome is unknown.
std::string kept_text(const BroadcastSummary& summary) {
    const bool is_news = summary.in_wallet && !summary.is_own_payment;
    return is_news ? "; it is in the wallet, as it may spread yet" : "";
}

CommandError interrupted_error(const BroadcastSummary& summary) {
    const BroadcastReport& report = summary.result.report;
    return {ExitStatus::interrupted, "interrupted",
            "interrupted; the transaction was " + announced_text(report) + ", and seen from " +
                count_of(report.seen_from, "network") + kept_text(summary)};
}

/// Possible explanations if no peer has announced the transaction.
std::string longer_text(const BroadcastReport& report) {
    if (report.fetched_by == 0) return "; they may have it already, or need longer to ask for it";
    return "; a node drops a transaction without a word if it is not valid, spends what is spent "
           "or what the node does not know, or pays too little; one that has kept it may need "
           "longer "
           "to show that";
}

CommandError timed_out_error(const BroadcastSummary& summary, const GlobalOptions& global) {
    const BroadcastReport& report = summary.result.report;
    const std::string what =
        report.announced_to > 0
            ? announced_text(report) + skipped_text(report) + longer_text(report)
            : failures_text(summary, global) + skipped_text(report);
    return {ExitStatus::no_peer, "timed-out",
            "not seen anywhere within --timeout: " + what + kept_text(summary)};
}

std::string headline(const BroadcastSummary& summary) {
    const BroadcastReport& report = summary.result.report;
    const std::string transaction = "Transaction " + summary.txid.to_hex();
    if (report.outcome == BroadcastOutcome::relayed) {
        return transaction + " is spreading: peers that did not get it from here announce it.";
    }
    const std::string peers = count_of(report.accepted_by, "peer");
    if (report.outcome == BroadcastOutcome::known)
        return transaction + " was known to " + peers + ".";
    return transaction + " was accepted by " + peers + ".";
}

std::string peer_text(const BroadcastPeer& peer) {
    using enum RelayState;
    static constexpr auto kTexts = chain::enum_table<RelayState, std::string_view>({
        {connecting, "has not answered yet"},
        {handshake_complete, "has not stated its minimum fee yet"},
        {no_relay, "takes no transactions"},
        {fee_too_low, "asks "},
        {observing, "was not sent the announcement"},
        {relayed, "announced it"},
        {announced, "got the announcement"},
        {ignored, "got the announcement"},
        {fetched, "got the announcement"},
        {silent, "got the announcement"},
        {accepted, "got the announcement, has it"},
        {rejected, "got the announcement, rejected it: "},
    });
    if (peer.state == connecting && peer.ended) return std::string(net::describe(*peer.ended));
    std::string text(kTexts[peer.state]);
    if (peer.state == fee_too_low) text += format_fee_rate(least_fee_rate_of(peer));
    if (peer.fetched) text.insert(kTexts[announced].size(), ", requested it");
    if (peer.state == rejected) text += printable(peer.refusal.value_or(""), 111);
    if (peer.was_announced_to() && peer.has_filter) text += "; has got the wallet's filter";
    return text;
}

std::string peers_text(const BroadcastReport& report) {
    std::string text;
    for (const BroadcastPeer& peer : report.peers) {
        const std::string agent =
            peer.claims.user_agent.empty() ? "" : " " + printable(peer.claims.user_agent, 60);
        text += field(text.empty() ? "peers" : "",
                      peer.identity.address + agent + ": " + peer_text(peer));
    }
    return text;
}

bool is_on_this_machine(const std::string& address) {
    return address.starts_with("127.") || address.starts_with("[::1]:");
}

/// Whether the transaction was announced only to nodes of this machine, which are the user's.
bool announced_to_loopback_only(const BroadcastReport& report) {
    return std::ranges::all_of(report.peers, [](const BroadcastPeer& peer) {
        return !peer.was_announced_to() || is_on_this_machine(peer.identity.address);
    });
}

/// A note on peers with the wallet's filter, and on a transaction that no peer has announced back.
std::string echo_text(const BroadcastReport& report) {
    if (announced_to_loopback_only(report)) return "";  // no other peer is expected
    std::string text;
    if (report.announced_to_filter_peers == report.announced_to && report.announced_to > 0) {
        text =
            "No peer without the wallet's filter took it; one with it can tell whose the "
            "transaction is.\n";
    } else if (report.announced_to_filter_peers > 0) {
        text =
            "A peer with the wallet's filter was told too, and can tell whose the transaction "
            "is.\n";
    }
    if (report.seen_from > 0) return text;
    return text + (count_peers(report, {RelayState::observing}) == 0
                       ? "No other peer was there to announce it back.\n"
                       : "The peers that were not told have not announced it yet.\n");
}

Json peer_json(const BroadcastPeer& peer) {
    return {{"address", peer.identity.address},
            {"user_agent", printable(peer.claims.user_agent)},
            {"services", peer.claims.services},
            {"takes_transactions", peer.claims.takes_transactions},
            {"least_fee_rate_sat_vb", least_fee_rate_of(peer)},
            {"has_filter", peer.has_filter},
            {"announced", peer.was_announced_to()},
            {"fetched", peer.fetched},
            {"has_it", peer.has_it()},
            {"announced_it_back", peer.state == RelayState::relayed},
            {"refusal", peer.refusal ? Json(printable(*peer.refusal)) : Json(nullptr)}};
}

}  // namespace

Json broadcast_json(const BroadcastSummary& summary) {
    const BroadcastReport& report = summary.result.report;
    Json peers = Json::array();
    for (const BroadcastPeer& peer : report.peers) peers.push_back(peer_json(peer));
    return {{"network", summary.network},
            {"txid", summary.txid.to_hex()},
            {"outcome", net::code_of(report.outcome)},
            {"vsize", summary.virtual_size},
            {"fee_sat", summary.fee},
            {"fee_rate_sat_vb",
             summary.fee ? Json(fee_rate_of(*summary.fee, summary.virtual_size)) : Json(nullptr)},
            {"announced_to", report.announced_to},
            {"announced_to_filter_peers", report.announced_to_filter_peers},
            {"untold_filter_peers", report.untold_filter_peers},
            {"fetched_by", report.fetched_by},
            {"accepted_by", report.accepted_by},
            {"seen_from", report.seen_from},
            {"in_wallet", summary.in_wallet},
            {"seconds", summary.seconds},
            {"peers", std::move(peers)}};
}

std::string broadcast_text(const BroadcastSummary& summary, const std::string& further,
                           Explanations& explanations, const GlobalOptions& global,
                           const Console& console) {
    const BroadcastReport& report = summary.result.report;
    std::string text = console.bold(headline(summary)) + "\n";
    if (explanations.shows_all()) {
        text += field("announced to", count_of(report.announced_to, "peer"));
        text += field("accepted by", count_of(report.accepted_by, "peer"));
        text += field("seen from", count_of(report.seen_from, "network"));
    }
    text += further;
    if (summary.fee) text += field("fee", fee_text(summary));
    if (explanations.shows_all()) text += peers_text(report);
    text += echo_text(report);
    if (summary.in_wallet && explanations.take(Explanation::announced_again)) {
        text += "It is in the wallet; " + advised("sync --follow", global) +
                " announces it again after each block until one confirms it.\n";
    }
    return text;
}

CommandError broadcast_error(const BroadcastSummary& summary, const GlobalOptions& global) {
    const BroadcastReport& report = summary.result.report;
    if (summary.result.interrupted) return interrupted_error(summary);
    const bool too_short = report.timed_out && summary.timeout.has_value();
    if (too_short && may_be_unfinished(report.outcome)) return timed_out_error(summary, global);
    const bool offline =
        report.outcome == BroadcastOutcome::no_peer && summary.result.search.offline;
    return {status_of(report.outcome), offline ? "offline" : net::code_of(report.outcome),
            reason_text(summary, global) + kept_text(summary)};
}

std::string broadcast_progress(const BroadcastReport& report) {
    const auto connected = std::ranges::count_if(report.peers, [](const BroadcastPeer& peer) {
        return peer.state != RelayState::connecting && !peer.ended;
    });
    if (report.announced_to == 0) {
        if (connected == 0) return "connecting";
        return "connected to " + count_of(static_cast<std::size_t>(connected), "peer");
    }
    const auto count = [](std::size_t peers) {
        return peers == 0 ? std::string("none") : format_count(peers);
    };
    const std::string text = "announced to " + count_of(report.announced_to, "peer") +
                             ", requested by " + count(report.fetched_by);
    if (report.seen_from > 0) return text + ", seen from " + count_of(report.seen_from, "network");
    if (report.accepted_by > 0) return text + ", accepted by " + count(report.accepted_by);
    return text + "; waiting";
}

}  // namespace petal::cli
