/// What is watched, for matching transactions exactly.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string_view>
#include <unordered_set>

#include "bloom/transaction_match.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/sync/filters/filter_policy.h"

namespace petal::net {

/// A watch list as a set, which matches transactions by the rules of a BIP37 filter whose flags are
/// UPDATE_ALL: so a block searched by it yields what a filtered block yields, without the false
/// positives, or with those of the base alone.
class WatchIndex {
public:
    explicit WatchIndex(const chain::WatchList& watched);

    /// Watches an element more, as in WatchList.
    void insert(chain::ByteView element) { watched_.emplace(element.begin(), element.end()); }
    void insert(const chain::Outpoint& outpoint) { insert(outpoint.serialize()); }

    /// Counts outputs that match the base as watched, too. Filters that are loaded later then hold
    /// what they would hold had the blocks been filtered: the watcher's coins among strangers'.
    void match_also(const FilterBase& base) { base_ = base.filter(); }

    /// Whether the element, or the outpoint's 36 bytes, is watched.
    bool contains(chain::ByteView bytes) const { return watched_.contains(bytes); }

    std::size_t size() const { return watched_.size(); }

    /// Whether the transaction concerns what is watched: an output pushes an element, or an input
    /// spends an outpoint. The outpoints of such outputs are watched from then on, and returned.
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
    bool contains_a_push(chain::ByteView script) const;
    bool contains_an_input(const chain::Transaction& transaction) const;

    std::unordered_set<chain::Bytes, Hash, Equal> watched_;
    std::optional<bloom::BloomFilter> base_;
};

}  // namespace petal::net
