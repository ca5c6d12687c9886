#include "net/sync/peers/sync_peer.h"

#include <algorithm>

#include "chain/transaction_rules.h"
#include "net/peer/received_message.h"

namespace petal::net {

namespace {

// Honest nodes rarely differ by more blocks.
constexpr std::uint32_t kUnsettledBlocks = 6;

}  // namespace

// With witnesses, without which a transaction's signatures can't be verified, nor can it be
// announced again.
GetData TxRequests::request(std::span<const chain::Txid> txids, std::size_t max_open,
                            bool with_witnesses) {
    const auto type = with_witnesses ? InventoryType::witness_tx : InventoryType::tx;
    GetData wanted;
    for (const chain::Txid& txid : txids) {
        if (requested_.size() >= max_open) break;
        if (!requested_.insert(txid).second) continue;
        wanted.entries.push_back({type, chain::Hash256{txid.bytes}});
    }
    due_ += wanted.entries.size();
    return wanted;
}

bool TxRequests::take_request(const chain::Txid& txid) {
    const bool was_open = requested_.erase(txid) > 0;
    answered_ += was_open ? 1 : 0;
    return was_open;
}

void TxRequests::on_not_found(const NotFound& message) {
    for (const Inventory& entry : message.entries) {
        if (take_request(chain::Txid{entry.hash.bytes})) on_decoded();
    }
}

bool TxRequests::expects(std::size_t payload_bytes, std::size_t missing_in_block) const {
    if (due_ == 0) return false;
    // Transactions of a filtered block are sent without witnesses, so this limit applies.
    if (missing_in_block > 0) return payload_bytes <= chain::kMaxStrippedBytes;
    // Each byte weighs at least one unit.
    return !requested_.empty() && payload_bytes <= chain::kMaxRelayedWeight;
}

// A peer that has no more headers may lack our last blocks: the locator names older ones, too.
// Until it has answered, it is taken to be on our chain, except for the last blocks that it claims.
std::uint32_t SyncPeer::last_known_block(const chain::HeaderChain& best) const {
    if (chain.is_on_branch(best)) return chain.shown_height;
    const auto claimed = static_cast<std::uint32_t>(std::max(connection.claims().height, 0));
    const std::uint32_t settled = claimed - std::min(claimed, kUnsettledBlocks);
    const std::uint32_t known =
        std::max({chain.shown_height, settled, std::min(claimed, chain.ended_height)});
    return std::min(known, best.tip().height);
}

std::uint32_t SyncPeer::first_block() const {
    if (!connection.version() || !is_pruned(connection.version()->services)) return 0;
    const std::uint32_t last = std::max(chain.claimed_height, chain.shown_height);
    return last + 1 - std::min(kPrunedBlocks, last + 1);
}

bool SyncPeer::owes_older_block() const {
    return blocks.in_flight() > 0 && is_too_old(blocks.requests().front());
}

chain::Expected<bool, Violation> SyncPeer::expects(const Frame& frame) const {
    if (!is_ready()) return is_of_handshake(frame.command);
    if (frame.command == CFilter::kCommand) return blocks.requests().expects_compact_filter();
    if (frame.command == CFHeaders::kCommand) return !filter_hashes.open.empty();
    if (is_of_block_filters(frame.command)) return false;
    if (frame.command == Tx::kCommand) {
        return transactions.expects(frame.payload.size(), blocks.missing_transactions());
    }
    if (frame.command != FullBlock::kCommand) return true;
    const auto hash = hash_of_block_payload(frame.payload);
    if (!hash || blocks.requests().expects_full_block(*hash)) return true;
    return chain::Unexpected(Violation{DisconnectReason::unrequested, hash->to_hex()});
}

}  // namespace petal::net
