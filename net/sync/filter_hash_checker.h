/// Compares the compact filters that a sync has searched with the filters of the other peers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "net/peer/timers.h"
#include "net/sync/filter_disputes.h"
#include "net/sync/filters/height_ranges.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

/// A peer can send a false filter, which lacks a script of its block. Each connected peer is
/// therefore asked for the hashes of its filters (`getcfheaders`, BIP157). If a hash differs, the
/// block is disputed, and does not count as covered. FilterDisputes finds the liar, or has the
/// block searched in full. The sync does not end before the hashes of all peers that are still
/// connected are compared.
///
/// A block stays in SyncCheckpoint::uncompared until all connected peers and at least one node
/// besides the filter's server have stated the same hash. A run that is stopped, or that has a
/// single node, leaves uncompared blocks to a later run. Once two nodes state hashes in that run,
/// the filters of the blocks are downloaded again, 2,000 blocks at a time, and compared. A source
/// without compact filters searches the blocks again in its own way.
///
/// A peer's statements end with its connection:
/// - Disputed blocks that were searched by its filter are searched again, by another peer's filter.
///   A payment is missed only if both filters are false.
/// - The other blocks that only this peer disputes are disputed no more. Unless the peer was
///   convicted, they stay uncompared.
/// - After a conviction, all blocks that were searched by its filter are searched again, and the
///   uncompared blocks of earlier runs. Its agreement does not count.
///
/// Memory: 36 bytes for each block from the run's lowest on.
class FilterHashChecker final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// Both must outlive the checker.
    FilterHashChecker(SyncContext& sync, MatchSource& source)
        : sync_(sync), source_(source), disputes_(sync, source, [this](std::uint32_t height) {
              const Searched& searched = filters_[height - base_];
              return FilterDisputes::Searched{searched.hash, servers_[searched.server].peer};
          }) {}

    /// Called when the checkpoint is to be stored at once: blocks are to be searched again or, with
    /// all blocks in, were compared.
    std::function<void()> on_news;
    /// A block is settled by this answer.
    void on_searched(SyncPeer& peer, const Delivery& delivery);
    /// Requests hashes from each peer that has not stated them all. Call this once the scan is
    /// aligned.
    void ask(Now now);
    /// The answer to a request. Fails if a hash is not that of the filter that the peer has sent.
    Outcome on_hashes(SyncPeer& peer, const CFHeaders& message, Now now);
    /// See FilterDisputes.
    Outcome on_testimony(const SyncPeer& peer, Delivery delivery) {
        return disputes_.on_testimony(peer, std::move(delivery));
    }
    void on_full_block(const chain::BlockView& block) { disputes_.on_full_block(block); }
    /// A peer's connection ends. Its report has the reason.
    void on_lost(const SyncPeer& peer);
    /// The blocks above this height are searched again.
    void drop_above(std::uint32_t height);
    /// Another source is used from now on. Compares the uncompared blocks of this run, too, as
    /// blocks of an earlier run.
    void restart();

    /// The run ends, possibly as the last peer that was to state hashes has left. Returns whether
    /// blocks were compared only by that.
    bool finish();

    /// Whether a connected peer has hashes that are to be compared.
    bool is_pending() const;
    /// The number of filters that were compared with those of another node.
    std::uint64_t compared_blocks() const { return compared_; }

    std::optional<Milliseconds> wakes_at() const override;
    /// Disconnects peers that do not answer.
    void on_wake(Now now) override;

private:
    enum class Due : std::uint8_t { overdue };
    struct Range {
        std::uint32_t first = 0;
        std::uint32_t last = 0;
    };
    /// A filter that was searched.
    struct Searched {
        chain::FilterHash hash;
        std::uint32_t server = 0;  // its index in servers_
    };
    struct Server {
        PeerId peer = 0;
        std::string node;  // PeerIdentity::node
    };

    void begin();
    std::uint32_t number_of_server(SyncPeer& peer);
    const std::string& node_of(const SyncPeer& peer) const {
        return sync_.peers.report(peer.id()).node;
    }
    std::optional<Deadline<Due>> next_deadline(const SyncPeer& peer) const;
    std::optional<Range> next_range(const SyncPeer& peer) const;
    bool is_due(const Range& range) const;
    void request(SyncPeer& peer, const Range& range, Now now);
    Outcome compare(SyncPeer& peer, const Range& range, const CFHeaders& message);
    void report_conflict(SyncPeer& peer, std::uint32_t height);
    void punish_liars();
    void disconnect_spent();
    bool is_in_dispute(const SyncPeer& peer) const;
    HeightRanges searched_by(PeerId server, const HeightRanges& blocks) const;
    void search_again_by_others(PeerId server, bool is_liar);
    void search_earlier_again(const SyncPeer& liar);
    void drop_agreement(const SyncPeer& liar);
    bool are_hashes_pending() const;
    bool awaits_handshakes() const;
    bool settle();
    std::uint32_t last_block_of_two_nodes();
    void ask_for_earlier(Now now);
    void search_again(const HeightRanges& blocks);

    SyncContext& sync_;
    MatchSource& source_;
    FilterDisputes disputes_;
    std::vector<Server> servers_;
    HeightRanges searched_;  // the blocks that are settled by their filters
    std::uint32_t base_ = 0;
    std::vector<Searched> filters_;       // of the blocks from `base_` on
    HeightRanges agreed_;                 // uncompared blocks whose filters another node has, too
    HeightRanges earlier_;                // uncompared blocks of earlier runs
    std::set<std::string> silent_nodes_;  // have stated no hashes in time, and are not asked again
    bool has_begun_ = false;
    bool has_answers_ = false;  // since the last settle()
    bool has_news_ = false;     // that is not stored
    std::uint64_t compared_ = 0;
};

}  // namespace petal::net
