/// The open connections of a driver.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "net/io/peer_link.h"
#include "net/peer/commands.h"

namespace petal::net {

/// Numbers the connections, and executes the engine's commands.
class OpenLinks {
public:
    /// Called before a link is destroyed.
    using OnForgotten = std::function<void(PeerLink&)>;

    OpenLinks(const Magic& magic, ReadPace pace, OnForgotten on_forgotten)
        : magic_(magic), pace_(pace), on_forgotten_(std::move(on_forgotten)) {}
    ~OpenLinks() = default;
    OpenLinks(const OpenLinks&) = delete;
    OpenLinks& operator=(const OpenLinks&) = delete;

    struct Forget {
        OpenLinks* links;
        void operator()(PeerLink* link) const;
    };
    /// A connection that is registered as open during its lifetime.
    using Owned = std::unique_ptr<PeerLink, Forget>;
    Owned add(PeerLink::Origin origin, asio::ip::tcp::socket socket);

    /// Executes commands. Commands for closed connections are dropped.
    void carry_out(const std::vector<Command>& commands);
    /// The bytes of all connections so far.
    Traffic traffic() const;

private:
    PeerLink* find(PeerId peer) const;

    Magic magic_;
    ReadPace pace_;
    OnForgotten on_forgotten_;
    std::vector<PeerLink*> links_;
    PeerId last_peer_ = 0;
};

}  // namespace petal::net
