/// How a sync gets unconfirmed transactions: from which peers, and by which filter.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <optional>

#include "chain/transaction.h"
#include "net/peer/timers.h"
#include "net/sync/matches/match_source.h"
#include "net/sync/peers/sync_peer.h"
#include "net/sync/peers/sync_peers.h"
#include "net/sync/state/sync_context.h"

namespace petal::net {

/// What holds for a way of relay during a whole run.
struct TxRelayTraits {
    /// Whether the watcher is shown unconfirmed transactions.
    bool shows_transactions = true;
    /// Whether peers are asked for the transactions of undone blocks. If not, these are forgotten
    /// at once.
    bool finds_undone = false;
    /// Whether the peers have a filter with all elements that match. If not, messages to a peer
    /// must not depend on a match: a peer could test addresses by transactions that it makes up.
    bool may_show_matches = false;
    /// How a single peer relays the transactions (TxRelay::single_peer()). Empty if each peer
    /// relays, or none.
    std::optional<UnconfirmedMode> by_single_peer{};
};

/// Decides which peers relay unconfirmed transactions. The engine's parts speak to this class only,
/// and never ask which way it is. See "The relay of unconfirmed transactions" in the README.
class TxRelay : public Timed {
public:
    using Milliseconds = std::chrono::milliseconds;

    virtual ~TxRelay() = default;
    TxRelay(const TxRelay&) = delete;
    TxRelay& operator=(const TxRelay&) = delete;

    const TxRelayTraits& traits() const { return traits_; }

    /// Whether the next peer is asked to relay all transactions, by the flag in our version message
    /// (BIP37).
    virtual bool relays_all_from_next_peer() const { return false; }
    /// A peer has completed the handshake.
    virtual void on_handshake_complete(SyncPeer& /*peer*/) {}
    /// A peer's connection ends.
    virtual void on_end(const SyncPeer& /*peer*/) {}
    virtual void on_reorganised() {}
    /// Whether blocks are requested from other peers only, as this one has, or will get, a filter.
    virtual bool is_reserved(const SyncPeer& /*peer*/) const { return false; }

    /// All blocks are in, and unconfirmed transactions are wanted: requests the mempools of peers
    /// with a filter, once each.
    virtual void request_mempools(Now now) = 0;
    /// The filters of blocks hold more elements. Peers that have them are asked again.
    virtual void ask_again() {}
    /// Whether transactions that this peer announces are requested.
    /// blocks_are_in   whether all blocks have ever been in
    virtual bool takes_from(const SyncPeer& peer, bool blocks_are_in) const = 0;
    /// A requested transaction has arrived. Fails if it does not match the filter that this class
    /// has sent to the peer.
    virtual Outcome check(const SyncPeer& /*peer*/, const chain::Transaction& /*transaction*/,
                          const chain::Txid& /*txid*/) {
        return {};
    }
    /// The only peer that relays. Null if there is none yet, or if each peer relays.
    virtual const SyncPeer* single_peer() const { return nullptr; }

    /// Call this after each event.
    /// is_listening   whether unconfirmed transactions are awaited now
    void observe(bool is_listening, Now now);
    std::optional<Milliseconds> wakes_at() const override;
    /// Disconnects the single peer if it does not send what it has announced. No other peer would.
    void on_wake(Now now) override;

protected:
    TxRelay(SyncContext& sync, const TxRelayTraits& traits) : sync_(sync), traits_(traits) {}

    /// For a relay that is chosen during the run.
    void set_traits(const TxRelayTraits& traits) { traits_ = traits; }
    /// Sends a `mempool` request (BIP35), and a ping that shows whether the peer closes the
    /// connection because of it.
    void request_mempool(SyncPeer& peer);

    SyncContext& sync_;

private:
    /// Open requests for transactions.
    struct Waiting {
        PeerId peer = 0;
        std::uint64_t answered = 0;  // TxRequests::answered()
        Milliseconds since{0};
    };

    std::optional<Milliseconds> withheld_at() const;

    TxRelayTraits traits_;
    std::optional<Waiting> waiting_;
    std::optional<Milliseconds> lacks_peer_since_;
};

/// The way that `sync.options.unconfirmed` names, for this source of matches.
std::unique_ptr<TxRelay> make_tx_relay(SyncContext& sync, MatchSource& source);

}  // namespace petal::net
