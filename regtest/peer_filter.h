/// A peer's filter on the serving node.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "regtest/chain/regtest_block.h"

namespace petal::regtest {

/// The verdict on a filter message.
enum class FilterVerdict : std::uint8_t {
    accepted,
    unreadable,   ///< dropped silently
    misbehaving,  ///< the peer is disconnected
};

/// A peer's filter, with Bitcoin Core's checks (net_processing.cpp, common/bloom.cpp). Filters that
/// match everything are accepted: filters without bytes or hash functions, or with all bits set.
class PeerFilter {
public:
    /// Replaces the filter by the filter of a filterload message, if the verdict is `accepted`.
    FilterVerdict load(chain::ByteView filterload_payload);
    FilterVerdict add(chain::ByteView element);
    void clear();

    bool is_loaded() const { return matches_everything_ || filter_.has_value(); }
    /// Empty if no filter is loaded, or if the filter matches everything.
    const std::optional<bloom::BloomFilter>& filter() const { return filter_; }

    /// Tests a transaction, and updates the filter according to its flags. A filter must be loaded.
    bool match_and_update(const chain::Transaction& transaction, const chain::Txid& txid);
    /// match_and_update() for each transaction of a block, in order.
    std::vector<bool> match_and_update(const RegtestBlock& block);

private:
    std::optional<bloom::BloomFilter> filter_;
    bool matches_everything_ = false;
};

}  // namespace petal::regtest
