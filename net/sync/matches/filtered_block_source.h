/// Matches from filtered blocks (BIP37): peers search the blocks by filters, which are loaded when
/// they are needed, added to, and replaced before they saturate.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "net/sync/matches/match_source.h"

namespace petal::net {

class FilteredBlockSource final : public MatchSource {
public:
    explicit FilteredBlockSource(SyncContext& sync);

    PeerNeeds needs_of_next_peer() const override {
        return {.services = services_needed(MatchSourceKind::filtered_blocks)};
    }
    /// The number of blocks that keeps the peer busy, reduced to the blocks whose matches the
    /// filter has room for: blocks in flight can saturate the filter before a new one reaches the
    /// peer. A filter that saturates is replaced before the next request.
    std::size_t window(SyncPeer& peer) override;
    std::uint64_t rank(const SyncPeer& /*peer*/, std::uint32_t /*height*/) const override {
        return 0;
    }
    /// Loads a filter if the peer has none or a stale one.
    void prepare(SyncPeer& peer) override;
    void request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                 BlockPurpose purpose) override;

    chain::Expected<std::optional<Delivery>, Violation> search(SyncPeer& peer,
                                                               const FullBlock& block) override;
    /// A filtered block whose proof is ambiguous (FilteredBlock) is requested in full.
    bool settle(Delivery& answer) override;

    /// Sends `filteradd`.
    void on_found(const std::vector<chain::Outpoint>& outpoints, const SyncPeer* has_them) override;
    /// Each peer is sent a new filter before the next request to it.
    void on_watched_changed() override;
    // Filters hold the outpoints of stored transactions only, by on_found().
    void on_unconfirmed_changed() override {}
    /// Before a filter is replaced: the new one may lack outpoints that the blocks spend.
    bool must_apply_first() override;

private:
    std::size_t busy_window(const SyncPeer& peer) const;
    std::size_t outpoints_of_next_filter() const;
    double rate_of_next_filter();
    double room_of_next_filter();
    double room_of(const SyncPeer& peer);
    std::size_t expected_in_flight(const SyncPeer& peer) const;
    bool is_saturating(const SyncPeer& peer);
};

}  // namespace petal::net
