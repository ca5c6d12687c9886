#include "net/sync/sync_peer.h"

#include "chain/transaction_rules.h"

namespace petal::net {

// With witnesses, without which a transaction's signatures can't be judged, nor can it be announced
// again.
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

bool TxRequests::expects(std::size_t payload_bytes, std::size_t missing_in_block) const {
    if (due_ == 0) return false;
    // Those of a filtered block come without witnesses, which alone make more of a block.
    if (missing_in_block > 0) return payload_bytes <= chain::kMaxStrippedBytes;
    // Each byte weighs at least one.
    return !requested_.empty() && payload_bytes <= chain::kMaxRelayedWeight;
}

}  // namespace petal::net
