/// One connection that serves us, from its version message to its end.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <utility>

#include "net/peer/commands.h"
#include "net/peer/handshake.h"
#include "net/peer/pace.h"
#include "net/peer/recent_txids.h"
#include "net/peer/slow_peer_detector.h"
#include "net/sync/block_download.h"
#include "net/sync/header_sync.h"

namespace petal::net {

/// How long a peer may take.
struct Patience {
    std::chrono::milliseconds handshake;
    std::chrono::milliseconds answer;
    std::chrono::milliseconds block;  ///< for each
};

/// The parts that deal with one peer, and what the engine notes of it.
struct PeerSession {
    using Milliseconds = std::chrono::milliseconds;

    PeerSession(PeerId peer, Version ours, HandshakeAims aims, Milliseconds now)
        : id(peer),
          handshake(std::move(ours), aims),
          connected_at(now),
          served_at(now),
          heard_at(now) {}

    bool is_ready() const { return headers.has_value(); }
    /// Whether its version message says that it gives witnesses (BIP144).
    bool serves_witnesses() const {
        return handshake.peer() && (handshake.peer()->services & kNodeWitness) != 0;
    }

    /// Whether a `tx` message of so many bytes may be one that the peer was asked for, or that a
    /// merkleblock of its makes due. As many may as are due, so that a peer which leaves a request
    /// open can't have any number of others decoded.
    bool expects_transaction(std::size_t payload_bytes) const;
    /// An answer has come, or never will.
    void settle_due_transaction() { transactions_due -= transactions_due > 0 ? 1 : 0; }

    /// When the peer is to be given up for silence, if nothing comes; nothing where nothing is due.
    std::optional<Milliseconds> give_up_at(const Patience& patience) const;

    PeerId id;
    Handshake handshake;
    std::optional<HeaderSync> headers;  ///< once the handshake is complete
    BlockDownload blocks;
    Pace pace;
    SlowPeerDetector crawl;
    bool headers_asked = false;
    /// When it last sent headers that were new, or began to owe an answer.
    Milliseconds headers_at{0};
    /// The same, but of questions only for the first: who has nothing new gains no time by being
    /// asked again.
    Milliseconds headers_moved_at{0};
    /// It has been silent for so long that nobody waits for what it may still have to say.
    bool headers_overdue = false;
    /// How far its version message, or what it did not have after all, says that its chain goes.
    std::uint32_t claimed_height = 0;
    /// The best block of which it has shown that it has it, and where the best chain leaves that
    /// one's branch.
    std::optional<chain::BlockHash> shown;
    std::uint32_t shown_height = 0;
    /// Since when it is known to lack blocks that are wanted of it.
    std::optional<Milliseconds> behind_since;
    /// What is watched has grown, or the filter saturates: nothing is to be asked for by the
    /// present one.
    bool filter_stale = true;
    bool mempool_asked = false;
    /// Transactions that it was asked for and has not sent.
    std::unordered_set<chain::Txid> requested;
    /// How many `tx` messages may still be an answer: to these requests, or to a merkleblock.
    std::size_t transactions_due = 0;
    /// The last ones that it has announced.
    RecentTxids announced_by_peer{kMaxTxids};
    /// The last ones of the watcher's own that were announced to it: its echo proves nothing.
    RecentTxids announced_to_peer{kMaxTxids};
    /// What it takes, in satoshi per 1,000 vB (BIP133).
    chain::Satoshis least_fee_rate = 0;
    Milliseconds connected_at;
    /// When it last delivered a block, or began to owe one.
    Milliseconds served_at;
    /// When it last said anything.
    Milliseconds heard_at;
    /// When the answer is due by which a silent peer shows that it is still there; nothing where
    /// it was not asked.
    std::optional<Milliseconds> sign_of_life_due;
    std::uint64_t sign_of_life_nonce = 0;
};

}  // namespace petal::net
