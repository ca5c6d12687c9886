/// A source of matches that is chosen once peers have shown what they serve.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "net/peer/timers.h"
#include "net/sync/matches/match_source.h"

namespace petal::net {

/// Stands for the chosen source (BlockOptions::choose_source), or from the start for the one that
/// the options name. Until the choice, headers are downloaded, and no block is requested. The scan
/// must not be aligned before, because a source may have blocks searched again from the start.
///
/// The choice is final, with one exception: it is made again if all peers with compact filters have
/// left requested ones out. Bitcoin Core states the service before its index is complete, and then
/// answers only requests for blocks below the index's height.
class ChosenSource final : public MatchSource, public Timed {
public:
    explicit ChosenSource(SyncContext& sync);
    ~ChosenSource() override = default;

    /// Called when another source is used than before, once blocks that were not applied are to be
    /// searched again.
    std::function<void()> on_changed;

    /// Makes the choice, if it is due. Peers that do not serve the chosen source are disconnected.
    /// Returns whether the source is chosen. Call this after each event.
    bool choose(bool has_all_headers, Now now);
    /// Call this before needs_of_next_peer(). A pruned node is accepted if it serves all blocks
    /// that the watcher lacks, with a day's margin for reorganisations (BIP159), or if there is no
    /// substitute for it.
    void on_connected(bool has_all_headers, Now now);
    /// Fails if the peer does not serve the chosen source. It may have been connected before.
    Outcome on_handshake_complete(const SyncPeer& peer) const;

    PeerNeeds needs_of_next_peer() const override;
    std::size_t window(SyncPeer& peer) override { return source_ ? source_->window(peer) : 0; }
    std::uint64_t rank(const SyncPeer& peer, std::uint32_t height) const override {
        return source_ ? source_->rank(peer, height) : 0;
    }
    void prepare(SyncPeer& peer) override;
    void request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                 BlockPurpose purpose) override;
    chain::Expected<std::optional<Delivery>, Violation> match(SyncPeer& peer,
                                                              const CFilter& filter) override;
    chain::Expected<std::optional<Delivery>, Violation> search(SyncPeer& peer,
                                                               const FullBlock& block) override;
    void request_in_full(const chain::BlockRef& block) override;
    bool settle(Delivery& answer) override;
    void on_found(const std::vector<chain::Outpoint>& outpoints, const SyncPeer* has_them) override;
    void on_watched_changed() override;
    void on_unconfirmed_changed() override;
    bool must_apply_first() override { return source_ && source_->must_apply_first(); }

    std::optional<std::chrono::milliseconds> wakes_at() const override { return looks_again_at_; }
    void on_wake(Now now) override;

private:
    void use(MatchSourceKind kind);
    void forget_source_without_servers();
    SourceFacts facts(bool has_all_headers, Now now);
    bool has_left_filters_out(const SyncPeer& peer) const;
    std::size_t count_omissions() const;
    void drop_unsuitable_peers();
    bool needs_recent_blocks_only(Now now) const;

    std::unique_ptr<MatchSource> source_;  // null until it is chosen
    std::uint64_t services_ = kNodeNetwork;
    bool accepts_pruned_ = false;
    std::size_t known_omissions_ = 0;  // count_omissions() at the last choice
    std::optional<std::chrono::milliseconds> handshake_at_;
    std::optional<std::chrono::milliseconds> looks_again_at_;
};

}  // namespace petal::net
