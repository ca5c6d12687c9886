#include "net/regtest/message_processor.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

namespace petal::net {
namespace {

bool offers_bloom(const NodeBehaviour& behaviour) {
    return (behaviour.services & kNodeBloom) != 0;
}

/// Why such a message ends the connection, whatever its content; empty if it does not.
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

MessageProcessor::MessageProcessor(const RegtestChain& chain, NodeBehaviour behaviour,
                                   std::uint64_t nonce, OrphansOfPeer orphans)
    : chain_(chain),
      behaviour_(std::move(behaviour)),
      peer_(nonce),
      blocks_(chain, behaviour_.forks_after),
      relay_(chain),
      intake_(orphans),
      collector_(chain),
      requests_(chain, behaviour_) {}

MessageProcessor::Complaint MessageProcessor::process(const Message& message, Milliseconds now) {
    if (!peer_.accepts(message)) return std::nullopt;
    if (auto objection = objection_to(message, behaviour_)) return objection;
    Complaint complaint;
    const Visitor take{
        [&](const Version& version) { complaint = on(version); },
        [&](const Verack&) { on_verack(now); },
        [&](const WtxidRelay& wish) { complaint = on(wish); },
        [&](const Inv& announcement) { on(announcement, now); },
        [&](const Tx& tx) { on(tx); },
        [&](const FilterLoad& loaded) { complaint = on(loaded); },
        [&](const Ping& ping) { send(Pong{ping.nonce}); },
        [&](const Pong& pong) { peer_.on(pong, now); },
        [&](const SendAddrV2& wish) { complaint = peer_.on(wish); },
        [&](const GetAddr&) { peer_.on_getaddr(behaviour_, outbox_); },
        [&](const SendCompact& wish) {
            constexpr std::uint64_t kWithWitnesses = 2;
            if (wish.version == kWithWitnesses) wants_compact_blocks_ = wish.high_bandwidth;
        },
        [&](const SendHeaders&) { blocks_.prefer_headers(); },
        [&](const GetHeaders& request) {
            if (auto answer = blocks_.answer(request)) send(*std::move(answer));
        },
        [&](const GetBlocks& request) { on(request); },
        [&](const GetData& request) { requests_.begin(request); },
        [&](const Headers& headers) { complaint = collector_.take(headers); },
        [&](const FullBlock& block) {
            collector_.take(block, now);
            blocks_.note_block_of_peer(block.block.header.hash());
        },
        [&](const NotFound& missing) {
            collector_.take(missing);
            intake_.take(missing);
        },
        [&](const FilterAdd& added) {
            if (filter_.add(added.element) != FilterVerdict::misbehaving) return;
            complaint = "misbehaving: bad filteradd message";
        },
        [&](const FilterClear&) {
            filter_.clear();
            relay_.enable(true);
        },
        [&](const Mempool&) { relay_.request_mempool(); },
        [&](const FeeFilter& least) { relay_.set_fee_filter(least.fee_rate); },
        [](const auto&) {}  // not sent by light clients, or needs no answer
    };
    std::visit(take, message);
    return complaint;
}

MessageProcessor::Complaint MessageProcessor::on(const Version& message) {
    if (peer_.version()) return std::nullopt;
    if (auto complaint = peer_.on(message, own_version(), outbox_)) return complaint;
    // Without NODE_BLOOM a peer that does not want transactions can never request any.
    if (!message.relay && !offers_bloom(behaviour_)) relay_.keep_no_state();
    relay_.enable(message.relay);
    if ((message.services & kNodeWitness) != 0) intake_.ask_for_witnesses();
    return std::nullopt;
}

Version MessageProcessor::own_version() const {
    Version own;
    own.services = behaviour_.services;
    own.time = chain_.blocks().tip().header.time;
    own.user_agent = behaviour_.user_agent;
    own.start_height = static_cast<std::int32_t>(chain_.height());
    own.relay = behaviour_.takes_transactions;
    return own;
}

void MessageProcessor::on_verack(Milliseconds now) {
    if (peer_.is_connected()) return;
    relay_.start();
    peer_.on_verack(behaviour_, now, outbox_);
    const bool serves_blocks =
        (peer_.version()->services & (kNodeNetwork | kNodeNetworkLimited)) != 0;
    if (!serves_blocks) return;
    send(SendHeaders{});
    collector_.ask_for_headers();
}

MessageProcessor::Complaint MessageProcessor::on(const WtxidRelay& message) {
    if (auto complaint = peer_.on(message)) return complaint;
    if (!peer_.uses_wtxids()) return std::nullopt;
    relay_.use_wtxids();
    intake_.use_wtxids();
    return std::nullopt;
}

void MessageProcessor::on(const Inv& message, Milliseconds now) {
    for (const auto& entry : message.entries) relay_.mark_known(entry);
    collector_.take(message);
    auto wanted = intake_.request(
        message, [this](const auto& entry) { return relay_.has(entry); }, now);
    if (!wanted.entries.empty()) send(std::move(wanted));
}

void MessageProcessor::request_parents(std::span<const chain::Txid> txids, Milliseconds now) {
    auto wanted = intake_.request_parents(
        txids, [this](const auto& entry) { return relay_.has(entry); }, now);
    if (!wanted.entries.empty()) send(std::move(wanted));
}

void MessageProcessor::on(const GetBlocks& request) {
    Inv answer = blocks_.answer(request);
    if (answer.entries.empty()) return;
    if (answer.entries.size() == BlockAnnouncer::kMaxBlocksPerAnswer) {
        requests_.continue_behind({answer.entries.back().hash.bytes});
    }
    send(std::move(answer));
}

void MessageProcessor::on(const Tx& message) {
    relay_.mark_known({InventoryType::tx, {message.transaction.txid().bytes}});
    relay_.mark_known({InventoryType::wtx, {message.transaction.wtxid().bytes}});
    intake_.take(message.transaction);
}

MessageProcessor::Complaint MessageProcessor::on(const FilterLoad& message) {
    const FilterVerdict verdict = filter_.load(message.payload);
    if (verdict == FilterVerdict::accepted) relay_.enable(true);
    if (verdict != FilterVerdict::misbehaving) return std::nullopt;
    return "misbehaving: too large a bloom filter";
}

void MessageProcessor::describe_peer(PeerRecord& record, Milliseconds now) const {
    record.version = peer_.version();
    record.relay.is_on = peer_.is_connected() && relay_.is_enabled();
    record.relay.fee_filter = relay_.fee_filter();
    record.relay.last_inv_sequence = relay_.last_trickle();
    record.relay.waiting_announcements = relay_.waiting_announcements();
    record.blocks.wants_compact = wants_compact_blocks_;
    record.pings = peer_.pings(now);
    record.blocks.requested_heights = collector_.requested_heights();
    if (const auto* const known = collector_.best_known()) {
        record.blocks.known_height = known->height;
        record.blocks.common_height = chain_.blocks().fork_point(*known).height;
    }
}

MessageProcessor::Complaint MessageProcessor::send_pass(bool is_all_processed, Milliseconds now) {
    if (!peer_.is_connected()) return std::nullopt;
    auto complaint = peer_.keep_alive(now, outbox_);
    for (auto& request : collector_.requests(now)) send(std::move(request));
    // All messages after an unfinished getdata were processed.
    const bool is_late = is_all_processed && collector_.is_late(now);
    if (is_late) return "a block that was asked for did not come";
    if (auto announcement = blocks_.announce()) send(*std::move(announcement));
    if (!relay_.begin_trickle(now, behaviour_.trickle)) return complaint;
    for (auto& message : relay_.trickle(filter_)) send(std::move(message));
    return complaint;
}

}  // namespace petal::net
