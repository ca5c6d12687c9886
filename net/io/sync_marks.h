/// How far a sync has ever come, by which it is judged what a connection has added.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "net/sync/sync_status.h"

namespace petal::net {

/// The highest header and the highest synced block so far: after a reorganisation, peers that bring
/// the sync back to where it was have not brought it forward.
class SyncMarks {
public:
    explicit SyncMarks(const SyncStatus& status)
        : header_height_(status.header_height), synced_height_(status.synced_height) {}

    std::uint32_t synced_height() const { return synced_height_; }

    /// To be called after each event of a peer. Returns whether the peer's headers have made the
    /// best chain longer than it ever was; headers that another sync has downloaded do not count.
    bool raise(const SyncStatus& status) {
        const bool any_new = std::exchange(headers_, status.headers) != status.headers;
        const bool raised_headers = any_new && status.header_height > header_height_;
        header_height_ = std::max(header_height_, status.header_height);
        synced_height_ = std::max(synced_height_, status.synced_height);
        return raised_headers;
    }

private:
    std::uint32_t header_height_;
    std::uint32_t synced_height_;
    std::uint64_t headers_ = 0;  // SyncStatus::headers at the last call
};

}  // namespace petal::net
