/// The state of a sync, its counters, and its events.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/headers/header_chain.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/sync/blocks/block_requests.h"
#include "net/sync/peers/peer_report.h"
#include "net/sync/state/source_kind.h"
#include "net/sync/state/unconfirmed_mode.h"

namespace petal::net {

enum class SyncPhase : std::uint8_t {
    no_peer,  ///< no peer to sync from
    handshake,
    headers,    ///< no block that matters is known yet
    blocks,     ///< headers and filtered blocks
    listening,  ///< all blocks are in; waiting for unconfirmed transactions
    done,
};

/// A stable kebab-case word.
std::string_view code_of(SyncPhase phase);

/// Why a sync has made no progress for some seconds. With all blocks in, lighter_chain says why the
/// result may be out of date.
enum class StallReason : std::uint8_t {
    none,              ///< it moves, or is done
    no_peer,           ///< no peer is connected
    silent_handshake,  ///< no connected peer has sent its version
    silent_headers,    ///< headers are due
    low_work,          ///< no peer has shown a chain with the required work
    ahead_of_clock,    ///< a peer's headers are more than two hours ahead of the clock; also with
                       ///< all blocks in, see SyncStatus::early_until
    short_chain,       ///< all headers are in, but end below the watcher's synced height
    peers_behind,      ///< no peer has the next blocks
    silent_blocks,     ///< blocks are due
    slow_blocks,       ///< every peer with requested blocks is far too slow
    lighter_chain,     ///< no connected peer has the known best chain
    undone_transactions,  ///< with all blocks in: peers are asked for transactions of undone
                          ///< blocks (SyncOptions::wait_undone)
};

/// A stable kebab-case word.
std::string_view code_of(StallReason stall_reason);
/// The awaited event, such as "a peer's blocks"; empty for none.
std::string_view describe(StallReason stall_reason);

/// A peer's chain that has no more work than the best one or is excluded, and is not a part of it.
struct OtherChain {
    PeerId peer = 0;
    std::uint32_t fork_height = 0;  ///< of the last block that both have
    std::uint32_t height = 0;       ///< of the last block that it has shown
    bool is_excluded = false;       ///< an invalid block, or one that no peer sends

    friend bool operator==(const OtherChain&, const OtherChain&) = default;
};

/// The counters of one run.
struct SyncCounts {
    std::uint64_t scanned_blocks = 0;   ///< from first_height on, that have arrived at least once
    std::uint64_t headers = 0;          ///< new ones
    std::uint64_t filtered_blocks = 0;  ///< received, including repeated requests
    std::uint64_t full_blocks = 0;      ///< received, including repeated requests
    std::uint64_t compact_filters = 0;  ///< received, including repeated requests
    std::uint64_t refetched_blocks = 0;
    std::uint64_t cross_checked_blocks = 0;  ///< requested from two peers
    /// With all blocks in: searched by the compact filter of one node alone, in this run or before.
    std::uint64_t uncompared_filters = 0;
    std::uint64_t transactions = 0;  ///< received with blocks or unconfirmed
    /// Of unconfirmed transactions that the watcher was shown, or of undone ones that it forgot.
    std::uint64_t stored_batches = 0;
    std::uint64_t false_positives = 0;  ///< transactions in blocks that match no watched element
    std::uint64_t filter_loads = 0;
    std::uint64_t reorgs = 0;
    std::uint32_t deepest_reorg = 0;  ///< the number of blocks that it replaced

    /// The counter of blocks that are received in this form.
    std::uint64_t& blocks_in(BlockForm form) {
        if (is_full(form)) return full_blocks;
        return form == BlockForm::compact_filter ? compact_filters : filtered_blocks;
    }
    /// The number of blocks that were received in any form.
    std::uint64_t answers() const { return filtered_blocks + full_blocks + compact_filters; }
};

/// The filter of one of the peers, or of the last peer.
struct FilterStatus {
    double false_positive_rate = 0;  ///< exact
    std::size_t bytes = 0;
    std::uint32_t hash_functions = 0;
};

struct SyncStatus {
    SyncPhase phase = SyncPhase::no_peer;
    /// The source of matches. Empty until it is chosen.
    std::optional<MatchSourceKind> source;
    StallReason stall_reason = StallReason::none;
    std::uint32_t header_height = 0;  ///< of the best chain known
    /// The height that a presync has reached (HeaderPresync: a chain whose work is not known yet,
    /// and which is not stored); empty without a presync.
    std::optional<std::uint32_t> presync_height;
    std::uint32_t target_height = 0;  ///< maximum of header_height and the peers' claims
    std::uint32_t first_height = 0;   ///< where this run's scan began
    std::uint32_t synced_height = 0;  ///< everything watched is covered up to here
    /// The first block that an earlier source has searched by compact filters alone, and that is
    /// searched again by Bloom filters. Empty if there is none.
    std::optional<std::uint32_t> searched_again_from;
    SyncCounts counts;
    /// With StallReason::lighter_chain: the chain of a peer, if all peers have been on other chains
    /// for longer than a reorganisation takes.
    std::optional<OtherChain> other_chain;
    /// Unix seconds from which a header that a connected peer has shown will no longer be too far
    /// ahead of the clock; empty if there is none (if_early()).
    std::optional<std::int64_t> early_until;
    FilterStatus filter;
    /// How a single peer relays unconfirmed transactions. Empty if each peer relays, or none.
    std::optional<UnconfirmedMode> relay_mode;
    /// The peer that alone relays, once it is chosen (TxRelay::single_peer()).
    std::optional<PeerId> relay_peer;
    /// No connected peer can relay as wanted, for ten seconds now.
    bool lacks_relay_peer = false;
    /// The connected peers and the last 200 that were connected, in the order of their connection.
    std::vector<PeerReport> peers;
};

/// Two nodes do not have the same compact filter of a block. One of them lies, or is broken.
struct FilterConflict {
    chain::BlockRef block;
    std::string server;  ///< PeerIdentity::node of the peer whose filter was searched
    std::string other;   ///< equal to `server` for a node that sends other filters than it states
};

/// Functions that a sync calls as things happen; each may be empty.
struct SyncEvents {
    /// The best chain was reorganised.
    std::function<void(const chain::ChainMove&)> on_reorganisation;
    /// A block of the best chain is invalid. The peers that served it are disconnected. The block
    /// and its descendants no longer count. May be called again for one block.
    std::function<void(const chain::InvalidBlock&)> on_invalid_block;
    /// No peer sends this block of the best chain. The block and its known descendants no longer
    /// count, until a new header follows them.
    std::function<void(const chain::BlockRef&)> on_withheld_block;
    /// See FilterDisputes. Called once for each connection of `other`.
    std::function<void(const FilterConflict&)> on_filter_conflict;
    /// Called before a peer is sent its first filter, so that the peer can be stored as one that
    /// knows the filter.
    std::function<void(const PeerReport&)> on_first_filter;
    /// Called after on_first_filter for the peer that alone relays unconfirmed transactions, by a
    /// filter of the awaited addresses (UnconfirmedMode::bloom).
    std::function<void(const PeerReport&)> on_relay_peer;
};

}  // namespace petal::net
