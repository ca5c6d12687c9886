#include "cli/sync/display/sync_log.h"

#include <cstdio>
#include <utility>

#include "cli/text/text.h"

namespace petal::cli {

void SyncLog::update(const net::SyncStatus& status) {
    if (console_.log_level() < LogLevel::info) return;
    log_peers(status);
    log_phase(status);
    log_filters(status);
}

void SyncLog::on_message(const std::string& peer, bool is_sent, std::string_view command,
                         std::size_t bytes) {
    before_line_();
    console_.debug(prefix_ + std::string(is_sent ? "sent " : "received ") + std::string(command) +
                   ", " + count_of(bytes, "byte") + (is_sent ? ", to " : ", from ") + peer);
}

void SyncLog::log(const std::string& line) {
    before_line_();
    console_.info(prefix_ + line);
}

void SyncLog::log_peers(const net::SyncStatus& status) {
    const auto& reports = status.peers;
    std::erase_if(peers_, [&](const auto& entry) {
        return entry.second.ended && (reports.empty() || entry.first < reports.front().id);
    });
    for (const net::PeerReport& peer : reports) {
        const auto [known, is_new] = peers_.try_emplace(peer.id);
        if (is_new) log("connected to " + peer.address);
        if (peer.claims.has_version && !std::exchange(known->second.greeted, true)) {
            const std::string& agent = peer.claims.user_agent;
            log(peer.address + " is " + (agent.empty() ? "there" : agent) +
                ", and claims to have block " + std::to_string(peer.claims.height));
        }
        if (peer.ended && !std::exchange(known->second.ended, true)) {
            log(peer.address + " " + std::string(net::describe(*peer.ended)));
        }
    }
}

void SyncLog::log_phase(const net::SyncStatus& status) {
    std::string phase(net::code_of(status.phase));
    if (status.stall_reason != net::StallReason::none) {
        phase += ", waiting for " + std::string(net::describe(status.stall_reason));
    }
    if (std::exchange(last_phase_, phase) == phase) return;
    log("phase " + phase + ": headers " + format_count(status.header_height) + " of " +
        format_count(status.target_height) +
        (status.target_height > status.header_height ? " claimed" : "") + ", synced to block " +
        format_count(status.synced_height));
}

void SyncLog::log_filters(const net::SyncStatus& status) {
    if (std::exchange(filter_loads_, status.counts.filter_loads) == status.counts.filter_loads)
        return;
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.2g", status.filter.false_positive_rate);
    log("filter loaded, " + count_of(status.counts.filter_loads, "time") + " in all: " +
        format_bytes(status.filter.bytes) + ", " + std::to_string(status.filter.hash_functions) +
        " hash functions, false positive rate " + rate);
}

}  // namespace petal::cli
