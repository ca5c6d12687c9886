/// The client's exact copy of the filter that a server holds for it.
#pragma once

#include <cstdint>
#include <memory>
#include <unordered_set>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/transaction.h"

namespace petal::net {

/// Replays what a server does to its copy of a loaded filter (UPDATE_ALL inserts the outpoint of
/// every output that matches), from the transactions that it sends. So the client knows the
/// server's fill and false positive rate exactly, and notices transactions that the filter can't
/// have matched.
class Mirror {
public:
    explicit Mirror(bloom::BloomFilter loaded);

    struct Replay {
        /// False: the server's filter can't have matched this transaction.
        bool explained = false;
        std::vector<chain::Outpoint> inserted;
    };

    /// Does to the copy what the server did to its filter before it sent this transaction.
    /// Transactions of blocks come in the order of serving, which is the order of the requests.
    Replay replay(const chain::Transaction& transaction, const chain::Txid& txid);

    /// Takes what we had the server add.
    void on_added(const chain::Outpoint& outpoint);

    /// Notes that the server announced an unconfirmed transaction. Its outputs may be in the
    /// server's filter from then on though we never saw it, so that what spends them is explained.
    /// With more than `max` of them that were not seen, everything is from then on: an honest
    /// server must not be blamed for what is forgotten here.
    void on_announced(const chain::Txid& txid, std::size_t max);

    double false_positive_rate() const { return filter_.false_positive_rate(); }
    /// The rate when the filter was loaded.
    double initial_false_positive_rate() const { return initial_rate_; }
    /// About how many more outpoints bring it to this rate.
    double room(double rate) const;
    /// Outpoints that came to it since it was loaded.
    std::uint64_t insertions() const { return insertions_; }
    const bloom::BloomFilter& filter() const { return filter_; }
    /// The filter as it is now, for later.
    std::shared_ptr<const bloom::BloomFilter> snapshot();

private:
    bloom::BloomFilter filter_;
    std::shared_ptr<const bloom::BloomFilter> snapshot_;  // equal to filter_, or null
    double initial_rate_;
    std::uint64_t insertions_ = 0;
    std::unordered_set<chain::Txid> announced_;  // and not seen
    bool explains_all_ = false;
};

}  // namespace petal::net
