#include "tests/net/sync/hostile_peer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "net/peer/received_message.h"
#include "net/wire/codec.h"
#include "tests/support/named_peer.h"
#include "tests/support/test_chain.h"

namespace petal::test {

namespace {

constexpr std::size_t kPortionBytes = 5'000;  // bytes of answers before it is the other peer's turn
constexpr std::size_t kReadBytes = 65'536;
constexpr std::chrono::milliseconds kDripTime{1'000};

}  // namespace

chain::Bytes as_sent(const net::Message& message) {
    return net::encode_message(regtest().magic, message);
}

net::PeerId ByteNetwork::connect(const net::RegtestChain& chain, HostilePeer peer) {
    const net::PeerId id = next_peer_++;
    const net::NodeBehaviour behaviour = peer.behaviour;
    links_.emplace(id, Link{std::move(peer), net::RegtestNode(chain, behaviour, 1'000 + id),
                            net::FrameDecoder(regtest().magic)});
    engine_.on_connected(id, named_peer("node-" + std::to_string(id)), now_);
    return id;
}

bool ByteNetwork::carry_out_commands() {
    const auto commands = engine_.take_commands();
    for (const net::Command& command : commands) {
        if (const auto* send = std::get_if<net::Send>(&command)) {
            Link& link = links_.at(send->peer);
            if (link.open) link.node.on_message(send->message, now_.steady);
        } else {
            const auto& disconnect = std::get<net::Disconnect>(command);
            Link& link = links_.at(disconnect.peer);
            link.open = false;
            link.dropped = disconnect.reason;
        }
    }
    return !commands.empty();
}

bool ByteNetwork::fetch_words(Link& link) {
    link.node.on_time(now_.steady);
    const auto words = link.node.take_output(kPortionBytes);
    for (const net::Message& message : words) {
        const chain::Bytes bytes = link.peer.say(message);
        link.altered += bytes == as_sent(message) ? 0U : 1U;
        link.drips = link.drips || net::command_of(message) == link.peer.drips_from;
        link.floods = link.floods || net::command_of(message) == link.peer.flood.behind;
        link.waiting.insert(link.waiting.end(), bytes.begin(), bytes.end());
    }
    if (!link.floods || link.peer.flood.count == 0) return !words.empty();
    --link.peer.flood.count;
    ++link.altered;
    const chain::Bytes more = as_sent(link.peer.flood.next());
    link.waiting.insert(link.waiting.end(), more.begin(), more.end());
    return true;
}

bool ByteNetwork::deliver_waiting(net::PeerId id, Link& link) {
    if (link.drips || link.waiting.empty()) return false;
    const chain::Bytes bytes = std::exchange(link.waiting, {});
    for (std::size_t at = 0; at < bytes.size() && link.open; at += kReadBytes) {
        const std::size_t size = std::min(kReadBytes, bytes.size() - at);
        deliver(id, link, chain::ByteView{bytes}.subspan(at, size));
    }
    return true;
}

void ByteNetwork::deliver(net::PeerId id, Link& link, chain::ByteView bytes) {
    const std::size_t before_cut = link.peer.cut_after.value_or(SIZE_MAX) - link.delivered;
    const bool is_cut = bytes.size() >= before_cut;
    if (is_cut) bytes = bytes.first(before_cut);
    link.delivered += bytes.size();
    std::ranges::copy(bytes, link.decoder.prepare(bytes.size()).begin());
    link.decoder.commit(bytes.size());
    while (link.open && hand_over_next(id, link)) carry_out_commands();
    carry_out_commands();
    if (is_cut && link.open) cut(id, link);
}

/// Gives the next frame to the engine, as io does. Returns whether there may be another.
bool ByteNetwork::hand_over_next(net::PeerId id, Link& link) {
    const auto frame = link.decoder.next();
    if (frame && *frame) {
        const auto expected = engine_.expects(id, **frame);
        if (expected && !*expected) return true;
        if (!expected) {
            engine_.on_bad_bytes(id, expected.error().reason, expected.error().detail, now_);
            return false;
        }
    }
    auto message = net::received_message(frame);
    if (!message) {
        engine_.on_bad_bytes(id, message.error().reason, message.error().detail, now_);
        return false;
    }
    if (!*message) return false;
    engine_.on_message(id, *std::move(*message), now_);
    return true;
}

void ByteNetwork::cut(net::PeerId id, Link& link) {
    link.open = false;
    engine_.on_closed(id, now_);
}

bool ByteNetwork::step() {
    bool any = carry_out_commands();
    for (auto& [id, link] : links_) {
        if (!link.open) continue;
        any = fetch_words(link) || any;
        any = deliver_waiting(id, link) || any;
        if (!link.open || !link.node.disconnect_reason() || link.node.has_output()) continue;
        cut(id, link);
        any = true;
    }
    return any;
}

/// Advances time to the next deadline, or to the next byte of a dripping peer.
bool ByteNetwork::wait() {
    auto next = engine_.next_deadline();
    for (auto& [id, link] : links_) {
        if (!link.open || !link.drips || link.waiting.empty()) continue;
        next = std::min(next.value_or(now_.steady + kDripTime), now_.steady + kDripTime);
    }
    if (!next) return false;
    const auto time = std::max(*next - now_.steady, std::chrono::milliseconds{1});
    now_.steady += time;
    now_.unix_seconds += 1 + std::chrono::floor<std::chrono::seconds>(time).count();
    for (auto& [id, link] : links_) {
        if (!link.open || !link.drips || link.waiting.empty()) continue;
        const chain::Byte drop = link.waiting.front();
        link.waiting.erase(link.waiting.begin());
        deliver(id, link, {&drop, 1});
    }
    engine_.on_time(now_);
    return true;
}

bool ByteNetwork::run() {
    constexpr int kMostWaits = 10'000;
    for (int waits = 0; !engine_.finished() && waits < kMostWaits;) {
        if (step()) continue;
        ++waits;
        if (!wait()) return false;
    }
    return engine_.finished();
}

}  // namespace petal::test
