/// The watched elements and outpoints, for matching transactions exactly.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <unordered_set>

#include "bloom/transaction_match.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/sync/filters/filter_policy.h"

namespace petal::net {

/// A watch list as a set that matches transactions by the rules of a BIP37 filter with UPDATE_ALL.
/// Searching a full block with it gives the transactions of a filtered block, without the false
/// positives, or only with those of the base.
class WatchIndex {
public:
    /// elements   the watch list's (chain::Watcher)
    WatchIndex(std::span<const chain::Bytes> elements, const chain::WatchedOutpoints& outpoints);

    /// Adds an element, as in the watch list.
    void insert(chain::ByteView element) { watched_.emplace(element.begin(), element.end()); }
    void insert(const chain::Outpoint& outpoint) { insert(outpoint.serialize()); }

    /// Makes outputs that match the base count as watched, too. Filters that are loaded later then
    /// hold the same outpoints as after a filtered sync: the watcher's coins among false positives.
    void match_also(const FilterBase& base) { base_ = base.filter(); }

    /// Whether the element, or the outpoint's 36 bytes, is watched.
    bool contains(chain::ByteView bytes) const { return watched_.contains(bytes); }

    /// Whether an output of the transaction pushes a watched element, or an input spends a watched
    /// outpoint. The outpoints of such outputs are watched from then on, and returned.
    /// txid   the transaction's, computed once by the caller
    bloom::MatchResult match_and_update(const chain::Transaction& transaction,
                                        const chain::Txid& txid);

private:
    /// A sender of transactions can make neither elements nor outpoints collide at will: the
    /// first are the watcher's own, the second hashes.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(chain::ByteView bytes) const {
            return std::hash<std::string_view>()(
                {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(chain::ByteView left, chain::ByteView right) const;
    };

    bool is_watched(const chain::TxOutput& output) const;

    std::unordered_set<chain::Bytes, Hash, Equal> watched_;
    std::optional<bloom::BloomFilter> base_;
};

}  // namespace petal::net
