/// The source of matches: how a sync learns which transactions of a block concern the watcher.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_set>
#include <vector>

#include "chain/expected.h"
#include "net/peer/commands.h"
#include "net/sync/blocks/block_download.h"
#include "net/sync/filters/watch_index.h"
#include "net/sync/peers/sync_peer.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

/// What the handshake asks of a peer for the source.
struct PeerNeeds {
    std::uint64_t services = 0;  ///< the peer must have all of them
    /// A pruned node counts as if it had NODE_NETWORK (see BlockFetcher).
    bool accepts_pruned = false;
};

/// What holds for a source in all of its requests.
struct MatchSourceTraits {
    /// The time that a peer may take for a block.
    std::chrono::milliseconds block_timeout{0};
    /// Whether an answer covers only what was known when the block was requested. If not, a block
    /// is searched for everything that is known when it arrives.
    bool covers_as_of_request = false;
    /// Whether peers search by filters of the watch list, which prepare() loads (BIP37). They then
    /// also relay the unconfirmed transactions that match, and no others.
    bool loads_filters = false;
    /// Whether blocks are searched by compact filters, which are compared (FilterHashChecker).
    bool has_compact_filters = false;
};

/// What is requested for a block, how its matches are found, what peers are told for that, and what
/// an answer covers. The engine's parts speak to this class only, and never ask which source it is.
/// See "The source of matches" in the README.
class MatchSource {
public:
    virtual ~MatchSource() = default;
    MatchSource(const MatchSource&) = delete;
    MatchSource& operator=(const MatchSource&) = delete;

    const MatchSourceTraits& traits() const { return traits_; }

    /// What the next peer must offer, given the connected ones.
    virtual PeerNeeds needs_of_next_peer() const = 0;
    /// The number of blocks that may be in flight from the peer. Call this before each request.
    virtual std::size_t window(SyncPeer& peer) = 0;
    /// A block that is to be requested again is requested from a peer with the highest rank.
    virtual std::uint64_t rank(const SyncPeer& peer, std::uint32_t height) const = 0;
    /// Sends the peer what it must know before it is asked for blocks or its mempool. A peer that
    /// is asked for nothing is told nothing.
    virtual void prepare(SyncPeer& peer) = 0;
    /// Prepares the peer, and requests these blocks from it, in this order.
    virtual void request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                         BlockPurpose purpose) = 0;
    /// request(), from when on the peer's pace is measured.
    void request_now(SyncPeer& peer, std::span<const chain::BlockRef> blocks, BlockPurpose purpose,
                     Now now);

    /// Searches a compact filter for all that is watched now. Fails if the peer is at fault. Only a
    /// source that requests compact filters gets any.
    virtual chain::Expected<std::optional<Delivery>, Violation> match(SyncPeer& peer,
                                                                      const CFilter& filter);
    /// Searches a full block for all that is known now. Fails if the peer is at fault.
    virtual chain::Expected<std::optional<Delivery>, Violation> search(SyncPeer& peer,
                                                                       const FullBlock& block) = 0;
    /// The block is to be requested in full from now on, whatever its other answers say.
    virtual void request_in_full(const chain::BlockRef& block) { full_blocks_.insert(block.hash); }
    /// Takes an answer, which it may change: it may unite several answers in the last. Returns
    /// whether the answer settles its block. If not, the block is to be requested again, from any
    /// peer.
    virtual bool settle(Delivery& answer) = 0;

    /// New outpoints were found. Peers are told of them, except for `has_them`, which has added
    /// them itself. This reveals nothing, because outpoints of false positives are among them.
    virtual void on_found(const std::vector<chain::Outpoint>& outpoints,
                          const SyncPeer* has_them) = 0;
    /// The watch list grew, or a reorganisation changed which outpoints are to be watched.
    virtual void on_watched_changed() = 0;
    /// Other unconfirmed transactions are tracked than before.
    virtual void on_unconfirmed_changed() = 0;
    /// Whether the delivered blocks are to be applied now, as the peers are to be told what these
    /// blocks change.
    virtual bool must_apply_first() = 0;

protected:
    MatchSource(SyncContext& sync, const MatchSourceTraits& traits)
        : sync_(sync), traits_(traits) {}
    void set_traits(const MatchSourceTraits& traits) { traits_ = traits; }

    /// The reserve of a lone peer's window (RequestPacer::window()). A fast peer gets more
    /// requests, as it would otherwise be idle while a batch is processed.
    static constexpr std::chrono::milliseconds kLoneReserve{200};

    /// The watch list, the base, and the matched outpoints.
    WatchIndex make_watch_index() const;
    /// Searches the block by the index, which gets the outpoints that are found.
    chain::Expected<std::optional<Delivery>, Violation> search_by(WatchIndex& index, SyncPeer& peer,
                                                                  const FullBlock& block) const;
    /// The form in which a full block is requested from this peer.
    BlockForm full_form(const SyncPeer& peer, const chain::BlockRef& block) const;
    void send_request(SyncPeer& peer, std::span<const WantedBlock> blocks, BlockPurpose purpose);

    SyncContext& sync_;
    std::unordered_set<chain::BlockHash> full_blocks_;  // see request_in_full()

private:
    MatchSourceTraits traits_;
};

}  // namespace petal::net
