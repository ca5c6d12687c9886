#include "regtest/getdata_server.h"

#include <algorithm>
#include <span>
#include <utility>

#include "regtest/block_answer.h"

namespace petal::regtest {

namespace {

/// The blocks that a pruned node has at least (BIP159), and the older blocks that it serves because
/// the tip may just have changed (Bitcoin Core: ProcessGetBlockData).
constexpr std::uint32_t kPrunedBlocks = 288;
constexpr std::uint32_t kPrunedLeeway = 2;

/// A request for a compact block may be answered with a full block (BIP152). Bitcoin Core requests
/// a compact block as soon as it received `sendcmpct`, and waits for the answer.
bool wants_witnesses(const net::Inventory& entry) {
    return entry.type == net::InventoryType::witness_block ||
           entry.type == net::InventoryType::compact_block;
}

bool names_block(const net::Inventory& entry) {
    return entry.type == net::InventoryType::filtered_block ||
           entry.type == net::InventoryType::block || wants_witnesses(entry);
}

}  // namespace

bool names_transaction(const net::Inventory& entry) {
    return entry.type == net::InventoryType::tx || entry.type == net::InventoryType::wtx ||
           entry.type == net::InventoryType::witness_tx;
}

GetDataServer::GetDataServer(const RegtestChain& chain, const NodeBehaviour& behaviour)
    : chain_(chain),
      block_time_(behaviour.block_time),
      offers_bloom_((behaviour.services & net::kNodeBloom) != 0),
      is_pruned_((behaviour.services & net::kNodeNetwork) == 0),
      faults_(chain, behaviour.faults) {}

void GetDataServer::set_faults(const NodeBehaviour& behaviour) {
    block_time_ = behaviour.block_time;
    faults_.replace(behaviour.faults);
    is_stalled_ = false;
}

void GetDataServer::begin_work_at(std::chrono::milliseconds time) {
    work_since_ = std::max<std::chrono::microseconds>(work_since_, time);
}

void GetDataServer::begin(const net::GetData& request) {
    requests_ = request.entries;
    next_request_ = 0;
}

void GetDataServer::clear() {
    requests_.clear();
    next_request_ = 0;
    block_ready_.reset();
}

bool GetDataServer::is_at_work(std::chrono::milliseconds now) {
    const auto rest = std::span(requests_).subspan(next_request_);
    const auto block = std::ranges::find_if_not(rest, names_transaction);
    if (block == rest.end() || !names_block(*block)) return false;
    if (chain_.blocks().find({block->hash.bytes}) == nullptr) return false;
    if (!block_ready_) {
        block_ready_ = work_since_ + block_time_;
        if (const Fault* const pause = faults_.strike(FaultKind::pause)) {
            *block_ready_ += pause->duration;
        }
    }
    return now < *block_ready_;
}

std::optional<std::chrono::milliseconds> GetDataServer::ready_at() const {
    if (!block_ready_) return std::nullopt;
    return std::chrono::ceil<std::chrono::milliseconds>(*block_ready_);
}

/// Serves the transactions at the front of the queue, then at most one block. Entries that were not
/// found come last.
std::optional<std::string> GetDataServer::serve(PeerFilter& filter, const TransactionRelay& relay,
                                                MessageQueue& outbox, std::size_t max_bytes) {
    net::NotFound not_found;
    while (has_requests() && names_transaction(requests_[next_request_]) &&
           outbox.bytes() < max_bytes) {
        const net::Inventory& entry = requests_[next_request_++];
        if (!relay.keeps_state()) continue;
        auto transaction = relay.find(entry);
        if (!transaction) {
            not_found.entries.push_back(entry);
            continue;
        }
        const bool is_stripped = entry.type == net::InventoryType::tx;
        outbox.push(net::Tx{is_stripped ? without_witness(*std::move(transaction))
                                        : *std::move(transaction)});
    }
    std::optional<std::string> hang_up;
    if (has_requests() && outbox.bytes() < max_bytes) {
        const net::Inventory entry = requests_[next_request_++];
        if (block_ready_) work_since_ = *std::exchange(block_ready_, std::nullopt);
        if (names_block(entry)) {
            hang_up = serve_block(entry, filter, outbox);
            tell_of_tip_behind(entry, outbox);
        }
    }
    if (!not_found.entries.empty()) outbox.push(std::move(not_found));
    return hang_up;
}

std::optional<std::string> GetDataServer::serve_block(const net::Inventory& entry,
                                                      PeerFilter& filter, MessageQueue& outbox) {
    const bool is_filtered = entry.type == net::InventoryType::filtered_block;
    if (is_filtered && !offers_bloom_) {
        return "getdata of a filtered block without bloom filters being offered";
    }
    std::optional<std::string> hang_up;
    const auto* const found = chain_.blocks().find({entry.hash.bytes});
    if (found == nullptr || chain_.blocks().is_invalid(*found)) return hang_up;
    if (is_filtered && !filter.is_loaded()) return hang_up;
    if (is_pruned_ && chain_.height() > found->height + kPrunedBlocks + kPrunedLeeway) {
        return "getdata of a block below the last 288";
    }
    if (fail_instead(is_filtered ? net::MerkleBlock::kCommand : net::FullBlock::kCommand, outbox,
                     hang_up)) {
        return hang_up;
    }
    RegtestBlock block = found->block();
    block_bytes_read_ += chain::kHeaderBytes + found->transaction_bytes.size();
    if (is_filtered) {
        auto matches = filter.match_and_update(block);
        for (auto& message : make_filtered_answer(block, std::move(matches), faults_)) {
            outbox.push(std::move(message));
        }
    } else {
        outbox.push(make_full_answer(std::move(block), wants_witnesses(entry), faults_));
    }
    faults_.count_block();
    return hang_up;
}

void GetDataServer::tell_of_tip_behind(const net::Inventory& entry, MessageQueue& outbox) {
    if (!continued_behind_ || is_stalled_ || continued_behind_->bytes != entry.hash.bytes) return;
    continued_behind_.reset();
    outbox.push(net::Inv{{{net::InventoryType::block, {chain_.tip().bytes}}}});
}

/// Applies the faults that replace the whole block. Returns whether one occurred.
bool GetDataServer::fail_instead(std::string_view command, MessageQueue& outbox,
                                 std::optional<std::string>& hang_up) {
    if (faults_.strike(FaultKind::hang_up) != nullptr) {
        hang_up = "hangs up, as its behaviour says";
        return true;
    }
    if (faults_.strike(FaultKind::stall) != nullptr) {
        is_stalled_ = true;
        return true;
    }
    if (faults_.strike(FaultKind::garbage) != nullptr) {
        outbox.push(net::Unknown{std::string(command)});
        faults_.count_block();
        return true;
    }
    return false;
}

}  // namespace petal::regtest
