#include "cli/sync/text/broadcast_text.h"

#include <algorithm>
#include <set>

#include "cli/options/advice.h"
#include "cli/sync/text/endpoint_text.h"
#include "cli/text/amount.h"
#include "cli/text/text.h"
#include "cli/wallet/wallet_text.h"

namespace petal::cli {
namespace {

using net::BroadcastOutcome;
using net::BroadcastPeer;
using net::BroadcastReport;

constexpr double kVirtualBytesOfRate = 1'000;  // BIP133

std::size_t count_peers(const BroadcastReport& report, bool (*counts)(const BroadcastPeer&)) {
    return static_cast<std::size_t>(
        std::count_if(report.peers.begin(), report.peers.end(), counts));
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

/// The lowest fee rate asked by a peer that refuses the fee as too low.
std::string dear_text(const BroadcastReport& report) {
    double least = 0;
    for (const BroadcastPeer& peer : report.peers) {
        if (!peer.refuses_fee) continue;
        least = least == 0 ? least_fee_rate_of(peer) : std::min(least, least_fee_rate_of(peer));
    }
    return "at least " + format_fee_rate(least);
}

/// Why it was not announced to some peers; follows the results of the announcements.
std::string skipped_text(const BroadcastReport& report) {
    std::string text;
    const auto dear = count_peers(report, [](const auto& peer) { return peer.refuses_fee; });
    const auto deaf =
        count_peers(report, [](const auto& peer) { return !peer.claims.takes_transactions; });
    if (dear > 0) text += "; " + count_of(dear, "peer") + " asked for " + dear_text(report);
    if (deaf > 0) text += "; " + count_of(deaf, "peer") + " took no transactions at all";
    if (report.untold_filter_peers > 0) {
        text += "; " + count_of(report.untold_filter_peers, "peer") +
                " with the wallet's filter only watched";
    }
    return text;
}

/// Why the other peers were useless.
std::string failures_text(const BroadcastSummary& summary, const GlobalOptions& global) {
    const BroadcastReport& report = summary.result.report;
    std::set<std::string> greeted;
    std::set<std::string> deaf;  // not at fault; see skipped_text()
    for (const BroadcastPeer& peer : report.peers) {
        if (peer.greeted) greeted.insert(peer.identity.address);
        if (peer.greeted && !peer.claims.takes_transactions) deaf.insert(peer.identity.address);
    }
    auto failed = summary.result.endpoints;
    std::erase_if(failed, [&deaf](const net::EndpointReport& endpoint) {
        return deaf.contains(to_string(endpoint.endpoint));
    });
    return describe(FailedEndpoints{failed, greeted, summary.result.search, global});
}

std::string advice(const BroadcastSummary& summary, const GlobalOptions& global) {
    const net::BroadcastResult& result = summary.result;
    return advice(FailedEndpoints{result.endpoints, {}, result.search, global});
}

/// The result and its reason, for unsuccessful outcomes.
std::string reason_text(const BroadcastSummary& summary, const GlobalOptions& global) {
    const BroadcastReport& report = summary.result.report;
    switch (report.outcome) {
        case BroadcastOutcome::refused:
            return "not seen anywhere: " + announced_text(report) +
                   ", and refused: " + refusals_text(report) + skipped_text(report);
        case BroadcastOutcome::dropped:
            return "not seen anywhere: " + announced_text(report) +
                   ", and none shows that it kept it; likely it is not valid, spends what is spent "
                   "or what they don't know, or pays too little" +
                   skipped_text(report);
        case BroadcastOutcome::ignored:
            return "not seen anywhere: " + announced_text(report) +
                   "; likely they have it in a block, have refused it before, or are still "
                   "syncing" +
                   skipped_text(report);
        case BroadcastOutcome::low_fee:
            return "announced to no peer: it pays " + fee_text(summary) +
                   ", and those that answered ask " + dear_text(report) +
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

/// A note on the spent coins if it is not known whether the transaction spreads.
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

/// Possible explanations if no peer has shown that it has the transaction.
std::string longer_text(const BroadcastReport& report) {
    if (report.fetched_by == 0) return "; they may have it already, or need longer to ask for it";
    return "; a node drops a transaction without a word if it is not valid, spends what is spent "
           "or "
           "what the node does not know, or pays too little; one that has kept it may need longer "
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
    if (peer.saw_it) return "announced it";
    if (peer.announced) {
        std::string text = peer.fetched ? "was told, asked for it" : "was told";
        if (peer.has_it) text += ", has it";
        if (peer.refusal) text += ", refuses it: " + printable(*peer.refusal, 111);
        if (peer.has_filter) text += "; has got the wallet's filter";
        return text;
    }
    if (peer.refuses_fee) return "asks " + format_fee_rate(least_fee_rate_of(peer));
    if (!peer.claims.takes_transactions) return "takes no transactions";
    if (peer.greeted) return "was not told";
    return peer.ended ? std::string(net::describe(*peer.ended)) : "has not answered yet";
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

/// Whether only nodes of this machine were told: these are the user's.
bool announced_to_loopback_only(const BroadcastReport& report) {
    return std::ranges::all_of(report.peers, [](const BroadcastPeer& peer) {
        return !peer.announced || is_on_this_machine(peer.identity.address);
    });
}

/// A note on peers that know the wallet, and on a transaction that no peer has announced back.
std::string echo_text(const BroadcastReport& report) {
    std::string text;
    if (report.announced_to_filter_peers > 0 && !announced_to_loopback_only(report)) {
        const auto others = count_peers(
            report, [](const auto& peer) { return peer.announced && !peer.has_filter; });
        text = others == 0 ? "No peer without the wallet's filter took it; one with it can tell "
                             "whose the transaction is.\n"
                           : "A peer with the wallet's filter was told too, and can tell whose the "
                             "transaction is.\n";
    }
    if (report.seen_from > 0) return text;
    if (announced_to_loopback_only(report)) return text;  // others are not expected
    if (count_peers(report, [](const auto& peer) { return peer.is_observer(); }) == 0) {
        return text + "No other peer was there to announce it back.\n";
    }
    return text + "The peers that were not told have not announced it yet.\n";
}

Json peer_json(const BroadcastPeer& peer) {
    return {{"address", peer.identity.address},
            {"user_agent", printable(peer.claims.user_agent)},
            {"services", peer.claims.services},
            {"takes_transactions", peer.claims.takes_transactions},
            {"least_fee_rate_sat_vb", least_fee_rate_of(peer)},
            {"has_filter", peer.has_filter},
            {"announced", peer.announced},
            {"fetched", peer.fetched},
            {"has_it", peer.has_it},
            {"announced_it_back", peer.saw_it},
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
    const auto connected =
        count_peers(report, [](const BroadcastPeer& peer) { return peer.greeted && !peer.ended; });
    if (report.announced_to == 0) {
        return connected == 0 ? "connecting" : "connected to " + count_of(connected, "peer");
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
