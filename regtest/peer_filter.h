/// The serving node's side of a peer's filter.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "regtest/chain/regtest_block.h"

namespace petal::regtest {

/// A node's verdict on a filter message.
enum class FilterVerdict : std::uint8_t {
    accepted,
    unreadable,   ///< dropped without a word
    misbehaving,  ///< ends the connection
};

/// A peer's filter, with Bitcoin Core's checks (net_processing.cpp; common/bloom.cpp). Filters that
/// match everything (no bytes, no hash functions, every bit set) are accepted.
class PeerFilter {
public:
    /// Replaces the filter by a filterload message's, if that is accepted.
    FilterVerdict load(chain::ByteView filterload_payload);
    FilterVerdict add(chain::ByteView element);
    void clear();

    bool is_loaded() const { return matches_everything_ || filter_.has_value(); }
    /// Empty if none is loaded, or if it matches everything.
    const std::optional<bloom::BloomFilter>& filter() const { return filter_; }

    /// Tests a transaction, and updates the filter as its flags say. One must be loaded.
    bool match_and_update(const chain::Transaction& transaction, const chain::Txid& txid);
    /// match_and_update() for each of a block's transactions, in order.
    std::vector<bool> match_and_update(const RegtestBlock& block);

private:
    std::optional<bloom::BloomFilter> filter_;
    bool matches_everything_ = false;
};

}  // namespace petal::regtest
