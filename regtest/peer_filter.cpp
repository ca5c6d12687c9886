#include "regtest/peer_filter.h"

#include <algorithm>
#include <cassert>

#include "bloom/transaction_match.h"
#include "chain/byte_reader.h"
#include "net/wire/messages.h"

namespace petal::regtest {

FilterVerdict PeerFilter::load(chain::ByteView filterload_payload) {
    chain::ByteReader reader(filterload_payload);
    const chain::ByteView bytes = reader.read_var_view(chain::kMaxCompactSize);
    const std::uint32_t hash_functions = reader.read_u32();
    reader.read_u32();  // tweak
    reader.read_u8();   // flags
    if (!reader.ok()) return FilterVerdict::unreadable;
    if (bytes.size() > bloom::kMaxFilterBytes || hash_functions > bloom::kMaxHashFunctions) {
        return FilterVerdict::misbehaving;
    }

    // decode() refuses only filters that match everything here. Bytes after the flags are ignored.
    const auto consumed = filterload_payload.first(filterload_payload.size() - reader.remaining());
    auto filter = bloom::BloomFilter::decode(consumed);
    matches_everything_ = !filter.has_value();
    if (filter) {
        filter_ = *std::move(filter);
    } else {
        filter_.reset();
    }
    return FilterVerdict::accepted;
}

FilterVerdict PeerFilter::add(chain::ByteView element) {
    if (element.size() > net::kMaxFilterAddBytes || !is_loaded()) return FilterVerdict::misbehaving;
    if (filter_) filter_->insert(element);
    return FilterVerdict::accepted;
}

void PeerFilter::clear() {
    filter_.reset();
    matches_everything_ = false;
}

bool PeerFilter::match_and_update(const chain::Transaction& transaction, const chain::Txid& txid) {
    assert(is_loaded());
    return matches_everything_ || bloom::match_and_update(*filter_, transaction, txid).matched;
}

std::vector<bool> PeerFilter::match_and_update(const RegtestBlock& block) {
    std::vector<bool> matches(block.transactions.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
        matches[i] = match_and_update(block.transactions[i], block.txids[i]);
    }
    return matches;
}

}  // namespace petal::regtest
