#include "net/regtest/regtest_node.h"

#include <algorithm>
#include <utility>

namespace petal::net {
namespace {

/// Bitcoin Core: net.h, DEFAULT_MAXSENDBUFFER and DEFAULT_MAXRECEIVEBUFFER. Above the first,
/// nothing more is answered; above the second, nothing more is read.
constexpr std::size_t kSendBufferBytes = 1'000'000;
constexpr std::size_t kReceiveBufferBytes = 5'000'000;

bool offers_bloom(const NodeBehaviour& behaviour) {
    return (behaviour.services & kNodeBloom) != 0;
}

/// Why such a message ends the connection, whatever else it says; nothing where it does not.
std::optional<std::string> objection_to(const Message& message, const NodeBehaviour& behaviour) {
    const std::string_view command = command_of(message);
    const bool is_about_filters = command == FilterLoad::kCommand ||
                                  command == FilterAdd::kCommand ||
                                  command == FilterClear::kCommand || command == Mempool::kCommand;
    if (is_about_filters && !offers_bloom(behaviour)) {
        return std::string(command) + " without bloom filters being offered";
    }
    const auto* const inv = std::get_if<Inv>(&message);
    const auto* const getdata = std::get_if<GetData>(&message);
    const auto* const getheaders = std::get_if<GetHeaders>(&message);
    const auto* const getblocks = std::get_if<GetBlocks>(&message);
    const auto* const headers = std::get_if<Headers>(&message);
    const bool is_too_long = (inv && inv->entries.size() > kMaxInventoryEntries) ||
                             (getdata && getdata->entries.size() > kMaxInventoryEntries) ||
                             (headers && headers->headers.size() > kMaxHeadersPerMessage);
    if (is_too_long) return "misbehaving: long " + std::string(command);
    if ((getheaders && getheaders->locator.size() > kMaxLocatorEntries) ||
        (getblocks && getblocks->locator.size() > kMaxLocatorEntries)) {
        return "a locator is too long";
    }
    const bool has_transactions = std::holds_alternative<Tx>(message) ||
                                  (inv && std::ranges::any_of(inv->entries, names_transaction));
    if (has_transactions && !behaviour.takes_transactions) {
        return "a transaction to a node that takes none";
    }
    return std::nullopt;
}

/// A visitor made of functions.
template <typename... Functions>
struct Visitor : Functions... {
    using Functions::operator()...;
};
template <typename... Functions>
Visitor(Functions...) -> Visitor<Functions...>;

}  // namespace

RegtestNode::RegtestNode(const RegtestChain& chain, NodeBehaviour behaviour, std::uint64_t nonce)
    : chain_(chain),
      behaviour_(std::move(behaviour)),
      peer_(nonce),
      blocks_(chain),
      relay_(chain),
      collector_(chain),
      message_faults_(behaviour_),
      requests_(chain, behaviour_) {}

void RegtestNode::greet(std::chrono::milliseconds now) {
    advance(now);
    if (!is_deaf()) peer_.greet(own_version(), outbox_);
}

void RegtestNode::set_faults(const NodeBehaviour& behaviour) {
    requests_.set_faults(behaviour);
    message_faults_ = MessageFaults(behaviour);
}

void RegtestNode::on_message(const Message& message, std::chrono::milliseconds now) {
    advance(now);
    if (is_deaf()) return;
    if (message_faults_.hangs_up()) return disconnect("hangs up, as its behaviour says");
    inbox_.push(message, now_);
    work();
    message_faults_.count_message();
}

void RegtestNode::on_undecodable(std::string_view command, chain::DecodeError error,
                                 std::chrono::milliseconds now) {
    advance(now);
    // Core reads such a list, counts, and punishes; whatever else it cannot read, it drops.
    const bool is_too_long = error == chain::DecodeError::too_large &&
                             (command == Inv::kCommand || command == GetData::kCommand ||
                              command == GetHeaders::kCommand || command == GetBlocks::kCommand ||
                              command == Headers::kCommand);
    const bool is_no_flag =
        error == chain::DecodeError::invalid_value && command == SendCompact::kCommand;
    if (peer_.is_connected() && (is_too_long || is_no_flag)) {
        disconnect("misbehaving: " + std::string(command) + " beyond the protocol's limits");
    }
}

void RegtestNode::on_time(std::chrono::milliseconds now) {
    advance(now);
    if (is_deaf()) return;
    if (peer_.is_late(now_)) return disconnect("the handshake took too long");
    send_pass();
    work();
}

void RegtestNode::advance(std::chrono::milliseconds now) {
    now_ = now;
    peer_.note_start(now);
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
        if (requests_.has_requests()) {
            if (requests_.is_at_work(now_)) return;
            disconnect(requests_.serve(filter_, relay_, outbox_, kSendBufferBytes));
        } else if (!inbox_.empty() && inbox_.front_time() + behaviour_.lag <= now_) {
            requests_.note_request_at(inbox_.front_time() + behaviour_.lag);
            process(inbox_.pop_front());
        } else {
            return;
        }
        send_pass();
    }
}

std::optional<std::chrono::milliseconds> RegtestNode::next_deadline() const {
    if (is_deaf()) return std::nullopt;
    if (const auto ready_at = requests_.ready_at()) return ready_at;
    if (!inbox_.empty()) return inbox_.front_time() + behaviour_.lag;
    return std::nullopt;
}

/// The way of each message to the part that it concerns.
void RegtestNode::process(const Message& message) {
    if (!peer_.accepts(message)) return;
    if (auto objection = objection_to(message, behaviour_)) return disconnect(std::move(objection));
    const Visitor take{
        [&](const Version& version) { on(version); },
        [&](const Verack&) { on_verack(); },
        [&](const WtxidRelay& wish) { on(wish); },
        [&](const Inv& announcement) { on(announcement); },
        [&](const Tx& tx) { on(tx); },
        [&](const FilterLoad& loaded) { on(loaded); },
        [&](const Ping& ping) { send(Pong{ping.nonce}); },
        [&](const Pong& pong) { peer_.on(pong); },
        [&](const SendAddrV2& wish) { disconnect(peer_.on(wish)); },
        [&](const GetAddr&) { peer_.on_getaddr(behaviour_, outbox_); },
        [&](const SendHeaders&) { blocks_.prefer_headers(); },
        [&](const GetHeaders& request) {
            if (auto answer = blocks_.answer(request)) send(*std::move(answer));
        },
        [&](const GetBlocks& request) { on(request); },
        [&](const GetData& request) { requests_.begin(request); },
        [&](const Headers& headers) { disconnect(collector_.take(headers)); },
        [&](const FullBlock& block) {
            collector_.take(block, now_);
            blocks_.note_block_of_peer(block.block.header.hash());
        },
        [&](const NotFound& missing) {
            collector_.take(missing);
            intake_.take(missing);
        },
        [&](const FilterAdd& added) {
            if (filter_.add(added.element) != FilterVerdict::misbehaving) return;
            disconnect("misbehaving: bad filteradd message");
        },
        [&](const FilterClear&) {
            filter_.clear();
            relay_.enable(true);
        },
        [&](const Mempool&) { relay_.request_mempool(); },
        [&](const FeeFilter& least) { relay_.set_fee_filter(least.fee_rate); },
        [](const auto&) {}  // what a light client does not send, or does not need answered
    };
    std::visit(take, message);
}

void RegtestNode::disconnect(std::optional<std::string> reason) {
    if (!reason) return;
    disconnect_reason_ = std::move(reason);
    inbox_.clear();
    requests_.clear();
}

void RegtestNode::on(const Version& message) {
    if (peer_.version()) return;
    if (auto objection = peer_.on(message, own_version(), outbox_)) {
        return disconnect(std::move(objection));
    }
    // Without NODE_BLOOM a peer that wants no transactions can never ask for any.
    if (!message.relay && !offers_bloom(behaviour_)) relay_.keep_no_state();
    relay_.enable(message.relay);
    if ((message.services & kNodeWitness) != 0) intake_.ask_for_witnesses();
}

Version RegtestNode::own_version() const {
    Version own;
    own.services = behaviour_.services;
    own.time = chain_.block_at(chain_.height()).header.time;
    own.user_agent = behaviour_.user_agent;
    own.start_height = static_cast<std::int32_t>(chain_.height());
    own.relay = behaviour_.takes_transactions;
    return own;
}

void RegtestNode::on_verack() {
    if (peer_.is_connected()) return;
    relay_.start();
    peer_.on_verack(behaviour_, now_, outbox_);
    const bool serves_blocks =
        (peer_.version()->services & (kNodeNetwork | kNodeNetworkLimited)) != 0;
    if (!serves_blocks) return;
    send(SendHeaders{});
    collector_.ask_for_headers();
}

void RegtestNode::on(const WtxidRelay& message) {
    if (auto objection = peer_.on(message)) return disconnect(std::move(objection));
    if (!peer_.uses_wtxids()) return;
    relay_.use_wtxids();
    intake_.use_wtxids();
}

void RegtestNode::on(const Inv& message) {
    for (const auto& entry : message.entries) relay_.mark_known(entry);
    collector_.take(message);
    auto wanted = intake_.request(message, [this](const auto& entry) { return relay_.has(entry); });
    if (!wanted.entries.empty()) send(std::move(wanted));
}

void RegtestNode::on(const GetBlocks& request) {
    Inv answer = blocks_.answer(request);
    if (answer.entries.empty()) return;
    if (answer.entries.size() == BlockAnnouncer::kMaxBlocksPerAnswer) {
        requests_.continue_behind({answer.entries.back().hash.bytes});
    }
    send(std::move(answer));
}

void RegtestNode::on(const Tx& message) {
    relay_.mark_known({InventoryType::tx, {message.transaction.txid().bytes}});
    relay_.mark_known({InventoryType::wtx, {message.transaction.wtxid().bytes}});
    intake_.take(message.transaction);
}

void RegtestNode::on(const FilterLoad& message) {
    const FilterVerdict verdict = filter_.load(message.payload);
    if (verdict == FilterVerdict::accepted) relay_.enable(true);
    if (verdict == FilterVerdict::misbehaving) disconnect("misbehaving: too large a bloom filter");
}

/// What the node sends of its own accord (Bitcoin Core: SendMessages).
void RegtestNode::send_pass() {
    if (is_deaf() || !peer_.is_connected()) return;
    disconnect(peer_.keep_alive(now_, outbox_));
    for (auto& request : collector_.requests(now_)) send(std::move(request));
    // What came behind an unfinished getdata has come.
    const bool is_late = inbox_.empty() && collector_.is_late(now_);
    if (is_late) return disconnect("a block that was asked for did not come");
    if (auto announcement = blocks_.announce()) send(*std::move(announcement));
    if (!relay_.begin_trickle(now_, behaviour_.trickle)) return;
    for (auto& message : relay_.trickle(filter_)) send(std::move(message));
}

}  // namespace petal::net
