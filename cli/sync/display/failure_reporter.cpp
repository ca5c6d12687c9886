#include "cli/sync/display/failure_reporter.h"

#include <algorithm>
#include <set>
#include <utility>

#include "cli/sync/text/sync_report.h"

namespace petal::cli {
namespace {

// How long a search may take before a warning says why there is no peer.
constexpr std::chrono::seconds kSearchPatience{5};

/// The endpoint's latest connection. Null if there was no connection, or if the status has dropped
/// it.
const net::PeerReport* find_peer(const net::SyncStatus& status, const std::string& address) {
    const auto& peers = status.peers;
    const auto found = std::find_if(peers.rbegin(), peers.rend(), [&](const net::PeerReport& peer) {
        return peer.address == address;
    });
    return found == peers.rend() ? nullptr : &*found;
}

}  // namespace

FailureReporter::FailureReporter(Console& console, const GlobalOptions& global, Setting setting,
                                 std::function<void()> before_line, OnFailure on_failure,
                                 std::string prefix)
    : console_(console),
      global_(global),
      setting_(setting),
      before_line_(std::move(before_line)),
      on_failure_(std::move(on_failure)),
      prefix_(std::move(prefix)) {}

void FailureReporter::on_failure(const net::SpvResult& so_far, const net::SyncStatus& status) {
    so_far_ = &so_far;
    if (!setting_.searches) warn_of_named(so_far, status);
}

void FailureReporter::warn_of_named(const net::SpvResult& so_far, const net::SyncStatus& status) {
    const std::set<std::string> greeted =
        failures_of(so_far, status, setting_.has_auto_source, global_).greeted;
    for (const net::EndpointReport& endpoint : so_far.endpoints) {
        const std::string address = to_string(endpoint.endpoint);
        const net::PeerReport* const peer = find_peer(status, address);
        const auto& failure = endpoint.last_failure;
        const bool has_answered = peer != nullptr && peer->claims.has_version;
        if (has_answered && !peer->ended) {
            if (peer->answered) reported_.erase(address);
            continue;
        }
        if (!failure) continue;
        const std::vector<net::EndpointReport> alone{endpoint};
        const FailedEndpoints failed{
            alone, greeted, {}, global_, /*may_be_served=*/false, setting_.has_auto_source};
        const std::string help = remedy(failed);
        // FollowEvents reports the end of established connections, but no remedy.
        const bool has_stood = has_answered && failure->reason == *peer->ended;
        if (has_stood && help.empty()) {
            reported_.erase(address);
            continue;
        }
        const std::string text = describe(failed) + help;
        if (std::exchange(reported_[address], text) == text) continue;
        warn(text + "; petal goes on trying");
        if (!has_stood) on_failure_(endpoint.endpoint, *failure);
    }
}

void FailureReporter::update(const net::SyncStatus& status, Clock::time_point now) {
    if (!setting_.searches || so_far_ == nullptr) return;
    if (status.phase > net::SyncPhase::handshake) {
        had_peer_at_ = now;
        reported_search_.clear();
    }
    if (now < had_peer_at_ + kSearchPatience) return;
    const FailedEndpoints failed = failures_of(*so_far_, status, setting_.has_auto_source, global_);
    const bool any_tried = !failed.endpoints.empty();
    const std::string kind = failed.search.offline ? "offline" : any_tried ? "tried" : "unknown";
    if (std::exchange(reported_search_, kind) == kind) return;
    warn("no peer yet: " + describe(failed) + "; petal goes on trying");
}

void FailureReporter::warn(const std::string& text) {
    before_line_();
    console_.warn(prefix_ + text);
}

}  // namespace petal::cli
