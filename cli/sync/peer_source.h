/// The source of a command's peers.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cli/console.h"
#include "cli/options/options.h"
#include "net/io/broadcast_client.h"
#include "net/io/dial/endpoint.h"
#include "net/io/search/endpoint_finder.h"
#include "net/io/search/peer_store.h"
#include "net/io/spv_client.h"

namespace petal::cli {

/// How a command gets to nodes.
struct ConnectionOptions {
    std::vector<net::Endpoint> connect;  ///< only these; if empty, peers are searched for
    std::optional<net::Endpoint> proxy;  ///< SOCKS5; no connection bypasses it
    bool onion_only = false;             ///< only onion services; implies a proxy
    /// Instead of the network's own; empty for none.
    std::optional<std::vector<std::string>> dns_seeds;
    std::uint32_t peers = 8;  ///< connected at once, at most
    std::optional<std::chrono::milliseconds> timeout;
};

/// The peers that the user names, or those from the network's address manager, its seeds and the
/// peers' gossip. The address manager is kept up to date on disk; if its file can't be used, there
/// is a warning, and nothing else fails. On regtest, which has no DNS seeds, and while the address
/// manager is empty: the usual local address of a node, unless it is banned or only onions are
/// dialled.
class PeerSource {
public:
    /// needs_filters   whether nodes that serve none are of no use
    PeerSource(const ConnectionOptions& options, const GlobalOptions& global, Console& console,
               bool needs_filters);
    // Not copyable: the search has the address manager's address.
    PeerSource(const PeerSource&) = delete;
    PeerSource& operator=(const PeerSource&) = delete;

    /// Whether peers are searched for, as the user named none.
    bool searches() const { return search_.has_value(); }
    /// The maximum number of peers connected at once.
    std::size_t expected() const;
    /// Whether more peers are available than connection slots.
    bool has_substitutes() const;
    /// Sets the client's options about peers; the client calls save() during its run.
    void apply(net::SpvOptions& client);
    /// apply() for a broadcast; the caller calls save().
    void apply(net::BroadcastRoute& route);
    /// Writes the address manager to disk, if it has a file.
    void save();

private:
    void open_addrman(net::AddrManOptions how);
    bool may_dial(const net::Endpoint& peer) const;

    const ConnectionOptions& options_;
    const GlobalOptions& global_;
    Console& console_;
    std::vector<net::Endpoint> named_;
    std::optional<net::PeerStore> store_;
    bool warned_ = false;  // that it can't be written
    std::optional<net::AddrMan> addrman_;
    std::optional<net::EndpointFinder> search_;
};

/// The text on a damaged file of known peers that was put aside.
std::string damaged_peers_text(const GlobalOptions& global);

/// The options of the network's address managers, with a random key; a store replaces it by its
/// own.
net::AddrManOptions addrman_options(const GlobalOptions& global);

}  // namespace petal::cli
