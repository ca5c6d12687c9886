#include "tests/net/sync/hostile_peer.h"

#include <algorithm>
#include <string>
#include <utility>

#include "net/peer/received_message.h"
#include "net/wire/codec.h"
#include "tests/support/test_chain.h"

namespace petal::test {

namespace {

constexpr std::size_t kPortionBytes = 5'000;  // bytes of answers before it is the other peer's turn
constexpr std::size_t kReadBytes = 65'536;
constexpr std::chrono::milliseconds kDripTime{1'000};

}  // namespace

chain::Bytes as_sent(const net::Message& message) {
    return net::encode_message(regtest_params().magic, message);
}

ByteNetwork::ByteNetwork(net::SyncEngine& engine) : SimulatedNetwork(engine) {
    set_portion(kPortionBytes);
}

net::PeerId ByteNetwork::connect(const regtest::RegtestChain& chain, HostilePeer peer) {
    const net::PeerId id = SimulatedNetwork::connect(chain, peer.behaviour);
    lines_.emplace(id, Line{std::move(peer), net::FrameDecoder(regtest_params().magic)});
    return id;
}

void ByteNetwork::deliver(net::PeerId id, net::Message message) {
    Line& line = lines_.at(id);
    const chain::Bytes bytes = line.peer.say(message);
    line.altered += bytes == as_sent(message) ? 0U : 1U;
    line.drips = line.drips || net::command_of(message) == line.peer.drips_from;
    line.floods = line.floods || net::command_of(message) == line.peer.flood.behind;
    line.waiting.insert(line.waiting.end(), bytes.begin(), bytes.end());
}

bool ByteNetwork::deliver_more(net::PeerId id) {
    Line& line = lines_.at(id);
    if (line.floods && line.peer.flood.count > 0) {
        --line.peer.flood.count;
        ++line.altered;
        const chain::Bytes more = as_sent(line.peer.flood.next());
        line.waiting.insert(line.waiting.end(), more.begin(), more.end());
    }
    if (line.waiting.empty()) return false;
    if (line.drips) return drip(id);
    const chain::Bytes bytes = std::exchange(line.waiting, {});
    for (std::size_t at = 0; at < bytes.size() && is_open(id); at += kReadBytes) {
        const std::size_t size = std::min(kReadBytes, bytes.size() - at);
        read(id, chain::ByteView{bytes}.subspan(at, size));
    }
    return true;
}

bool ByteNetwork::drip(net::PeerId id) {
    Line& line = lines_.at(id);
    if (now().steady < line.next_drop) return false;
    const chain::Byte drop = line.waiting.front();
    line.waiting.erase(line.waiting.begin());
    line.next_drop = now().steady + kDripTime;
    read(id, {&drop, 1});
    return true;
}

std::optional<std::chrono::milliseconds> ByteNetwork::next_event() const {
    auto next = SimulatedNetwork::next_event();
    for (const auto& [id, line] : lines_) {
        if (!is_open(id) || line.waiting.empty()) continue;
        next = std::min(next.value_or(line.next_drop), line.next_drop);
    }
    return next;
}

void ByteNetwork::read(net::PeerId id, chain::ByteView bytes) {
    Line& line = lines_.at(id);
    const std::size_t before_cut = line.peer.cut_after.value_or(SIZE_MAX) - line.delivered;
    const bool is_cut = bytes.size() >= before_cut;
    if (is_cut) bytes = bytes.first(before_cut);
    line.delivered += bytes.size();
    std::ranges::copy(bytes, line.decoder.prepare(bytes.size()).begin());
    line.decoder.commit(bytes.size());
    while (is_open(id) && hand_over_next(id)) carry_out_commands();
    carry_out_commands();
    if (is_cut && is_open(id)) cut(id);
}

/// Gives the next frame to the engine, as io does. Returns whether there may be another.
bool ByteNetwork::hand_over_next(net::PeerId id) {
    const auto frame = lines_.at(id).decoder.next();
    if (frame && *frame) {
        const auto expected = engine_.expects(id, **frame);
        if (expected && !*expected) return true;
        if (!expected) {
            engine_.on_bad_bytes(id, expected.error().reason, expected.error().detail, now());
            return false;
        }
    }
    auto message = net::received_message(frame);
    if (!message) {
        engine_.on_bad_bytes(id, message.error().reason, message.error().detail, now());
        return false;
    }
    if (!*message) return false;
    engine_.on_message(id, *std::move(*message), now());
    return true;
}

}  // namespace petal::test
