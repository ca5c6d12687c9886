/// The watched elements and outpoints, for matching transactions exactly.
#pragma once

#include <algorithm>
#include <bitset>
#include <boost/unordered/unordered_flat_set.hpp>
#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

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
    void insert(chain::ByteView element);
    void insert(const chain::Outpoint& outpoint) { outpoints_.insert(outpoint); }

    /// Makes outputs that match the base count as watched, too. Filters that are loaded later then
    /// hold the same outpoints as after a filtered sync: the watcher's coins among false positives.
    void match_also(const FilterBase& base) { base_ = base.filter(); }

    /// Whether the element, or the outpoint's 36 bytes, is watched.
    bool contains(chain::ByteView bytes) const;

    /// Whether an output of the transaction pushes a watched element, or an input spends a watched
    /// outpoint. The outpoints of such outputs are watched from then on, and returned.
    /// txid   the transaction's, computed once by the caller
    bloom::MatchResult match_and_update(const chain::TransactionView& transaction,
                                        const chain::Txid& txid);

private:
    /// A sender of transactions cannot make elements collide, as they are the watcher's own.
    struct Hash {
        using is_transparent = void;
        std::size_t operator()(chain::ByteView bytes) const {
            return std::hash<std::string_view>()(
                {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
        }
    };
    struct Equal {
        using is_transparent = void;
        bool operator()(chain::ByteView left, chain::ByteView right) const {
            return std::ranges::equal(left, right);
        }
    };

    // Pushes in scripts are of few sizes, and elements of even fewer: most pushes are not hashed.
    static constexpr std::size_t kSizes = 128;
    static std::size_t size_class(chain::ByteView bytes) {
        return std::min(bytes.size(), kSizes - 1);
    }

    bool is_watched(chain::ByteView script_pubkey) const;
    bool is_watched_output(chain::ByteView push) const {
        return contains(push) || (base_ && base_->contains(push));
    }

    boost::unordered_flat_set<chain::Bytes, Hash, Equal> elements_;
    std::bitset<kSizes> element_sizes_;
    boost::unordered_flat_set<chain::Outpoint, std::hash<chain::Outpoint>> outpoints_;
    std::optional<bloom::BloomFilter> base_;
};

}  // namespace petal::net
