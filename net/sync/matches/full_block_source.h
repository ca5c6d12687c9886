/// Matches from full blocks, which are searched here: much traffic, but peers learn nothing, and
/// can leave nothing out.
#pragma once

#include <optional>

#include "net/sync/blocks/block_size_estimate.h"
#include "net/sync/matches/match_source.h"

namespace petal::net {

class FullBlockSource final : public MatchSource {
public:
    explicit FullBlockSource(SyncContext& sync);

    PeerNeeds needs_of_next_peer() const override {
        return {.services = services_needed(MatchSourceKind::full_blocks)};
    }
    /// The number of blocks that keeps the peer busy, as far as their expected size allows: big
    /// blocks are requested a few at a time.
    std::size_t window(SyncPeer& peer) override;
    std::uint64_t rank(const SyncPeer& /*peer*/, std::uint32_t /*height*/) const override {
        return 0;
    }
    void prepare(SyncPeer& /*peer*/) override {}
    void request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                 BlockPurpose purpose) override;

    chain::Expected<std::optional<Delivery>, Violation> search(SyncPeer& peer,
                                                               const FullBlock& block) override;
    bool settle(Delivery& /*answer*/) override { return true; }

    // search() has added them to the index.
    void on_found(const std::vector<chain::Outpoint>& /*outpoints*/,
                  const SyncPeer* /*has_them*/) override {}
    void on_watched_changed() override { index_.reset(); }
    void on_unconfirmed_changed() override { index_.reset(); }
    bool must_apply_first() override { return false; }

private:
    BlockSizeEstimate block_size_;
    std::optional<WatchIndex> index_;  // empty until it is used after a change
};

}  // namespace petal::net
