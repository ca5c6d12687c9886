/// One connection of a sync: the connection itself, and what the sync's parts note of it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <utility>

#include "net/peer/pace.h"
#include "net/peer/peer.h"
#include "net/peer/slow_peer_detector.h"
#include "net/sync/blocks/block_download.h"
#include "net/sync/headers/header_sync.h"

namespace petal::net {

/// The headers that a peer shows; HeaderFollower's part.
struct PeerHeaders {
    using Milliseconds = std::chrono::milliseconds;

    /// Whether an answer is expected; none is of a peer that has been silent for too long.
    bool is_awaited() const { return sync.waiting_since() && !overdue; }

    HeaderSync sync;
    bool asked = false;
    /// When it last sent headers that were new, or began to owe an answer.
    Milliseconds at{0};
    /// The same, but of questions only for the first: a peer that has nothing new gains no time by
    /// being asked again.
    Milliseconds moved_at{0};
    bool overdue = false;  ///< it has not sent anything new for so long
};

/// How far a peer's chain goes.
struct PeerChain {
    /// The last block of the best chain that may be asked of it.
    std::uint32_t last_block(std::uint32_t tip) const {
        return std::min(std::max(claimed_height, shown_height), tip);
    }

    /// As its version message says, or what it did not have after all.
    std::uint32_t claimed_height = 0;
    /// The best block of which it has shown that it has it, and where the best chain leaves that
    /// one's branch.
    std::optional<chain::BlockHash> shown;
    std::uint32_t shown_height = 0;
    /// Since when it is known to lack blocks that are wanted of it.
    std::optional<std::chrono::milliseconds> behind_since;
    /// Since when all the headers that it has are known to be those of another chain, and whether
    /// that has been so for longer than a reorganisation takes.
    std::optional<std::chrono::milliseconds> on_other_since;
    bool stays_on_other = false;
};

/// The unconfirmed transactions that a peer was asked for, and how many `tx` messages it may send.
class TxRequests {
public:
    /// Notes those of the transactions that are not asked for yet, up to so many open ones in all,
    /// and returns the request for them; without entries where there are none.
    GetData request(std::span<const chain::Txid> txids, std::size_t max_open, bool with_witnesses);
    /// A merkleblock announces so many transactions.
    void expect_of_block(std::size_t transactions) { due_ += transactions; }
    /// Takes note of any `tx` message that was decoded.
    void on_decoded() { due_ -= due_ > 0 ? 1 : 0; }
    /// Whether the transaction was asked for; it is not from then on.
    bool settle(const chain::Txid& txid) { return requested_.erase(txid) > 0; }
    void on_not_found(const chain::Txid& txid) {
        if (settle(txid)) on_decoded();
    }

    /// Whether a `tx` message of so many bytes may be an answer. As many may as are due, so that a
    /// peer which leaves a request open can't have any number of others decoded.
    /// missing_in_block   how many the block lacks that is arriving
    bool expects(std::size_t payload_bytes, std::size_t missing_in_block) const;

private:
    std::unordered_set<chain::Txid> requested_;
    std::size_t due_ = 0;
};

struct SyncPeer {
    using Milliseconds = std::chrono::milliseconds;

    SyncPeer(Peer of, chain::Bytes group, Milliseconds now)
        : connection(std::move(of)), network_group(std::move(group)), served_at(now) {}

    PeerId id() const { return connection.id(); }
    bool is_ready() const { return headers.has_value(); }
    /// See SyncEngine::expects().
    chain::Expected<bool, Violation> expects(const Frame& frame) const;

    Peer connection;
    chain::Bytes network_group;
    std::optional<PeerHeaders> headers;  ///< once the handshake is complete
    PeerChain chain;
    BlockDownload blocks;
    Pace pace;
    SlowPeerDetector slowness;
    /// When it last delivered a block, or began to owe one.
    Milliseconds served_at;
    bool is_silent = false;  ///< it has owed blocks, and sent none, for SecondOpinions::kPatience
    /// What is watched has grown, or the filter saturates: nothing is to be asked for by the
    /// present one.
    bool filter_stale = true;
    bool mempool_asked = false;
    TxRequests transactions;
};

}  // namespace petal::net
