/// One connection of a sync: the connection itself, and the state that the sync's parts keep about
/// it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "net/peer/byte_budget.h"
#include "net/peer/peer.h"
#include "net/peer/request_pacer.h"
#include "net/peer/slow_peer_detector.h"
#include "net/sync/blocks/block_download.h"
#include "net/sync/filters/height_ranges.h"
#include "net/sync/headers/header_sync.h"
#include "net/sync/peers/link_speed.h"

namespace petal::net {

/// The state of header download from one peer, for HeaderFollower.
struct PeerHeaders {
    using Milliseconds = std::chrono::milliseconds;

    /// Whether headers were requested and the peer is not overdue.
    bool is_awaited() const { return sync.waiting_since() && !overdue; }

    HeaderSync sync;
    bool asked = false;
    /// When the peer last sent new headers, or was asked while no request was open.
    Milliseconds last_progress_or_request{0};
    /// When the peer last sent new headers, or was first asked. Asking again does not reset it, or
    /// a peer without new headers could put off its deadline for ever.
    Milliseconds last_progress{0};
    bool overdue = false;  ///< it has sent no new header for kHeaderPatience
};

/// The blocks that a peer has, as far as known.
struct PeerChain {
    /// The last block of the best chain that may be requested from the peer.
    std::uint32_t last_block(std::uint32_t tip) const {
        return std::min(std::max(claimed_height, shown_height), tip);
    }
    /// Whether the block that the peer is known to have is not on the best chain.
    bool is_on_branch(const chain::HeaderChain& chain) const {
        return shown && !chain.is_on_best_chain(*shown);
    }

    /// The height in its version message, lowered if the peer turned out not to have the blocks.
    std::uint32_t claimed_height = 0;
    /// A block that the peer is known to have, and the height of that block's fork from the best
    /// chain. Of several blocks, the latest of those that share the most with the best chain.
    std::optional<chain::BlockHash> shown;
    std::uint32_t shown_height = 0;
    /// The height of the best chain when the peer last answered that it has no more headers, unless
    /// the peer is on a branch. The peer need not have shown any block.
    std::uint32_t ended_height = 0;
    /// Since when the peer is known not to have blocks that are needed next.
    std::optional<std::chrono::milliseconds> behind_since;
    /// Since when the peer is known to be on another chain, and whether for longer than a
    /// reorganisation takes.
    std::optional<std::chrono::milliseconds> on_other_since;
    bool stays_on_other = false;
    /// Whether withheld blocks count again when the peer shows them. False for a peer that claimed
    /// to have them and did not send them.
    bool may_readmit = true;
};

/// The unconfirmed transactions that were requested from a peer, and the number of `tx` messages
/// that it may send.
class TxRequests {
public:
    /// Returns a request for the transactions that are not requested yet, while at most `max_open`
    /// requests are open. Without entries if no transaction is left to request.
    GetData request(std::span<const chain::Txid> txids, std::size_t max_open, bool with_witnesses);
    /// A merkleblock was received. Its transactions follow as `tx` messages.
    void expect_of_block(std::size_t transactions) { due_ += transactions; }
    /// A `tx` message was decoded.
    void on_decoded() { due_ -= due_ > 0 ? 1 : 0; }
    /// Closes the transaction's request. Returns whether there was one.
    bool take_request(const chain::Txid& txid);
    /// Whether the peer may send an unrequested transaction of this size, as it can while those of
    /// a block are awaited.
    bool allows_unrequested(std::size_t bytes, std::chrono::milliseconds now) {
        return unrequested_.spend(bytes, now);
    }
    /// Closes the requests of the transactions that the peer does not have.
    void on_not_found(const NotFound& message);

    /// The number of open requests.
    std::size_t open() const { return requested_.size(); }
    /// The number of closed requests.
    std::uint64_t answered() const { return answered_; }

    /// Whether a `tx` payload of this size may answer an open request. The number of decoded
    /// payloads is limited to the number of requests, so that a peer cannot make us decode
    /// arbitrary transactions by leaving one request unanswered.
    /// missing_in_block   the number of transactions that the arriving block still lacks
    bool expects(std::size_t payload_bytes, std::size_t missing_in_block) const;

private:
    std::unordered_set<chain::Txid> requested_;
    std::size_t due_ = 0;
    std::uint64_t answered_ = 0;
    ByteBudget unrequested_;
};

/// The `mempool` request to a peer.
struct MempoolRequest {
    bool asked = false;
    /// The nonce of the ping behind the request, until its pong shows that the peer did not close
    /// the connection because of the request.
    std::optional<std::uint64_t> fence;
};

/// The comparison of compact filters with those of a peer. Used by FilterHashChecker.
struct PeerFilterHashes {
    /// A `getcfheaders` request.
    struct Request {
        std::uint32_t first = 0;  ///< height
        std::uint32_t last = 0;   ///< height
        chain::BlockHash stop;
        std::chrono::milliseconds sent{0};
    };

    /// What the peer has stated of this block, or of the blocks above this height, no longer
    /// counts.
    void forget(std::uint32_t height) {
        for (HeightRanges* blocks : {&asked, &agrees, &contradicts}) blocks->remove(height);
    }
    void forget_above(std::uint32_t height) {
        for (HeightRanges* blocks : {&asked, &agrees, &contradicts}) blocks->remove_above(height);
    }

    HeightRanges asked;  ///< blocks whose hashes the peer has stated, or will state
    std::deque<Request> open;
    std::chrono::milliseconds answered_at{0};
    /// The blocks of which another node's filter was searched, and the peer has stated the same
    /// hash.
    HeightRanges agrees;
    /// The blocks of which the peer has stated another hash than that of the searched filter.
    HeightRanges contradicts;
    bool has_contradicted = false;
    std::optional<std::uint32_t> server;  ///< its number, once a filter of it was searched
    bool has_stated_earlier = false;      ///< the hash of an earlier run's block
};

struct SyncPeer {
    using Milliseconds = std::chrono::milliseconds;

    SyncPeer(Peer of, chain::Bytes group, Milliseconds now)
        : connection(std::move(of)), network_group(std::move(group)), served_at(now) {}

    PeerId id() const { return connection.id(); }
    bool is_ready() const { return headers.has_value(); }
    /// See SyncEngine::expects().
    chain::Expected<bool, Violation> expects(const Frame& frame) const;
    /// The last block of the best chain that the peer has by its answers to header requests and,
    /// but for the last six blocks, by its version message. PeerChain::last_block() also believes
    /// that the peer has these.
    std::uint32_t last_known_block(const chain::HeaderChain& best) const;

    /// The lowest block that a pruned node serves for sure. 0 for any other node.
    std::uint32_t first_block() const;
    /// Whether the request is for an older block, not for its compact filter.
    bool is_too_old(const BlockRequest& request) const {
        return request.form != BlockForm::compact_filter && request.block.height < first_block();
    }
    /// Whether that holds for the next block that it owes.
    bool owes_older_block() const;

    Peer connection;
    chain::Bytes network_group;
    std::optional<PeerHeaders> headers;  ///< once the handshake is complete
    LinkSpeed link;
    PeerChain chain;
    BlockDownload blocks;
    RequestPacer pacer;
    SlowPeerDetector slowness;
    /// When the peer last delivered a block, or blocks were requested while none was in flight.
    Milliseconds served_at;
    /// It has owed blocks, and sent none, for two seconds, or its oldest request is overdue: it
    /// could delay the end of a sync by a block now and then.
    bool is_silent = false;
    /// The watch list grew, or the filter saturates: a new filter is loaded before the next
    /// request.
    bool filter_stale = true;
    /// Whether our version message asked the peer to relay all transactions.
    bool relays_all = false;
    MempoolRequest mempool;
    PeerFilterHashes filter_hashes;
    TxRequests transactions;
};

}  // namespace petal::net
