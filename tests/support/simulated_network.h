/// Sync against embedded nodes without sockets, in simulated time.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "net/sync/sync_engine.h"
#include "regtest/regtest_node.h"

namespace petal::test {

/// Delivers messages between an engine and embedded nodes. Everything happens by calls, so that
/// every run of a test is the same. Time stands still until no message is left, and then jumps to
/// the next deadline.
class SimulatedNetwork {
public:
    /// The local clock at the beginning, Unix seconds.
    static constexpr std::int64_t kStartTime = 1'700'000'000;

    explicit SimulatedNetwork(net::SyncEngine& engine) : engine_(engine) {}
    virtual ~SimulatedNetwork() = default;

    /// The number of bytes of answers that one node sends before the next event.
    void set_portion(std::size_t bytes) { portion_ = bytes; }

    /// node   the node's name. If empty, a name of its own
    net::PeerId connect(const regtest::RegtestChain& chain, regtest::NodeBehaviour behaviour = {},
                        const std::string& node = {});
    /// Breaks the connection.
    void cut(net::PeerId peer);
    /// Lets the node receive messages and answer no more.
    void silence(net::PeerId peer);

    /// Delivers one round of messages. Returns whether there were messages.
    bool step();
    /// Delivers messages until the engine is finished, nothing more can happen, or `condition`
    /// holds. Returns whether the engine finished.
    bool run(const std::function<bool()>& condition = {});
    /// Delivers the messages of this time, and stops at its end.
    void run_for(std::chrono::milliseconds time);
    void advance(std::chrono::milliseconds time);
    /// Suspends the machine: only the wall clock advances.
    void sleep(std::chrono::seconds time) { now_.unix_seconds += time.count(); }

    net::Now now() const { return now_; }
    const regtest::RegtestNode& node(net::PeerId peer) const { return links_.at(peer).node; }
    /// Sees each message before the engine does.
    std::function<void(net::PeerId, const net::Message&)> on_delivery;

    bool is_open(net::PeerId peer) const { return links_.at(peer).open; }
    /// Why the engine dropped the peer. Empty if the peer is not dropped.
    std::optional<net::DisconnectReason> dropped(net::PeerId peer) const;
    /// The transactions that a peer asked the engine for and got.
    std::vector<chain::Transaction> taken(net::PeerId peer) const { return links_.at(peer).taken; }
    /// The number of messages that the engine has sent to a peer, by command.
    std::map<std::string, std::size_t> sent(net::PeerId peer) const { return links_.at(peer).sent; }
    /// Called for each message of the engine.
    std::function<void(const net::Message&)> on_sent;
    /// Called for each command of the engine.
    std::function<void(const net::Command&)> on_command;

protected:
    struct Link {
        regtest::RegtestNode node;
        bool open = true;
        bool silent = false;
        std::optional<std::uint64_t> ping{};  // the nonce of the engine's last ping
        std::map<std::string, std::size_t> sent{};
        std::vector<chain::Transaction> taken{};
        std::optional<net::DisconnectReason> dropped{};
    };

    /// Carries out the commands of the engine. Returns whether there were commands.
    bool carry_out_commands();
    /// Hands a message of the node to the engine.
    virtual void deliver(net::PeerId peer, net::Message message);
    /// Delivers data that a peer sends besides the node's messages. Returns whether there was data.
    virtual bool deliver_more(net::PeerId /*peer*/) { return false; }
    /// The time of the next event of the engine or a peer.
    virtual std::optional<std::chrono::milliseconds> next_event() const;

    net::SyncEngine& engine_;
    std::map<net::PeerId, Link> links_;
    net::Now now_{std::chrono::milliseconds{1'000}, kStartTime};

private:
    bool deliver_answers();

    net::PeerId next_peer_ = 1;
    std::size_t portion_ = 100'000;
};

}  // namespace petal::test
