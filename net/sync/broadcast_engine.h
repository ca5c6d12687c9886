/// Gets one transaction into the network, over whatever connections it is given.
#pragma once

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "chain/watcher.h"
#include "net/sync/broadcast_report.h"
#include "net/sync/commands.h"
#include "net/sync/handshake.h"
#include "net/sync/random.h"
#include "net/sync/tx_server.h"
#include "net/wire/message_header.h"

namespace petal::net {

struct BroadcastOptions {
    std::string user_agent = "/petal:0.1.0/";
    /// Bounds the whole, whatever peers do.
    std::chrono::milliseconds timeout{120'000};
    std::chrono::milliseconds handshake_timeout{10'000};
    std::uint64_t random_seed = 0;  ///< for nonces
};

/// Whether there may be peers beyond those that are connected.
enum class PeerAvailability : std::uint8_t {
    none,
    later,  ///< once one of those is gone
    now,    ///< somebody is being dialled, or looked for
};

/// The decisions of a broadcast. Pure, as SyncEngine: it is given events and the time, and returns
/// commands.
///
/// Half of the peers that take it are told of the transaction, the first and every second one;
/// where nobody asks for it, more and more of them. What the others announce shows that it went
/// through. They are sent no filter, so that none of them learns what is waited for: a peer without
/// one announces everything. Who was told is asked for the transaction in turn: a node gives only
/// what it has taken into its memory pool. Where one refuses it, another is told. Nobody is told
/// before it could say what it takes (BIP37's relay flag, BIP133's feefilter).
/// Who takes none of it, or does not ask, makes room where that lets another come. A node that is
/// reached twice is one peer: else it would announce to us what it was told by us.
class BroadcastEngine {
public:
    /// The transaction has passed chain::check_transaction().
    BroadcastEngine(chain::OwnTransaction transaction, BroadcastOptions options, Now start);

    /// A connection that we dialled stands.
    void on_connected(PeerId peer, PeerIdentity identity, Now now);
    /// Whether a message is to be decoded, for on_message(). False for one that is dropped unread:
    /// blocks, a `tx` that is not asked for or larger than the transaction is, and before the
    /// handshake is complete all that is not part of it.
    bool expects(PeerId peer, const Frame& frame) const;
    void on_message(PeerId peer, const Message& message, Now now);
    /// The peer sent bytes that are no message; the engine answers with Disconnect.
    void on_bad_bytes(PeerId peer, DisconnectReason reason, Now now);
    /// The connection is closed, by whichever side. Not needed after a Disconnect command.
    void on_closed(PeerId peer, Now now);
    /// What else may come has changed; at the start, PeerAvailability::now is assumed.
    void on_availability(PeerAvailability availability, Now now);
    /// To be called at next_deadline(), or later or more often.
    void on_time(Now now);

    /// What is to be done, in order; empties the list. To be asked after every on_ function.
    std::vector<Command> take_commands();
    std::chrono::milliseconds next_deadline() const;
    /// Everything is shown that peers will show, or the time is over.
    bool finished() const { return finished_; }
    /// As it stands.
    BroadcastReport report() const;

private:
    using Milliseconds = std::chrono::milliseconds;

    /// A connection that stands.
    struct Session {
        Handshake handshake;
        std::size_t index;  ///< among peers_
        Milliseconds connected_at;
        std::uint64_t fence = 0;  ///< the ping behind which it has said what it takes
        bool ready = false;
        std::optional<Milliseconds> told_at;
        bool overdue = false;                ///< it was told, and has not asked in time
        std::optional<Milliseconds> ask_at;  ///< when to ask it for the transaction
    };

    BroadcastPeer& peer_of(const Session& session) { return peers_[session.index]; }
    const BroadcastPeer& peer_of(const Session& session) const { return peers_[session.index]; }
    void send(PeerId peer, Message message);
    void end(PeerId peer, DisconnectReason reason);
    void drop(PeerId peer, DisconnectReason reason, std::string detail);

    bool is_known(const std::string& node) const;
    void on_handshake(PeerId id, Session& session, const Message& message);
    void on_fee_filter(Session& session, chain::Satoshis rate);
    void on_inventory(Session& session, const Inv& message, Now now);
    void on_request(PeerId id, Session& session, const GetData& message, Now now);
    void on_transaction(Session& session, const chain::Transaction& transaction, Now now);
    void on_refusal(Session& session, const Reject& message, Now now);

    void drive(Now now);
    void make_room();
    void tell_some(Now now);
    bool tell(PeerId id, Session& session, Now now);
    void ask_back(Now now);
    bool counts_as_told(const Session& session) const;
    bool takes_it(const Session& session) const;
    bool is_useless(const Session& session) const;
    bool awaits_request(const Session& session) const;
    bool any_told() const;
    bool all_told_refuse() const;
    bool all_told_have_it() const;
    bool anyone_watches() const;
    std::optional<Milliseconds> enough_at() const;
    bool expects_peers() const;

    chain::Txid txid_;
    BroadcastOptions options_;
    SecretNumbers random_;
    TxServer broadcaster_;
    std::vector<BroadcastPeer> peers_;
    std::map<PeerId, Session> sessions_;
    std::vector<Command> commands_;
    Milliseconds deadline_;
    PeerAvailability availability_ = PeerAvailability::now;
    int replaced_ = 0;  // to make room
    bool finished_ = false;
    bool timed_out_ = false;
    std::optional<Milliseconds> first_seen_at_;
    std::optional<Milliseconds> first_held_at_;
    std::optional<Milliseconds> last_told_at_;
    std::optional<Milliseconds> last_fetched_at_;
};

}  // namespace petal::net
