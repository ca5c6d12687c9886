/// Peers that send bytes which no honest node sends, beside an honest peer.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "chain/bytes.h"
#include "net/regtest/regtest_node.h"
#include "net/sync/sync_engine.h"
#include "net/wire/message_header.h"
#include "net/wire/messages.h"

namespace petal::test {

/// The bytes that a peer sends when an honest node would send this message.
using Say = std::function<chain::Bytes(const net::Message&)>;

/// The message as an honest regtest node sends it.
chain::Bytes as_sent(const net::Message& message);

/// Unrequested messages, one after the other.
struct Flood {
    std::string_view behind = {};  ///< the message that they follow
    std::size_t count = 0;
    std::function<net::Message()> next{};
};

struct HostilePeer {
    /// The peer is a node with this behaviour, whose messages `say` replaces.
    net::NodeBehaviour behaviour = {};
    Say say = as_sent;
    Flood flood = {};
    /// From its first message with this command on, the peer sends one byte a second.
    std::string_view drips_from = {};
    /// The connection breaks after this many bytes.
    std::optional<std::size_t> cut_after = std::nullopt;
};

/// Carries bytes between an engine and its peers, as io does, in simulated time.
class ByteNetwork {
public:
    explicit ByteNetwork(net::SyncEngine& engine) : engine_(engine) {}

    net::PeerId connect(const net::RegtestChain& chain, HostilePeer peer = {});
    /// Runs until the engine is finished or nothing more can happen. Returns whether it is
    /// finished.
    bool run();

    /// Why the engine dropped the peer; nothing if it did not.
    std::optional<net::DisconnectReason> dropped(net::PeerId peer) const {
        return links_.at(peer).dropped;
    }
    /// How many of the peer's messages differ from those of an honest node.
    std::size_t altered(net::PeerId peer) const { return links_.at(peer).altered; }
    /// How many bytes of the peer the engine was given.
    std::size_t delivered(net::PeerId peer) const { return links_.at(peer).delivered; }

private:
    struct Link {
        HostilePeer peer;
        net::RegtestNode node;
        net::FrameDecoder decoder;
        chain::Bytes waiting{};  // to be delivered
        bool drips = false;
        bool floods = false;
        bool open = true;
        std::size_t altered = 0;
        std::size_t delivered = 0;
        std::optional<net::DisconnectReason> dropped{};
    };

    bool carry_out_commands();
    bool fetch_words(Link& link);
    bool deliver_waiting(net::PeerId id, Link& link);
    void deliver(net::PeerId id, Link& link, chain::ByteView bytes);
    bool hand_over_next(net::PeerId id, Link& link);
    void cut(net::PeerId id, Link& link);
    bool step();
    bool wait();

    net::SyncEngine& engine_;
    std::map<net::PeerId, Link> links_;
    net::PeerId next_peer_ = 1;
    net::Now now_{std::chrono::milliseconds{1'000}, 1'700'000'000};
};

}  // namespace petal::test
