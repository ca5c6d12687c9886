#include "net/regtest/regtest_node.h"

#include <algorithm>
#include <span>
#include <utility>

#include "net/regtest/block_answer.h"

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

bool names_transaction(const Inventory& entry) {
    return entry.type == InventoryType::tx || entry.type == InventoryType::wtx ||
           entry.type == InventoryType::witness_tx;
}

bool names_block(const Inventory& entry) {
    return entry.type == InventoryType::filtered_block || entry.type == InventoryType::block ||
           entry.type == InventoryType::witness_block;
}

}  // namespace

RegtestNode::RegtestNode(const RegtestChain& chain, NodeBehaviour behaviour, std::uint64_t nonce)
    : chain_(chain),
      behaviour_(std::move(behaviour)),
      nonce_(nonce),
      blocks_(chain),
      relay_(chain),
      faults_(chain, behaviour_.faults) {}

void RegtestNode::on_message(const Message& message, std::chrono::milliseconds now) {
    advance(now);
    if (is_deaf()) return;
    inbox_.push(message, now_);
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
            if (is_at_work_on_a_block()) return;
            serve_requests();
        } else if (!inbox_.empty() && inbox_.front_time() + behaviour_.lag <= now_) {
            work_since_ = std::max<std::chrono::microseconds>(work_since_,
                                                              inbox_.front_time() + behaviour_.lag);
            process(inbox_.pop_front());
        } else {
            return;
        }
        send_pass();
    }
}

/// Whether the block that is to be sent next is not ready yet. Begins it, if that was not done.
bool RegtestNode::is_at_work_on_a_block() {
    const auto rest = std::span(requests_).subspan(next_request_);
    const auto block = std::ranges::find_if_not(rest, names_transaction);
    if (block == rest.end() || !names_block(*block)) return false;
    if (chain_.find({block->hash.bytes}) == nullptr) return false;
    if (!block_ready_) {
        block_ready_ = work_since_ + behaviour_.block_time;
        if (const Fault* const pause = faults_.strike(FaultKind::pause)) {
            *block_ready_ += pause->duration;
        }
    }
    return now_ < *block_ready_;
}

std::optional<std::chrono::milliseconds> RegtestNode::next_deadline() const {
    if (is_deaf()) return std::nullopt;
    if (block_ready_) return std::chrono::ceil<std::chrono::milliseconds>(*block_ready_);
    if (!inbox_.empty()) return inbox_.front_time() + behaviour_.lag;
    return std::nullopt;
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
    block_ready_.reset();
}

void RegtestNode::on(const Version& message) {
    if (peer_version_) return;
    if (message.protocol < kOldestProtocol) return disconnect("the peer's version is obsolete");
    if (message.nonce == nonce_ && nonce_ != 0) return disconnect("connected to itself");
    peer_version_ = message;
    // Without NODE_BLOOM a peer that wants no transactions can never ask for any.
    keeps_relay_state_ = message.relay || offers_bloom();
    relay_.enable(message.relay);
    if ((message.services & kNodeWitness) != 0) intake_.ask_for_witnesses();

    Version own;
    own.services = behaviour_.services;
    own.time = chain_.block_at(chain_.height()).header.time;
    own.nonce = nonce_;
    own.user_agent = behaviour_.user_agent;
    own.start_height = static_cast<std::int32_t>(chain_.height());
    own.relay = behaviour_.takes_transactions;
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
    if (peer_version_->protocol >= kFeeFilterProtocol) send(FeeFilter{behaviour_.least_fee_rate});
}

void RegtestNode::on(const SendHeaders&) {
    blocks_.prefer_headers();
}

void RegtestNode::on(const SendAddrV2&) {
    if (is_connected_) return disconnect("sendaddrv2 after verack");
    takes_addrv2_ = true;
}

void RegtestNode::on(const GetAddr&) {
    if (std::exchange(told_addresses_, true) || behaviour_.addresses.empty()) return;
    if (takes_addrv2_) {
        send(AddrV2{behaviour_.addresses});
    } else {
        send(Addr{behaviour_.addresses});
    }
}

void RegtestNode::on(const WtxidRelay&) {
    if (is_connected_) return disconnect("wtxidrelay after verack");
    if (peer_version_->protocol < kNegotiationProtocol) return;
    relay_.use_wtxids();
    intake_.use_wtxids();
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
    if (std::ranges::any_of(message.entries, names_transaction) && refuses_transactions()) return;
    for (const auto& entry : message.entries) relay_.mark_known(entry);
    auto wanted = intake_.request(message, [this](const auto& entry) { return relay_.has(entry); });
    if (!wanted.entries.empty()) send(std::move(wanted));
}

void RegtestNode::on(const Tx& message) {
    if (refuses_transactions()) return;
    relay_.mark_known({InventoryType::tx, {message.transaction.txid().bytes}});
    relay_.mark_known({InventoryType::wtx, {message.transaction.wtxid().bytes}});
    intake_.take(message.transaction);
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

bool RegtestNode::refuses_transactions() {
    if (behaviour_.takes_transactions) return false;
    disconnect("a transaction to a node that takes none");
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
        if (block_ready_) work_since_ = *std::exchange(block_ready_, std::nullopt);
        if (names_block(entry)) serve_block(entry);
    }
    if (!not_found.entries.empty()) send(std::move(not_found));
}

bool RegtestNode::serve_transaction(const Inventory& entry) {
    const chain::Transaction* const transaction = relay_.find(entry);
    if (transaction == nullptr) return false;
    const bool is_stripped = entry.type == InventoryType::tx;
    send(Tx{is_stripped ? without_witness(*transaction) : *transaction});
    return true;
}

void RegtestNode::serve_block(const Inventory& entry) {
    const bool is_filtered = entry.type == InventoryType::filtered_block;
    if (is_filtered && refuses_bloom("getdata of a filtered block")) return;
    const Block* const block = chain_.find({entry.hash.bytes});
    if (block == nullptr || (is_filtered && !filter_.is_loaded())) return;
    if (fail_instead(is_filtered ? MerkleBlock::kCommand : FullBlock::kCommand)) return;
    if (is_filtered) {
        auto matches = filter_.match_and_update(*block);
        for (auto& message : make_filtered_answer(*block, std::move(matches), faults_)) {
            send(std::move(message));
        }
    } else {
        send(make_whole_answer(*block, entry.type == InventoryType::witness_block, faults_));
    }
    faults_.count_block();
}

/// The faults that leave nothing of a block. Returns whether one struck.
bool RegtestNode::fail_instead(std::string_view command) {
    if (faults_.strike(FaultKind::hang_up) != nullptr) {
        disconnect("hangs up, as its behaviour says");
        return true;
    }
    if (faults_.strike(FaultKind::stall) != nullptr) {
        is_stalled_ = true;
        return true;
    }
    if (faults_.strike(FaultKind::garbage) != nullptr) {
        send(Unknown{std::string(command)});
        faults_.count_block();
        return true;
    }
    return false;
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
