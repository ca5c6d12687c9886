#include "tests/support/simulated_network.h"

#include <algorithm>
#include <utility>

#include "tests/support/named_peer.h"

namespace petal::test {

net::PeerId SimulatedNetwork::connect(const regtest::RegtestChain& chain,
                                      regtest::NodeBehaviour behaviour, const std::string& node) {
    const net::PeerId peer = next_peer_++;
    links_.emplace(peer, Link{regtest::RegtestNode(chain, std::move(behaviour), 1'000 + peer)});
    const std::string name = node.empty() ? "node-" + std::to_string(peer) : node;
    engine_.on_connected(peer, named_peer(name), now_);
    return peer;
}

void SimulatedNetwork::cut(net::PeerId peer) {
    links_.at(peer).open = false;
    engine_.on_closed(peer, now_);
}

void SimulatedNetwork::silence(net::PeerId peer) {
    links_.at(peer).silent = true;
}

bool SimulatedNetwork::carry_out_commands() {
    const auto commands = engine_.take_commands();
    for (const net::Command& command : commands) {
        if (on_command) on_command(command);
        if (const auto* send = std::get_if<net::Send>(&command)) {
            Link& link = links_.at(send->peer);
            ++link.sent[std::string(net::command_of(send->message))];
            if (const auto* ping = std::get_if<net::Ping>(&send->message)) link.ping = ping->nonce;
            if (on_sent) on_sent(send->message);
            if (!link.open || link.silent) continue;
            link.node.on_message(send->message, now_.steady);
            while (auto taken = link.node.take_transaction()) {
                link.taken.push_back(*std::move(taken));
            }
        } else {
            const auto& disconnect = std::get<net::Disconnect>(command);
            Link& link = links_.at(disconnect.peer);
            link.open = false;
            link.dropped = disconnect.reason;
        }
    }
    return !commands.empty();
}

void SimulatedNetwork::deliver(net::PeerId peer, net::Message message) {
    engine_.on_message(peer, std::move(message), now_);
}

bool SimulatedNetwork::deliver_answers() {
    bool any = false;
    for (auto& [peer, link] : links_) {
        if (!link.open || link.silent) continue;
        link.node.on_time(now_.steady);
        for (net::Message& message : link.node.take_output(portion_)) {
            any = true;
            if (link.open && on_delivery) on_delivery(peer, message);
            if (link.open) deliver(peer, std::move(message));
            carry_out_commands();
        }
        any = (link.open && deliver_more(peer)) || any;
        if (link.open && link.node.disconnect_reason() && !link.node.has_output()) {
            any = true;
            cut(peer);
        }
    }
    return any;
}

bool SimulatedNetwork::step() {
    const bool sent = carry_out_commands();
    const bool received = deliver_answers();
    return sent || received;
}

bool SimulatedNetwork::run(const std::function<bool()>& condition) {
    for (int idle = 0; !engine_.finished();) {
        if (condition && condition()) return false;
        if (step()) {
            idle = 0;
            continue;
        }
        const auto next = next_event();
        if (!next || ++idle > 100) return false;
        if (*next > now_.steady) advance(*next - now_.steady);
        engine_.on_time(now_);
    }
    return true;
}

void SimulatedNetwork::run_for(std::chrono::milliseconds time) {
    const auto end = now_.steady + time;
    for (int idle = 0; now_.steady < end && idle < 100;) {
        if (step()) {
            idle = 0;
            continue;
        }
        const auto next = std::min(next_event().value_or(end), end);
        idle = next > now_.steady ? 0 : idle + 1;
        if (next > now_.steady) advance(next - now_.steady);
        engine_.on_time(now_);
    }
    while (step()) {
    }
}

std::optional<std::chrono::milliseconds> SimulatedNetwork::next_event() const {
    auto next = engine_.next_deadline();
    for (const auto& [peer, link] : links_) {
        if (!link.open || link.silent) continue;
        const auto time = link.node.next_deadline();
        if (time && (!next || *time < *next)) next = time;
    }
    return next;
}

void SimulatedNetwork::advance(std::chrono::milliseconds time) {
    using std::chrono::floor;
    using std::chrono::seconds;
    const auto before = floor<seconds>(now_.steady);
    now_.steady += time;
    now_.unix_seconds += (floor<seconds>(now_.steady) - before).count();
}

std::optional<net::DisconnectReason> SimulatedNetwork::dropped(net::PeerId peer) const {
    return links_.at(peer).dropped;
}

}  // namespace petal::test
