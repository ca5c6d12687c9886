/// Computes the sync's status from its parts.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "net/peer/timers.h"
#include "net/sync/block_fetcher.h"
#include "net/sync/cross_checker.h"
#include "net/sync/filter_hash_checker.h"
#include "net/sync/header_follower.h"
#include "net/sync/state/sync_context.h"
#include "net/sync/unconfirmed_listener.h"

namespace petal::net {

class StatusKeeper final : public Timed {
public:
    StatusKeeper(SyncContext& sync, const HeaderFollower& headers, const BlockFetcher& fetcher,
                 const CrossChecker& cross_checker, const FilterHashChecker& filter_hashes,
                 const UnconfirmedListener& listener)
        : sync_(sync),
          headers_(headers),
          fetcher_(fetcher),
          cross_checker_(cross_checker),
          filter_hashes_(filter_hashes),
          listener_(listener) {}

    /// Sets the status before the first event.
    void set_initial_status();
    void update(Now now);
    void on_reorganised(const chain::ChainMove& move);
    /// Whether all blocks are in, and no peer is expected to send more headers or second answers.
    bool are_blocks_complete() const;

    std::optional<std::chrono::milliseconds> wakes_at() const override {
        return earlier_of(earlier_of(meeting_until_, explained_until_), early_until_);
    }
    void on_wake(Now now) override { update(now); }

private:
    void update_heights();
    void update_filter();
    void update_standing_of_peers();
    void update_stall_reason(Now now);
    void update_meeting(Now now);
    void update_early(Now now);
    SyncPhase phase() const;
    StallReason stall_reason() const;
    bool all_have_lighter_chains() const;
    std::optional<OtherChain> find_other_chain() const;

    SyncContext& sync_;
    const HeaderFollower& headers_;
    const BlockFetcher& fetcher_;
    const CrossChecker& cross_checker_;
    const FilterHashChecker& filter_hashes_;
    const UnconfirmedListener& listener_;
    std::uint64_t arrivals_ = 0;  // the sum of the counters that grow with each message
    std::optional<std::chrono::milliseconds> moved_at_;
    /// The time until which missing progress needs no explanation. Empty if there is one, or the
    /// sync is done.
    std::optional<std::chrono::milliseconds> explained_until_;
    std::optional<std::chrono::milliseconds> first_handshake_at_;
    /// Until then, the sync does not end, as more peers are expected.
    std::optional<std::chrono::milliseconds> meeting_until_;
    /// Since when all blocks have been in, for the first time.
    std::optional<std::chrono::milliseconds> complete_since_;
    /// Until then, the sync does not end, as an early header counts soon.
    std::optional<std::chrono::milliseconds> early_until_;
};

}  // namespace petal::net
