#include "regtest/connected_peer.h"

#include <algorithm>
#include <utility>

namespace petal::regtest {

namespace {

using namespace std::chrono_literals;

// Bitcoin Core: node/protocol_version.h.
constexpr std::int32_t kOldestProtocol = 31'800;
constexpr std::int32_t kFeeFilterProtocol = 70'013;
constexpr std::int32_t kSendCompactProtocol = 70'014;
constexpr std::int32_t kNegotiationProtocol = 70'016;  // wtxidrelay, sendaddrv2

constexpr auto kHandshakeLimit = 60s;
constexpr auto kPingInterval = 2min;
constexpr auto kPongLimit = 20min;

}  // namespace

bool ConnectedPeer::accepts(const net::Message& message) const {
    const bool is_version = std::holds_alternative<net::Version>(message);
    const bool is_negotiation = std::holds_alternative<net::Verack>(message) ||
                                std::holds_alternative<net::SendHeaders>(message) ||
                                std::holds_alternative<net::SendAddrV2>(message) ||
                                std::holds_alternative<net::WtxidRelay>(message);
    if (!version_) return is_version;
    return is_connected_ || is_version || is_negotiation;
}

void ConnectedPeer::greet(net::Version own, MessageQueue& outbox) {
    has_greeted_ = true;
    own.nonce = nonce_;
    outbox.push(std::move(own));
}

ConnectedPeer::Complaint ConnectedPeer::on(const net::Version& message, net::Version own,
                                           MessageQueue& outbox) {
    if (message.protocol < kOldestProtocol) return "the peer's version is obsolete";
    if (message.nonce == nonce_ && nonce_ != 0) return "connected to itself";
    version_ = message;
    if (!has_greeted_) greet(std::move(own), outbox);
    if (message.protocol >= kNegotiationProtocol) {
        outbox.push(net::WtxidRelay{});
        outbox.push(net::SendAddrV2{});
    }
    outbox.push(net::Verack{});
    return std::nullopt;
}

void ConnectedPeer::on_verack(const NodeBehaviour& behaviour, Milliseconds now,
                              MessageQueue& outbox) {
    is_connected_ = true;
    if (version_->protocol >= kSendCompactProtocol) outbox.push(net::SendCompact{});
    send_ping(now, outbox);
    if (version_->protocol >= kFeeFilterProtocol)
        outbox.push(net::FeeFilter{behaviour.mempool.least_fee_rate});
}

ConnectedPeer::Complaint ConnectedPeer::on(const net::SendAddrV2& /*message*/) {
    if (is_connected_) return "sendaddrv2 after verack";
    takes_addrv2_ = true;
    return std::nullopt;
}

ConnectedPeer::Complaint ConnectedPeer::on(const net::WtxidRelay& /*message*/) {
    if (is_connected_) return "wtxidrelay after verack";
    uses_wtxids_ = version_->protocol >= kNegotiationProtocol;
    return std::nullopt;
}

/// Like Bitcoin Core, accepts a nonce of zero as an answer, and ignores any other wrong nonce.
void ConnectedPeer::on(const net::Pong& message, Milliseconds now) {
    if (awaited_pong_ && awaited_pong_ == message.nonce) {
        answered_.last = now - ping_sent_;
        answered_.least = std::min(*answered_.last, answered_.least.value_or(*answered_.last));
    }
    if (awaited_pong_ == message.nonce || message.nonce == 0) awaited_pong_.reset();
}

PingTimes ConnectedPeer::pings(Milliseconds now) const {
    PingTimes pings = answered_;
    if (awaited_pong_) pings.wait = now - ping_sent_;
    return pings;
}

void ConnectedPeer::on_getaddr(const NodeBehaviour& behaviour, MessageQueue& outbox) {
    if (std::exchange(told_addresses_, true) || behaviour.addresses.empty()) return;
    if (takes_addrv2_) {
        outbox.push(net::AddrV2{behaviour.addresses});
    } else {
        outbox.push(net::Addr{behaviour.addresses});
    }
}

ConnectedPeer::Complaint ConnectedPeer::keep_alive(Milliseconds now, MessageQueue& outbox) {
    if (now - ping_sent_ > kPongLimit && awaited_pong_) return "a ping was not answered";
    if (now - ping_sent_ > kPingInterval && !awaited_pong_) send_ping(now, outbox);
    return std::nullopt;
}

void ConnectedPeer::ping(Milliseconds now, MessageQueue& outbox) {
    if (is_connected_ && !awaited_pong_) send_ping(now, outbox);
}

bool ConnectedPeer::is_late(Milliseconds now) const {
    return !is_connected_ && started_ && now - *started_ > kHandshakeLimit;
}

void ConnectedPeer::send_ping(Milliseconds now, MessageQueue& outbox) {
    ping_sent_ = now;
    awaited_pong_ = nonce_ + ++pings_sent_;
    outbox.push(net::Ping{*awaited_pong_});
}

}  // namespace petal::regtest
