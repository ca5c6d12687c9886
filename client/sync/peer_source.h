/// The peers of a sync or a broadcast.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "client/data/data_folder.h"
#include "net/io/broadcast_client.h"
#include "net/io/census.h"
#include "net/io/dial/endpoint.h"
#include "net/io/search/endpoint_finder.h"
#include "net/io/search/peer_store.h"
#include "net/io/spv_client.h"

namespace petal::client {

/// How nodes are reached.
struct ConnectionOptions {
    std::vector<net::Endpoint> connect;  ///< only these; if empty, peers are searched for
    std::optional<net::Endpoint> proxy;  ///< SOCKS5. No connection bypasses it
    bool onion_only = false;             ///< only onion services. Implies a proxy
    /// Instead of the network's own. Empty for none.
    std::optional<std::vector<std::string>> dns_seeds;
    std::uint32_t peers = 8;  ///< connected at once, at most
    std::optional<std::chrono::milliseconds> timeout;
    /// SIGINT, SIGTERM and SIGHUP end a run (net::SpvOptions::stop_on_signals): for programs that
    /// handle no signals themselves.
    bool stop_on_signals = false;
};

/// Why the file of known peers is not used as it is. Nothing else fails because of it.
struct PeerFileTrouble {
    enum class Kind : std::uint8_t {
        damaged,     ///< a new one is begun; the damaged one is kept (PeerStore::damaged_copy_of())
        unreadable,  ///< peers are searched for without it
        unwritable,  ///< new peers may be forgotten. Reported once
    };
    Kind kind;
    std::filesystem::path file;
    std::string reason = {};  ///< empty for `damaged`
};

/// The peers that the user names. Otherwise peers from the network's address manager, its DNS seeds
/// and addr messages. The address manager is saved on disk. On regtest, which has no DNS seeds, an
/// empty address manager means 127.0.0.1 with the default port, unless this address is banned or
/// only onion services are dialled.
class PeerSource {
public:
    using OnTrouble = std::function<void(const PeerFileTrouble&)>;

    /// Throws DataFolderError.
    /// services     a node must have all of them to be of use
    /// on_trouble   called now or later
    PeerSource(ConnectionOptions options, DataFolder data, std::uint64_t services,
               OnTrouble on_trouble);
    // Not copyable: the search has the address manager's address.
    PeerSource(const PeerSource&) = delete;
    PeerSource& operator=(const PeerSource&) = delete;

    /// Whether peers are searched for, as the user named none.
    bool searches() const { return search_.has_value(); }
    /// The maximum number of peers connected at once.
    std::size_t expected() const;
    /// Whether more peers are available than connection slots.
    bool has_substitutes() const;
    /// From now on, a node must have these services to be of use to this watcher. Without effect on
    /// named peers.
    /// watcher   the number of the wallet in its group
    void look_for(std::uint64_t services, std::size_t watcher = 0);
    /// Whether the search for peers has not reached any node, or none lately.
    bool seems_offline() const;
    /// Sets the client's options about peers. The client calls save() during its run.
    void apply(net::SpvOptions& client);
    /// Has the client dial this node (PeerIdentity::node) before the nodes that it finds. Does
    /// nothing if the user has named nodes, or the node must not be dialled.
    void dial_first(net::SpvOptions& client, const std::string& node) const;
    /// apply() for a broadcast. The caller calls save().
    void apply(net::BroadcastRoute& route);
    /// Greets nodes to learn their services (net::take_census()), for at most the timeout, if there
    /// is one. The address manager is not saved before save(). Only if no peer is named.
    net::CensusResult take_census();
    /// Writes the address manager to disk, if it has a file.
    void save();

private:
    void open_addrman(net::AddrManOptions how);
    bool may_dial(const net::Endpoint& peer) const;
    void report(PeerFileTrouble::Kind kind, const std::string& reason = {}) const;

    ConnectionOptions options_;
    DataFolder data_;
    std::uint64_t services_;
    std::map<std::size_t, std::uint64_t> services_of_;  // by watcher (look_for())
    OnTrouble on_trouble_;
    std::vector<net::Endpoint> named_;
    std::optional<net::PeerStore> store_;
    bool reported_unwritable_ = false;
    std::optional<net::AddrMan> addrman_;
    std::optional<net::EndpointFinder> search_;
};

/// The options of a network's address managers, with a random key. A store replaces it by its own.
net::AddrManOptions addrman_options(const chain::NetworkParams& network);

}  // namespace petal::client
