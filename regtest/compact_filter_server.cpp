#include "regtest/compact_filter_server.h"

#include <algorithm>
#include <limits>
#include <string_view>
#include <utility>

namespace petal::regtest {
namespace {

/// The false filter: it matches nothing, so that it hides what the block has.
const chain::Bytes& empty_filter() {
    static const chain::Bytes filter{0};
    return filter;
}

}  // namespace

CompactFilterServer::CompactFilterServer(const RegtestChain& chain, const NodeBehaviour& behaviour)
    : chain_(chain),
      is_offered_((behaviour.services & net::kNodeCompactFilters) != 0),
      faults_(behaviour.faults) {}

void CompactFilterServer::set_faults(const NodeBehaviour& behaviour) {
    faults_ = behaviour.faults;
    false_headers_.clear();
}

CompactFilterServer::Complaint CompactFilterServer::begin(const net::GetCFilters& request) {
    return begin(Answer::filters, request.type, request.start_height, request.stop,
                 net::kMaxFiltersPerRequest);
}

CompactFilterServer::Complaint CompactFilterServer::begin(const net::GetCFHeaders& request) {
    return begin(Answer::hashes, request.type, request.start_height, request.stop,
                 net::kMaxFilterHashesPerMessage);
}

CompactFilterServer::Complaint CompactFilterServer::begin(const net::GetCFCheckpt& request) {
    return begin(Answer::checkpoints, request.type, 0, request.stop,
                 std::numeric_limits<std::uint32_t>::max());
}

/// Bitcoin Core: PrepareBlockFilterRequest. A block that was never on the active chain has no
/// filter there.
CompactFilterServer::Complaint CompactFilterServer::begin(Answer answer, net::BlockFilterType type,
                                                          std::uint32_t start_height,
                                                          const chain::BlockHash& stop,
                                                          std::uint32_t max_blocks) {
    if (!is_offered_) return "a request for block filters, which are not offered";
    if (type != net::BlockFilterType::basic) return "a request for an unsupported filter type";
    const Block* const found = chain_.blocks().find(stop);
    if (found == nullptr || !found->was_connected || chain_.blocks().is_invalid(*found)) {
        return "a request for the block filters up to an unknown block";
    }
    if (start_height > found->height) {
        return "a request for the block filters from a height above the stop block";
    }
    if (found->height - start_height >= max_blocks) return "a request for too many block filters";
    answer_ = answer;
    stop_ = found;
    uncomputed_ = chain_.filters().missing(*found);
    const bool is_all = answer != Answer::checkpoints;
    for (const Block* block = found; block != nullptr && block->height >= start_height;
         block = block->parent) {
        const bool is_checkpoint =
            block->height > 0 && block->height % net::kFilterCheckpointInterval == 0;
        if (is_all || is_checkpoint) blocks_.push_back(block);
    }
    return std::nullopt;
}

void CompactFilterServer::clear() {
    stop_ = nullptr;
    uncomputed_.clear();
    blocks_.clear();
}

std::size_t CompactFilterServer::serve(MessageQueue& outbox) {
    if (!uncomputed_.empty()) {
        const Block& block = *uncomputed_.back();
        uncomputed_.pop_back();
        chain_.filters().record(block);
        return block.transaction_bytes.size();
    }
    const std::size_t before = outbox.bytes();
    if (answer_ == Answer::filters) {
        serve_filter(outbox);
        if (!blocks_.empty()) return outbox.bytes() - before;
    } else if (answer_ == Answer::hashes) {
        outbox.push(filter_hashes());
    } else {
        outbox.push(checkpoints());
    }
    clear();
    return outbox.bytes() - before;
}

void CompactFilterServer::serve_filter(MessageQueue& outbox) {
    const Block& block = *blocks_.back();
    blocks_.pop_back();
    if (lies(FaultKind::withhold_filter, block)) return;
    const bool is_false = lies(FaultKind::wrong_filter, block);
    outbox.push(net::CFilter{net::BlockFilterType::basic, block.hash,
                             is_false ? empty_filter() : chain_.filters().record(block).filter});
}

net::CFHeaders CompactFilterServer::filter_hashes() {
    net::CFHeaders message{net::BlockFilterType::basic, stop_->hash, {}, {}};
    if (const Block* const before = blocks_.back()->parent) {
        message.previous = claimed_header(*before);
    }
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        message.hashes.push_back(claimed_hash(**block));
    }
    return message;
}

net::CFCheckpt CompactFilterServer::checkpoints() {
    net::CFCheckpt message{net::BlockFilterType::basic, stop_->hash, {}};
    for (auto block = blocks_.rbegin(); block != blocks_.rend(); ++block) {
        auto header = claimed_header(**block);
        if (lies(FaultKind::wrong_filter_checkpoint, **block)) header.bytes.front() ^= 1;
        message.headers.push_back(header);
    }
    return message;
}

bool CompactFilterServer::lies(FaultKind kind, const Block& block) const {
    return std::ranges::any_of(faults_, [&](const Fault& fault) {
        return fault.kind == kind && block.height >= fault.after_blocks &&
               block.height - fault.after_blocks < fault.times;
    });
}

chain::FilterHash CompactFilterServer::claimed_hash(const Block& block) const {
    const bool is_false = lies(FaultKind::wrong_filter_header, block);
    return chain::hash_filter(is_false ? empty_filter() : chain_.filters().record(block).filter);
}

/// The filter header that commits to the claimed hashes of the block and its ancestors.
chain::FilterHeader CompactFilterServer::claimed_header(const Block& block) {
    std::optional<std::uint32_t> first_lie;
    for (const Fault& fault : faults_) {
        if (fault.kind != FaultKind::wrong_filter_header) continue;
        first_lie = std::min(first_lie.value_or(fault.after_blocks), fault.after_blocks);
    }
    if (!first_lie || block.height < *first_lie) return chain_.filters().record(block).header;

    std::vector<const Block*> unknown;
    const Block* at = &block;
    for (; at != nullptr && at->height >= *first_lie && !false_headers_.contains(at);
         at = at->parent) {
        unknown.push_back(at);
    }
    chain::FilterHeader header;
    if (at != nullptr) {
        const auto known = false_headers_.find(at);
        header =
            known == false_headers_.end() ? chain_.filters().record(*at).header : known->second;
    }
    for (auto next = unknown.rbegin(); next != unknown.rend(); ++next) {
        header = chain::next_filter_header(claimed_hash(**next), header);
        false_headers_.emplace(*next, header);
    }
    return header;
}

}  // namespace petal::regtest
