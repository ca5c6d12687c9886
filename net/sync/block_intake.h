/// Receives the blocks that peers deliver, and applies them to the watcher in batches.
#pragma once

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "net/peer/timers.h"
#include "net/sync/cross_checker.h"
#include "net/sync/filter_hash_checker.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/state/sync_context.h"
#include "net/sync/unconfirmed_intake.h"

namespace petal::net {

class BlockIntake final : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;
    using Arriving = chain::Expected<std::optional<Delivery>, Violation>;

    BlockIntake(SyncContext& sync, MatchSource& source, CrossChecker& cross_checker,
                FilterHashChecker& filter_hashes, UnconfirmedIntake& unconfirmed)
        : sync_(sync),
          source_(source),
          cross_checker_(cross_checker),
          filter_hashes_(filter_hashes),
          unconfirmed_(unconfirmed) {}

    Outcome on_merkle_block(SyncPeer& peer, const MerkleBlock& message, Now now);
    Outcome on_full_block(SyncPeer& peer, const FullBlock& message, Now now);
    Outcome on_compact_filter(SyncPeer& peer, const CFilter& message, Now now);
    /// Takes a transaction of the block that is arriving.
    Outcome on_transaction(SyncPeer& peer, chain::Transaction transaction, const chain::Txid& txid,
                           Now now);

    /// Applies the held blocks if a batch is full, or the source wants them applied first.
    void apply_if_due();
    /// Applies the held blocks.
    void apply();
    /// The blocks that applied ones have shown to be invalid. Empties the list.
    std::vector<chain::InvalidBlock> take_invalid_blocks() {
        return std::exchange(invalid_blocks_, {});
    }
    /// Called if applied blocks made the watch list grow.
    std::function<void()> on_grown;
    /// Blocks above this height that are in flight are no longer wanted.
    void discard_above(std::uint32_t height);
    /// The watch list grew: all blocks that were not applied, or must be searched again, are
    /// requested again.
    void start_over();
    void on_reorganised(const chain::ChainMove& move);

    std::optional<Milliseconds> wakes_at() const override;
    void on_wake(Now /*now*/) override { apply(); }

private:
    Outcome on_delivery(SyncPeer& peer, Arriving arriving, Now now);
    void accept(SyncPeer& peer, Delivery delivery, Now now);
    Outcome accept_second_opinion(SyncPeer& peer, Delivery delivery);
    void search_anew();
    void search_again(std::uint32_t height);

    SyncContext& sync_;
    MatchSource& source_;
    CrossChecker& cross_checker_;
    FilterHashChecker& filter_hashes_;
    UnconfirmedIntake& unconfirmed_;
    std::vector<chain::InvalidBlock> invalid_blocks_;
    std::optional<Milliseconds> held_since_;  // the oldest block that waits for its batch
};

}  // namespace petal::net
