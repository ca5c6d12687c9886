#include "tests/support/hand_driven_network.h"

#include <utility>

#include "tests/support/named_peer.h"

namespace petal::test {

net::PeerId HandDrivenNetwork::add(std::optional<net::RegtestNode> node) {
    const net::PeerId peer = next_peer_++;
    links_.emplace(peer, Link{std::move(node)});
    engine_.on_connected(peer, named_peer("node-" + std::to_string(peer)), now_);
    carry_out_commands();
    return peer;
}

net::PeerId HandDrivenNetwork::connect(const net::RegtestChain& chain,
                                       net::NodeBehaviour behaviour) {
    return add(net::RegtestNode(chain, std::move(behaviour), 1'000 + next_peer_));
}

net::PeerId HandDrivenNetwork::connect_puppet() {
    return add(std::nullopt);
}

void HandDrivenNetwork::cut(net::PeerId peer) {
    engine_.on_closed(peer, now_);
    carry_out_commands();
}

void HandDrivenNetwork::falsify(net::PeerId peer, std::function<void(net::Message&)> how) {
    links_.at(peer).falsify = std::move(how);
}

void HandDrivenNetwork::fetch_words(Link& link) {
    link.node->on_time(now_.steady);
    for (net::Message& message : link.node->take_output(1)) {
        if (link.falsify) link.falsify(message);
        link.words.push_back(std::move(message));
    }
}

bool HandDrivenNetwork::hear(net::PeerId peer) {
    Link& link = links_.at(peer);
    if (link.words.empty()) fetch_words(link);
    if (link.words.empty()) return false;
    net::Message message = std::move(link.words.front());
    link.words.pop_front();
    say(peer, std::move(message));
    return true;
}

void HandDrivenNetwork::hear_out(net::PeerId peer) {
    while (hear(peer)) {
    }
}

void HandDrivenNetwork::lose_words(net::PeerId peer) {
    Link& link = links_.at(peer);
    do {
        link.words.clear();
        fetch_words(link);
    } while (!link.words.empty());
}

void HandDrivenNetwork::say(net::PeerId peer, net::Message message) {
    if (!is_dropped(peer)) engine_.on_message(peer, std::move(message), now_);
    carry_out_commands();
}

void HandDrivenNetwork::advance(std::chrono::milliseconds time) {
    now_.steady += time;
    now_.unix_seconds += std::chrono::duration_cast<std::chrono::seconds>(time).count();
    engine_.on_time(now_);
    carry_out_commands();
}

std::size_t HandDrivenNetwork::sent(net::PeerId peer, const std::string& command) const {
    const auto& sent = links_.at(peer).sent;
    const auto count = sent.find(command);
    return count == sent.end() ? 0 : count->second;
}

std::optional<std::uint64_t> HandDrivenNetwork::take_ping(net::PeerId peer) {
    return std::exchange(links_.at(peer).ping, std::nullopt);
}

void HandDrivenNetwork::carry_out_commands() {
    for (const net::Command& command : engine_.take_commands()) {
        if (on_command) on_command(command);
        if (const auto* send = std::get_if<net::Send>(&command)) {
            carry_out(*send);
        } else {
            links_.at(std::get<net::Disconnect>(command).peer).dropped = true;
        }
    }
}

void HandDrivenNetwork::carry_out(const net::Send& send) {
    Link& link = links_.at(send.peer);
    ++link.sent[std::string(net::command_of(send.message))];
    if (const auto* ping = std::get_if<net::Ping>(&send.message)) link.ping = ping->nonce;
    if (link.node) link.node->on_message(send.message, now_.steady);
}

}  // namespace petal::test
