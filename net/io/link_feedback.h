/// Reports to the search and the dialler how useful each connection of a sync is.
#pragma once

#include <algorithm>
#include <cstdint>
#include <utility>

#include "net/io/peer_link.h"
#include "net/io/search/peer_search.h"
#include "net/io/spv_dialler.h"
#include "net/sync/sync_engine.h"

namespace petal::net {

/// The greatest header height and the greatest synced height so far. After a reorganisation, peers
/// that bring the sync back to a former height have not advanced the sync.
class SyncMarks {
public:
    explicit SyncMarks(const SyncStatus& status)
        : header_height_(status.header_height), synced_height_(status.synced_height) {}

    std::uint32_t synced_height() const { return synced_height_; }

    /// Call this after each event of a peer. Returns whether the peer's headers made the best chain
    /// longer than ever before. Headers that another sync downloaded do not count.
    bool raise(const SyncStatus& status) {
        const bool any_new =
            std::exchange(headers_, status.counts.headers) != status.counts.headers;
        const bool raised_headers = any_new && status.header_height > header_height_;
        header_height_ = std::max(header_height_, status.header_height);
        synced_height_ = std::max(synced_height_, status.synced_height);
        return raised_headers;
    }

private:
    std::uint32_t header_height_;
    std::uint32_t synced_height_;
    std::uint64_t headers_ = 0;  // SyncStatus::counts.headers at the last call
};

/// Reports to the search and the dialler, for each connection, whether the node answers, whether it
/// advanced the sync, and why the connection ended.
class LinkFeedback {
public:
    /// The arguments must outlive the feedback.
    LinkFeedback(const SyncEngine& engine, PeerSearch& search, SpvDialler& dialler)
        : engine_(engine), search_(search), dialler_(dialler), marks_(engine.status()) {}

    void on_joined(PeerLink& link, Now now);
    /// Messages were received. Returns whether they gossiped new nodes.
    bool on_heard(PeerLink& link, Now now);
    /// The messages were passed to the engine.
    void on_handed_over(PeerLink& link, Now now);
    /// The connection ended during the run.
    void on_left(PeerLink& link, Now now);
    /// The connection was open when the run ended.
    void on_run_over(PeerLink& link, Now now);

private:
    const Endpoint& endpoint_of(const PeerLink& link) const {
        return dialler_.endpoint_at(link.endpoint());
    }

    const SyncEngine& engine_;
    PeerSearch& search_;
    SpvDialler& dialler_;
    SyncMarks marks_;
};

}  // namespace petal::net
