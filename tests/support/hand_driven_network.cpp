#include "tests/support/hand_driven_network.h"

#include <utility>

namespace petal::test {

net::PeerId HandDrivenNetwork::connect(const net::RegtestChain& chain,
                                       net::NodeBehaviour behaviour) {
    const net::PeerId peer = SimulatedNetwork::connect(chain, std::move(behaviour));
    carry_out_commands();
    return peer;
}

net::PeerId HandDrivenNetwork::connect_puppet() {
    static const net::RegtestChain empty;  // its node is never heard
    return connect(empty);
}

void HandDrivenNetwork::cut(net::PeerId peer) {
    SimulatedNetwork::cut(peer);
    carry_out_commands();
}

void HandDrivenNetwork::falsify(net::PeerId peer, std::function<void(net::Message&)> how) {
    falsify_[peer] = std::move(how);
}

void HandDrivenNetwork::fetch_words(net::PeerId peer) {
    net::RegtestNode& node = links_.at(peer).node;
    node.on_time(now().steady);
    for (net::Message& message : node.take_output(1)) {
        if (const auto& alter = falsify_[peer]) alter(message);
        words_[peer].push_back(std::move(message));
    }
}

bool HandDrivenNetwork::hear(net::PeerId peer) {
    auto& words = words_[peer];
    if (words.empty()) fetch_words(peer);
    if (words.empty()) return false;
    net::Message message = std::move(words.front());
    words.pop_front();
    say(peer, std::move(message));
    return true;
}

void HandDrivenNetwork::hear_out(net::PeerId peer) {
    while (hear(peer)) {
    }
}

void HandDrivenNetwork::lose_words(net::PeerId peer) {
    do {
        words_[peer].clear();
        fetch_words(peer);
    } while (!words_[peer].empty());
}

void HandDrivenNetwork::say(net::PeerId peer, net::Message message) {
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
