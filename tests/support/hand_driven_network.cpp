#include "tests/support/hand_driven_network.h"

#include <utility>

namespace petal::test {

net::PeerId HandDrivenNetwork::connect(const regtest::RegtestChain& chain,
                                       regtest::NodeBehaviour behaviour) {
    const net::PeerId peer = SimulatedNetwork::connect(chain, std::move(behaviour));
    carry_out_commands();
    return peer;
}

net::PeerId HandDrivenNetwork::connect_silent_peer() {
    static const regtest::RegtestChain empty;  // no message of this node is delivered
    return connect(empty);
}

void HandDrivenNetwork::cut(net::PeerId peer) {
    SimulatedNetwork::cut(peer);
    carry_out_commands();
}

void HandDrivenNetwork::alter_messages(net::PeerId peer, std::function<void(net::Message&)> how) {
    alterations_[peer] = std::move(how);
}

void HandDrivenNetwork::fetch_pending(net::PeerId peer) {
    regtest::RegtestNode& node = links_.at(peer).node;
    node.on_time(now().steady);
    for (net::Message& message : node.take_output(1)) {
        if (const auto& alter = alterations_[peer]) alter(message);
        pending_[peer].push_back(std::move(message));
    }
}

bool HandDrivenNetwork::deliver_next(net::PeerId peer) {
    auto& pending = pending_[peer];
    if (pending.empty()) fetch_pending(peer);
    if (pending.empty()) return false;
    net::Message message = std::move(pending.front());
    pending.pop_front();
    inject(peer, std::move(message));
    return true;
}

void HandDrivenNetwork::deliver_all(net::PeerId peer) {
    while (deliver_next(peer)) {
    }
}

void HandDrivenNetwork::drop_pending(net::PeerId peer) {
    do {
        pending_[peer].clear();
        fetch_pending(peer);
    } while (!pending_[peer].empty());
}

void HandDrivenNetwork::inject(net::PeerId peer, net::Message message) {
    if (!is_dropped(peer)) deliver(peer, std::move(message));
    carry_out_commands();
}

void HandDrivenNetwork::advance(std::chrono::milliseconds time) {
    SimulatedNetwork::advance(time);
    engine_.on_time(now());
    carry_out_commands();
}

std::size_t HandDrivenNetwork::sent(net::PeerId peer, const std::string& command) const {
    return SimulatedNetwork::sent(peer)[command];
}

std::optional<std::uint64_t> HandDrivenNetwork::take_ping(net::PeerId peer) {
    return std::exchange(links_.at(peer).ping, std::nullopt);
}

}  // namespace petal::test
