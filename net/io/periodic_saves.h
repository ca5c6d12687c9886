/// Files that a sync writes now and then, beside the watcher's.
#pragma once

#include <chrono>
#include <cstdint>

#include "net/io/spv_client.h"

namespace petal::net {

/// Writes headers and the address manager to disk now and then.
class PeriodicSaves {
public:
    using Milliseconds = std::chrono::milliseconds;

    static constexpr Milliseconds kFlushInterval{2'000};
    /// Bounds the memory: headers that are not written, or were read for blocks, are in memory.
    static constexpr std::uint64_t kArrivalsPerFlush = 4'096;

    /// `options` must outlive the saves.
    PeriodicSaves(const SpvOptions& options, Milliseconds now)
        : options_(options), flushed_at_(now), saved_peers_at_(now) {}

    void flush_headers_if_due(const SyncStatus& status, Milliseconds now) {
        if (!options_.saves.flush_headers) return;
        const auto arrivals =
            status.counts.headers + status.counts.filtered_blocks + status.counts.full_blocks;
        const auto since = arrivals - flushed_arrivals_;
        if (since == 0 || (now < flushed_at_ + kFlushInterval && since < kArrivalsPerFlush)) return;
        options_.saves.flush_headers();
        flushed_arrivals_ = arrivals;
        flushed_at_ = now;
    }
    void save_peers_if_due(Milliseconds now) {
        if (!options_.saves.save_peers || now < saved_peers_at_ + options_.saves.save_peers_every)
            return;
        save_peers();
        saved_peers_at_ = now;
    }
    void save_all() {
        if (options_.saves.flush_headers) options_.saves.flush_headers();
        save_peers();
    }

private:
    void save_peers() {
        if (options_.search) options_.search->draw_anchors();
        if (options_.saves.save_peers) options_.saves.save_peers();
    }

    const SpvOptions& options_;
    Milliseconds flushed_at_;
    std::uint64_t flushed_arrivals_ = 0;
    Milliseconds saved_peers_at_;
};

}  // namespace petal::net
