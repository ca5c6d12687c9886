/// Finds the peer that lies where peers disagree about a block's compact filter.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "chain/block.h"
#include "chain/block_filters/block_filter.h"
#include "net/peer/timers.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

/// Judges disputed filters by their blocks (BIP157). In each round, a few of the disputed blocks
/// are judged: each peer that has vouched for a filter of the block is asked for its filter, which
/// is its testimony. Then the block is downloaded in full. A testimony that the block disproves
/// convicts its peer (chain::find_filter_fault()).
///
/// Not every false filter can be disproved. While no peer is convicted, each round therefore
/// downloads twice as many blocks in full as the last. So a peer whose false filters can be
/// disproved costs a few blocks, and any other peer the blocks that it disputes. The blocks to be
/// judged are chosen at random, so that a liar cannot choose them.
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
    void on_lost(PeerId peer);
    /// The block is searched by another answer.
    void forget(std::uint32_t height) { cases_.erase(height); }
    void drop_above(std::uint32_t height);

    struct Conviction {
        PeerId peer = 0;  ///< which may be disconnected
        Violation why;
    };
    /// The convictions since the last call.
    std::vector<Conviction> take_convictions() { return std::exchange(convictions_, {}); }

private:
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

    SyncContext& sync_;
    MatchSource& source_;
    SearchedAt searched_at_;
    std::map<std::uint32_t, Case> cases_;  // by height
    unsigned rounds_ = 0;                  // without a conviction
    std::vector<Conviction> convictions_;
};

}  // namespace petal::net
