/// Peers that send what no honest node sends, byte by byte, beside one that is honest.
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

/// The bytes that a peer sends where an honest node would send this message.
using Say = std::function<chain::Bytes(const net::Message&)>;

/// The message as an honest node of regtest sends it.
chain::Bytes as_sent(const net::Message& message);

/// Messages that nothing has asked for, one after the other.
struct Flood {
    std::string_view behind = {};  ///< the message that they begin behind
    std::size_t count = 0;
    std::function<net::Message()> next{};
};

struct HostilePeer {
    /// The peer is a node that behaves so, with these words.
    net::NodeBehaviour behaviour = {};
    Say say = as_sent;
    Flood flood = {};
    /// From the first message of this command on, it sends a byte a second.
    std::string_view drips_from = {};
    /// After so many bytes the connection breaks.
    std::optional<std::size_t> cut_after = std::nullopt;
};

/// Carries bytes between an engine and peers, as io does, in simulated time.
class ByteNetwork {
public:
    explicit ByteNetwork(net::SyncEngine& engine) : engine_(engine) {}

    net::PeerId connect(const net::RegtestChain& chain, HostilePeer peer = {});
    /// Until the engine is finished, or nothing more can happen. Returns whether it is finished.
    bool run();

    /// Why the engine dropped the peer; nothing where it did not.
    std::optional<net::DisconnectReason> dropped(net::PeerId peer) const {
        return links_.at(peer).dropped;
    }
    /// How many of the peer's messages were not as an honest node sends them.
    std::size_t altered(net::PeerId peer) const { return links_.at(peer).altered; }
    /// How many bytes the engine was given of the peer.
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
