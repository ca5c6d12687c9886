#include "net/regtest/regtest_node.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "chain/merkle_proof.h"

namespace petal::net {
namespace {

using namespace std::chrono_literals;

// Bitcoin Core: node/protocol_version.h.
constexpr std::int32_t kOldestProtocol = 31'800;
constexpr std::int32_t kFeeFilterProtocol = 70'013;
constexpr std::int32_t kSendCompactProtocol = 70'014;
constexpr std::int32_t kNegotiationProtocol = 70'016;  // wtxidrelay, sendaddrv2

/// Bitcoin Core: net.h, DEFAULT_MAXSENDBUFFER and DEFAULT_MAXRECEIVEBUFFER. Above the first,
/// nothing more is answered; above the second, nothing more is read.
constexpr std::size_t kSendBufferBytes = 1'000'000;
constexpr std::size_t kReceiveBufferBytes = 5'000'000;

constexpr auto kHandshakeLimit = 60s;
constexpr auto kPingInterval = 2min;
constexpr auto kPongLimit = 20min;

/// Satoshi per 1,000 vB (Bitcoin Core: policy/policy.h, DEFAULT_MIN_RELAY_TX_FEE).
constexpr std::int64_t kMinRelayFee = 100;

bool names_transaction(const Inventory& entry) {
    return entry.type == InventoryType::tx || entry.type == InventoryType::wtx ||
           entry.type == InventoryType::witness_tx;
}

Tx without_witness(const chain::Transaction& transaction) {
    Tx message{transaction};
    for (auto& input : message.transaction.inputs) input.witness.clear();
    return message;
}

chain::PartialMerkleTree prove(const Block& block, const std::vector<bool>& matches) {
    if (std::ranges::find(matches, true) != matches.end()) {
        return chain::make_merkle_proof(block.txids, matches);
    }
    // The root alone, which the header has already.
    return {static_cast<std::uint32_t>(block.txids.size()), {block.header.merkle_root}, {0}};
}

}  // namespace

RegtestNode::RegtestNode(const RegtestChain& chain, NodeBehaviour behaviour, std::uint64_t nonce)
    : chain_(chain),
      behaviour_(std::move(behaviour)),
      nonce_(nonce),
      blocks_(chain),
      relay_(chain),
      faults_(behaviour_.faults) {}

void RegtestNode::on_message(const Message& message, std::chrono::milliseconds now) {
    advance(now);
    if (is_deaf()) return;
    inbox_.push(message);
    work();
}

void RegtestNode::on_undecodable(std::string_view command, chain::DecodeError error,
                                 std::chrono::milliseconds now) {
    advance(now);
    // Core reads such a list, counts, and punishes; whatever else it cannot read, it drops.
    const bool is_too_long = error == chain::DecodeError::too_large &&
                             (command == Inv::kCommand || command == GetData::kCommand ||
                              command == GetHeaders::kCommand || command == Headers::kCommand);
    const bool is_no_flag =
        error == chain::DecodeError::invalid_value && command == SendCompact::kCommand;
    if (is_connected_ && (is_too_long || is_no_flag)) {
        disconnect("misbehaving: " + std::string(command) + " beyond the protocol's limits");
    }
}

void RegtestNode::on_time(std::chrono::milliseconds now) {
    advance(now);
    if (is_deaf()) return;
    if (!is_connected_ && now_ - *started_ > kHandshakeLimit) {
        return disconnect("the handshake took too long");
    }
    send_pass();
    work();
}

void RegtestNode::advance(std::chrono::milliseconds now) {
    now_ = now;
    if (!started_) started_ = now;
}

std::vector<Message> RegtestNode::take_output(std::size_t max_bytes) {
    auto messages = outbox_.take(max_bytes);
    work();
    return messages;
}

bool RegtestNode::accepts_input() const {
    return inbox_.bytes() < kReceiveBufferBytes;
}

/// One thing at a time, as Core's message loop does: while a getdata is unfinished or the peer does
/// not read what it is sent, the next message stays where it is.
void RegtestNode::work() {
    while (!is_deaf() && outbox_.bytes() < kSendBufferBytes) {
        if (has_requests()) {
            serve_requests();
        } else if (!inbox_.empty()) {
            process(inbox_.pop_front());
        } else {
            return;
        }
        send_pass();
    }
}

/// Before the handshake is complete, only what belongs to it is looked at.
void RegtestNode::process(const Message& message) {
    const bool is_version = std::holds_alternative<Version>(message);
    const bool is_negotiation =
        std::holds_alternative<Verack>(message) || std::holds_alternative<SendHeaders>(message) ||
        std::holds_alternative<SendAddrV2>(message) || std::holds_alternative<WtxidRelay>(message);
    if (!peer_version_ && !is_version) return;
    if (!is_connected_ && !is_version && !is_negotiation) return;
    std::visit([this](const auto& value) { on(value); }, message);
}

void RegtestNode::disconnect(std::string reason) {
    disconnect_reason_ = std::move(reason);
    inbox_.clear();
    requests_.clear();
    next_request_ = 0;
}

void RegtestNode::on(const Version& message) {
    if (peer_version_) return;
    if (message.protocol < kOldestProtocol) return disconnect("the peer's version is obsolete");
    if (message.nonce == nonce_ && nonce_ != 0) return disconnect("connected to itself");
    peer_version_ = message;
    // Without NODE_BLOOM a peer that wants no transactions can never ask for any.
    keeps_relay_state_ = message.relay || offers_bloom();
    relay_.enable(message.relay);

    Version own;
    own.services = behaviour_.services;
    own.time = chain_.block_at(chain_.height()).header.time;
    own.nonce = nonce_;
    own.user_agent = behaviour_.user_agent;
    own.start_height = static_cast<std::int32_t>(chain_.height());
    send(own);
    if (message.protocol >= kNegotiationProtocol) {
        send(WtxidRelay{});
        send(SendAddrV2{});
    }
    send(Verack{});
}

void RegtestNode::on(const Verack&) {
    if (is_connected_) return;
    is_connected_ = true;
    relay_.start();
    if (peer_version_->protocol >= kSendCompactProtocol) send(SendCompact{});
    send_ping();
    if (peer_version_->protocol >= kFeeFilterProtocol) send(FeeFilter{kMinRelayFee});
}

void RegtestNode::on(const SendHeaders&) {
    blocks_.prefer_headers();
}

void RegtestNode::on(const SendAddrV2&) {
    if (is_connected_) disconnect("sendaddrv2 after verack");
}

void RegtestNode::on(const WtxidRelay&) {
    if (is_connected_) return disconnect("wtxidrelay after verack");
    if (peer_version_->protocol >= kNegotiationProtocol) relay_.use_wtxids();
}

void RegtestNode::on(const Ping& message) {
    send(Pong{message.nonce});
}

/// Core takes a nonce of zero for an answer too; any other wrong one it ignores.
void RegtestNode::on(const Pong& message) {
    if (awaited_pong_ == message.nonce || message.nonce == 0) awaited_pong_.reset();
}

void RegtestNode::on(const Inv& message) {
    if (message.entries.size() > kMaxInventoryEntries) return disconnect("misbehaving: long inv");
    for (const auto& entry : message.entries) relay_.mark_known(entry);
}

void RegtestNode::on(const GetData& message) {
    if (message.entries.size() > kMaxInventoryEntries) {
        return disconnect("misbehaving: long getdata");
    }
    requests_ = message.entries;
    next_request_ = 0;
}

void RegtestNode::on(const GetHeaders& message) {
    if (message.locator.size() > kMaxLocatorEntries) return disconnect("a locator is too long");
    if (auto answer = blocks_.answer(message)) send(*std::move(answer));
}

void RegtestNode::on(const Headers& message) {
    if (message.headers.size() > kMaxHeadersPerMessage) disconnect("misbehaving: long headers");
}

void RegtestNode::on(const FilterLoad& message) {
    if (refuses_bloom(FilterLoad::kCommand)) return;
    const FilterVerdict verdict = filter_.load(message.payload);
    if (verdict == FilterVerdict::accepted) relay_.enable(true);
    if (verdict == FilterVerdict::misbehaving) disconnect("misbehaving: too large a bloom filter");
}

void RegtestNode::on(const FilterAdd& message) {
    if (refuses_bloom(FilterAdd::kCommand)) return;
    if (filter_.add(message.element) == FilterVerdict::misbehaving) {
        disconnect("misbehaving: bad filteradd message");
    }
}

void RegtestNode::on(const FilterClear&) {
    if (refuses_bloom(FilterClear::kCommand)) return;
    filter_.clear();
    relay_.enable(true);
}

void RegtestNode::on(const Mempool&) {
    if (!refuses_bloom(Mempool::kCommand)) relay_.request_mempool();
}

void RegtestNode::on(const FeeFilter& message) {
    relay_.set_fee_filter(message.fee_rate);
}

bool RegtestNode::refuses_bloom(std::string_view command) {
    if (offers_bloom()) return false;
    disconnect(std::string(command) + " without bloom filters being offered");
    return true;
}

/// The transactions at the front of the queue, then at most one block, then what was not found
/// (Bitcoin Core: ProcessGetData).
void RegtestNode::serve_requests() {
    NotFound not_found;
    while (has_requests() && names_transaction(requests_[next_request_]) &&
           outbox_.bytes() < kSendBufferBytes) {
        const Inventory& entry = requests_[next_request_++];
        if (keeps_relay_state_ && !serve_transaction(entry)) not_found.entries.push_back(entry);
    }
    if (has_requests() && outbox_.bytes() < kSendBufferBytes) {
        const Inventory entry = requests_[next_request_++];
        if (entry.type == InventoryType::filtered_block) serve_filtered_block(entry);
    }
    if (!not_found.entries.empty()) send(std::move(not_found));
}

bool RegtestNode::serve_transaction(const Inventory& entry) {
    const chain::Transaction* const transaction = relay_.find(entry);
    if (transaction == nullptr) return false;
    send(entry.type == InventoryType::tx ? without_witness(*transaction) : Tx{*transaction});
    return true;
}

void RegtestNode::serve_filtered_block(const Inventory& entry) {
    if (refuses_bloom("getdata of a filtered block")) return;
    const Block* const block = chain_.find({entry.hash.bytes});
    if (block == nullptr || !filter_.is_loaded()) return;
    if (fail_instead()) return;
    send_filtered_block(*block, filter_.match_and_update(*block));
    ++blocks_served_;
}

/// The faults that leave nothing of a filtered block. Returns whether one struck.
bool RegtestNode::fail_instead() {
    if (faults_.strike(FaultKind::hang_up, blocks_served_)) {
        disconnect("hangs up, as its behaviour says");
        return true;
    }
    if (faults_.strike(FaultKind::stall, blocks_served_)) {
        is_stalled_ = true;
        return true;
    }
    if (faults_.strike(FaultKind::garbage, blocks_served_)) {
        send(Unknown{std::string(MerkleBlock::kCommand)});
        ++blocks_served_;
        return true;
    }
    return false;
}

void RegtestNode::send_filtered_block(const Block& block, std::vector<bool> matches) {
    const auto omitted = strike_a_match(FaultKind::omit_match, block, matches);
    if (omitted) matches[*omitted] = false;
    const auto withheld = strike_a_match(FaultKind::withhold_transaction, block, matches);

    MerkleBlock message{block.header, prove(block, matches)};
    if (faults_.strike(FaultKind::corrupt_proof, blocks_served_)) {
        message.tree.hashes.front().bytes.front() ^= 1;
    }
    send(std::move(message));
    for (std::size_t i = 0; i < matches.size(); ++i) {
        if (matches[i] && i != withheld) send(without_witness(block.transactions[i]));
    }

    const auto unmatched = std::ranges::find(matches, false);
    if (unmatched == matches.end() || !faults_.strike(FaultKind::send_unmatched, blocks_served_)) {
        return;
    }
    const auto position = static_cast<std::size_t>(unmatched - matches.begin());
    send(without_witness(block.transactions[position]));
}

/// Which of a block's matches a fault of this kind strikes; none where none is due.
std::optional<std::size_t> RegtestNode::strike_a_match(FaultKind kind, const Block& block,
                                                       const std::vector<bool>& matches) {
    if (faults_.empty()) return std::nullopt;
    for (std::size_t i = 0; i < matches.size(); ++i) {
        if (matches[i] && faults_.strike(kind, blocks_served_, block.txids[i])) return i;
    }
    return std::nullopt;
}

/// What the node sends of its own accord (Bitcoin Core: SendMessages).
void RegtestNode::send_pass() {
    if (is_deaf() || !is_connected_) return;
    keep_alive();
    if (auto announcement = blocks_.announce()) send(*std::move(announcement));
    if (keeps_relay_state_) trickle();
}

void RegtestNode::keep_alive() {
    if (now_ - ping_sent_ > kPongLimit && awaited_pong_) {
        disconnect("a ping was not answered");
    } else if (now_ - ping_sent_ > kPingInterval && !awaited_pong_) {
        send_ping();
    }
}

void RegtestNode::send_ping() {
    ping_sent_ = now_;
    awaited_pong_ = nonce_ + ++pings_sent_;
    send(Ping{*awaited_pong_});
}

void RegtestNode::trickle() {
    if (now_ < next_trickle_) return;
    next_trickle_ = now_ + behaviour_.trickle;
    if (!relay_.is_due()) return;
    for (auto& message : relay_.trickle(filter_)) send(std::move(message));
}

}  // namespace petal::net
