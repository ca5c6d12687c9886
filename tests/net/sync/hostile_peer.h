/// Peers that send bytes unlike any honest node, beside an honest peer.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string_view>

#include "chain/bytes.h"
#include "net/sync/sync_engine.h"
#include "net/wire/message_header.h"
#include "net/wire/messages.h"
#include "regtest/regtest_node.h"
#include "tests/support/simulated_network.h"

namespace petal::test {

/// The bytes that a peer sends when an honest node would send this message.
using Say = std::function<chain::Bytes(const net::Message&)>;

/// The message as an honest regtest node sends it.
chain::Bytes as_sent(const net::Message& message);

/// Unrequested messages, one after the other.
struct Flood {
    std::string_view behind = {};  ///< the message that the flood follows
    std::size_t count = 0;
    std::function<net::Message()> next{};
};

struct HostilePeer {
    /// The peer is a node with this behaviour. `say` replaces the node's messages.
    regtest::NodeBehaviour behaviour = {};
    /// The chain that the peer serves. Null: the honest peer's chain.
    const regtest::RegtestChain* chain = nullptr;
    Say say = as_sent;
    Flood flood = {};
    /// From the first message with this command on, the peer sends one byte a second.
    std::string_view drips_from = {};
    /// The connection breaks after this many bytes.
    std::optional<std::size_t> cut_after = std::nullopt;
};

/// Carries the peers' messages to the engine as bytes, as io does.
class ByteNetwork : public SimulatedNetwork {
public:
    explicit ByteNetwork(net::SyncEngine& engine);

    net::PeerId connect(const regtest::RegtestChain& chain, HostilePeer peer = {});

    /// The number of the peer's messages that differ from an honest node's messages.
    std::size_t altered(net::PeerId peer) const { return lines_.at(peer).altered; }
    /// The number of messages of the flood that the peer has not sent.
    std::size_t flood_left(net::PeerId peer) const { return lines_.at(peer).peer.flood.count; }
    /// The number of the peer's bytes that the engine was given.
    std::size_t delivered(net::PeerId peer) const { return lines_.at(peer).delivered; }

private:
    struct Line {
        HostilePeer peer;
        net::FrameDecoder decoder;
        chain::Bytes waiting{};  // sent by the peer, but not read yet
        std::chrono::milliseconds next_drop{0};
        bool drips = false;
        bool floods = false;
        std::size_t altered = 0;
        std::size_t delivered = 0;
    };

    void deliver(net::PeerId id, net::Message message) override;
    bool deliver_more(net::PeerId id) override;
    std::optional<std::chrono::milliseconds> next_event() const override;
    bool drip(net::PeerId id);
    void read(net::PeerId id, chain::ByteView bytes);
    bool hand_over_next(net::PeerId id);

    std::map<net::PeerId, Line> lines_;
};

}  // namespace petal::test
