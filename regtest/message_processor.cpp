#include "regtest/message_processor.h"

#include <algorithm>
#include <string_view>
#include <utility>
#include <variant>

namespace petal::regtest {
namespace {

bool offers_bloom(const NodeBehaviour& behaviour) {
    return (behaviour.services & net::kNodeBloom) != 0;
}

/// Why a message of this type ends the connection, whatever its content. Empty if it does not.
std::optional<std::string> objection_to(const net::Message& message,
                                        const NodeBehaviour& behaviour) {
    const std::string_view command = command_of(message);
    const bool is_about_filters =
        command == net::FilterLoad::kCommand || command == net::FilterAdd::kCommand ||
        command == net::FilterClear::kCommand || command == net::Mempool::kCommand;
    if (is_about_filters && !offers_bloom(behaviour)) {
        return std::string(command) + " without bloom filters being offered";
    }
    const auto* const inv = std::get_if<net::Inv>(&message);
    const auto* const getdata = std::get_if<net::GetData>(&message);
    const auto* const getheaders = std::get_if<net::GetHeaders>(&message);
    const auto* const getblocks = std::get_if<net::GetBlocks>(&message);
    const auto* const headers = std::get_if<net::Headers>(&message);
    const bool is_too_long =
        (inv && inv->entries.size() > net::kMaxInventoryEntries) ||
        (getdata && getdata->entries.size() > net::kMaxInventoryEntries) ||
        (headers && headers->headers.size() > behaviour.limits.headers_per_message);
    if (is_too_long) return "misbehaving: long " + std::string(command);
    if ((getheaders && getheaders->locator.size() > net::kMaxLocatorEntries) ||
        (getblocks && getblocks->locator.size() > net::kMaxLocatorEntries)) {
        return "a locator is too long";
    }
    const bool has_transactions = std::holds_alternative<net::Tx>(message) ||
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
      blocks_(chain, behaviour_.forks_after, behaviour_.limits.headers_per_message),
      relay_(chain),
      intake_(orphans),
      collector_(chain, behaviour_.limits.headers_per_message),
      requests_(chain, behaviour_),
      compact_filters_(chain, behaviour_) {}

MessageProcessor::Complaint MessageProcessor::process(const net::Message& message,
                                                      Milliseconds now) {
    if (!peer_.accepts(message)) return std::nullopt;
    if (auto objection = objection_to(message, behaviour_)) return objection;
    Complaint complaint;
    const Visitor take{
        [&](const net::Version& version) { complaint = on(version); },
        [&](const net::Verack&) { on_verack(now); },
        [&](const net::WtxidRelay& wish) { complaint = on(wish); },
        [&](const net::Inv& announcement) { on(announcement, now); },
        [&](const net::Tx& tx) { on(tx); },
        [&](const net::FilterLoad& loaded) { complaint = on(loaded); },
        [&](const net::Ping& ping) { send(net::Pong{ping.nonce}); },
        [&](const net::Pong& pong) { peer_.on(pong, now); },
        [&](const net::SendAddrV2& wish) { complaint = peer_.on(wish); },
        [&](const net::GetAddr&) { peer_.on_getaddr(behaviour_, outbox_); },
        [&](const net::SendCompact& wish) {
            constexpr std::uint64_t kWithWitnesses = 2;
            if (wish.version == kWithWitnesses) wants_compact_blocks_ = wish.high_bandwidth;
        },
        [&](const net::SendHeaders&) { blocks_.prefer_headers(); },
        [&](const net::GetHeaders& request) {
            if (auto answer = blocks_.answer(request)) send(*std::move(answer));
        },
        [&](const net::GetBlocks& request) { on(request); },
        [&](const net::GetData& request) { requests_.begin(request); },
        [&](const net::GetCFilters& request) { complaint = compact_filters_.begin(request); },
        [&](const net::GetCFHeaders& request) { complaint = compact_filters_.begin(request); },
        [&](const net::GetCFCheckpt& request) { complaint = compact_filters_.begin(request); },
        [&](const net::Headers& headers) { complaint = collector_.take(headers); },
        [&](const net::FullBlock& block) {
            collector_.take(block, now);
            blocks_.set_block_of_peer(block.block.hash());
        },
        [&](const net::NotFound& missing) {
            collector_.take(missing);
            intake_.take(missing);
        },
        [&](const net::FilterAdd& added) {
            if (filter_.add(added.element) != FilterVerdict::misbehaving) return;
            complaint = "misbehaving: bad filteradd message";
        },
        [&](const net::FilterClear&) {
            filter_.clear();
            relay_.enable(true);
        },
        [&](const net::Mempool&) { relay_.request_mempool(); },
        [&](const net::FeeFilter& least) { relay_.set_fee_filter(least.fee_rate); },
        [](const auto&) {}  // not sent by light clients, or needs no answer
    };
    std::visit(take, message);
    return complaint;
}

MessageProcessor::Complaint MessageProcessor::on(const net::Version& message) {
    if (peer_.version()) return std::nullopt;
    if (auto complaint = peer_.on(message, own_version(), outbox_)) return complaint;
    // Without NODE_BLOOM, a peer that does not want transactions can never request them later.
    if (!message.relay && !offers_bloom(behaviour_)) relay_.keep_no_state();
    relay_.enable(message.relay);
    if ((message.services & net::kNodeWitness) != 0) intake_.ask_for_witnesses();
    return std::nullopt;
}

net::Version MessageProcessor::own_version() const {
    net::Version own;
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
        (peer_.version()->services & (net::kNodeNetwork | net::kNodeNetworkLimited)) != 0;
    if (!serves_blocks) return;
    send(net::SendHeaders{});
    collector_.ask_for_headers();
}

MessageProcessor::Complaint MessageProcessor::on(const net::WtxidRelay& message) {
    if (auto complaint = peer_.on(message)) return complaint;
    if (!peer_.uses_wtxids()) return std::nullopt;
    relay_.use_wtxids();
    intake_.use_wtxids();
    return std::nullopt;
}

void MessageProcessor::on(const net::Inv& message, Milliseconds now) {
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

void MessageProcessor::on(const net::GetBlocks& request) {
    net::Inv answer = blocks_.answer(request);
    if (answer.entries.empty()) return;
    if (answer.entries.size() == BlockAnnouncer::kMaxBlocksPerAnswer) {
        requests_.continue_behind({answer.entries.back().hash.bytes});
    }
    send(std::move(answer));
}

void MessageProcessor::on(const net::Tx& message) {
    relay_.mark_known({net::InventoryType::tx, {message.transaction.txid().bytes}});
    relay_.mark_known({net::InventoryType::wtx, {message.transaction.wtxid().bytes}});
    intake_.take(message.transaction);
}

MessageProcessor::Complaint MessageProcessor::on(const net::FilterLoad& message) {
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
    // Checked only if no message waits behind an unfinished getdata.
    const bool is_late = is_all_processed && collector_.is_late(now);
    if (is_late) return "a block that was asked for did not come";
    if (auto announcement = blocks_.announce()) send(*std::move(announcement));
    if (!relay_.begin_trickle(now, behaviour_.trickle)) return complaint;
    for (auto& message : relay_.trickle(filter_)) send(std::move(message));
    return complaint;
}

}  // namespace petal::regtest
