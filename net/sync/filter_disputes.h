/// Finds the peer that lies where peers disagree about a block's compact filter.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "chain/block.h"
#include "chain/block_filters/block_filter.h"
#include "net/peer/timers.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

/// Judges disputed filters by their blocks (BIP157). A round judges a few of the disputed blocks:
///
/// 1. Each peer that has vouched for a filter of the block is asked for this filter, the peer's
///    testimony.
/// 2. The block is downloaded in full. A testimony that the block disproves convicts its peer
///    (chain::find_filter_fault()).
///
/// The blocks of a round are chosen at random, so that a liar cannot choose them.
///
/// Not every false filter can be disproved. So each block that is downloaded is charged to the
/// hosts on the smaller side of the dispute, or to the server's side if both are equal. A host that
/// leaves a dispute is charged, too. A host that has spent its budget of 64 blocks is to be
/// disconnected, in each later connection of the run, too. A conviction restores all budgets.
class FilterDisputes {
public:
    /// A filter that was searched, and that peers dispute.
    struct Searched {
        chain::FilterHash hash;
        PeerId server = 0;
    };
    using SearchedAt = std::function<Searched(std::uint32_t height)>;

    /// `sync` and `source` must outlive the disputes.
    /// searched_at   the filter of a block in Scan::disputed()
    FilterDisputes(SyncContext& sync, MatchSource& source, SearchedAt searched_at)
        : sync_(sync), source_(source), searched_at_(std::move(searched_at)) {}

    /// Requests the testimonies and blocks that are due. Call this after each event, once all
    /// connected peers have stated the hashes of their filters.
    void act(Now now);
    /// A peer's filter has arrived. Fails if the peer has vouched for another filter.
    Outcome on_testimony(const SyncPeer& peer, Delivery delivery);
    /// A block has arrived in full. Its transactions are checked.
    void on_full_block(const chain::BlockView& block);
    /// A peer's connection ends.
    /// leaves_dispute   whether its filters are disputed, or it disputes others
    void on_lost(PeerId peer, bool leaves_dispute);
    /// The block is searched by another answer.
    void forget(std::uint32_t height) { cases_.erase(height); }
    void drop_above(std::uint32_t height);

    struct Conviction {
        PeerId peer = 0;  ///< which may be disconnected
        Violation why;
    };
    /// Whether the peer's host has spent its budget, and no block is being judged.
    bool is_to_be_disconnected(PeerId peer) const {
        const auto spent = spent_.find(host_of(peer));
        return cases_.empty() && spent != spent_.end() && spent->second >= kBudget;
    }
    /// The convictions since the last call.
    std::vector<Conviction> take_convictions() { return std::exchange(convictions_, {}); }

private:
    static constexpr std::uint32_t kBudget = 64;  // blocks

    /// The testimonies for one block.
    struct Case {
        chain::BlockHash block;
        Searched searched;
        std::set<PeerId> awaited;
        std::map<PeerId, chain::Bytes> testimonies;
        bool is_block_requested = false;
    };

    void request_blocks();
    void start_round(Now now);
    HeightRanges choose_blocks_to_judge();
    void open(std::uint32_t height, Now now);
    void request_in_full(const HeightRanges& blocks);
    std::string host_of(PeerId peer) const;
    void charge(std::uint32_t height);

    SyncContext& sync_;
    MatchSource& source_;
    SearchedAt searched_at_;
    std::map<std::uint32_t, Case> cases_;         // by height
    std::map<std::string, std::uint32_t> spent_;  // blocks, by host
    std::vector<Conviction> convictions_;
};

}  // namespace petal::net
