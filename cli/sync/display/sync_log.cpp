#include "cli/sync/display/sync_log.h"

#include <cstdio>
#include <utility>

#include "cli/text/text.h"

namespace petal::cli {

void SyncLog::update(const net::SyncStatus& status) {
    if (console_.log_level() < LogLevel::info) return;
    tell_of_peers(status);
    tell_of_phase(status);
    tell_of_filters(status);
}

void SyncLog::on_message(const std::string& peer, bool is_sent, std::string_view command,
                         std::size_t bytes) {
    before_line_();
    console_.debug(prefix_ + std::string(is_sent ? "sent " : "received ") + std::string(command) +
                   ", " + count_of(bytes, "byte") + (is_sent ? ", to " : ", from ") + peer);
}

void SyncLog::tell(const std::string& line) {
    before_line_();
    console_.info(prefix_ + line);
}

void SyncLog::tell_of_peers(const net::SyncStatus& status) {
    const auto& reports = status.peers;
    std::erase_if(peers_, [&](const auto& entry) {
        return entry.second.ended && (reports.empty() || entry.first < reports.front().id);
    });
    for (const net::PeerReport& peer : reports) {
        const auto [told, is_new] = peers_.try_emplace(peer.id);
        if (is_new) tell("connected to " + peer.address);
        if (peer.claims.has_version && !std::exchange(told->second.greeted, true)) {
            const std::string& agent = peer.claims.user_agent;
            tell(peer.address + " is " + (agent.empty() ? "there" : agent) +
                 ", and claims to have block " + std::to_string(peer.claims.height));
        }
        if (peer.ended && !std::exchange(told->second.ended, true)) {
            tell(peer.address + " " + std::string(net::describe(*peer.ended)));
        }
    }
}

void SyncLog::tell_of_phase(const net::SyncStatus& status) {
    std::string phase(net::code_of(status.phase));
    if (status.stall_reason != net::StallReason::none) {
        phase += ", waiting for " + std::string(net::describe(status.stall_reason));
    }
    if (std::exchange(told_phase_, phase) == phase) return;
    tell("phase " + phase + ": headers " + format_count(status.header_height) + " of " +
         format_count(status.target_height) +
         (status.target_height > status.header_height ? " claimed" : "") + ", synced to block " +
         format_count(status.synced_height));
}

void SyncLog::tell_of_filters(const net::SyncStatus& status) {
    if (std::exchange(filter_loads_, status.counts.filter_loads) == status.counts.filter_loads)
        return;
    char rate[32];
    std::snprintf(rate, sizeof rate, "%.2g", status.filter.false_positive_rate);
    tell("filter loaded, " + count_of(status.counts.filter_loads, "time") + " in all: " +
         format_bytes(status.filter.bytes) + ", " + std::to_string(status.filter.hash_functions) +
         " hash functions, false positive rate " + rate);
}

}  // namespace petal::cli
