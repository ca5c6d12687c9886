/// The client's exact copy of its filter at a server.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/transaction.h"

namespace petal::net {

/// Replays a server's insertions into a loaded filter (UPDATE_ALL: the outpoint of every output
/// that matches) from the transactions that it sends. So the client knows the exact false positive
/// rate of the server's filter, and notices transactions that the filter cannot have matched.
class Mirror {
public:
    explicit Mirror(bloom::BloomFilter loaded);

    struct Replay {
        /// False: the server's filter can't have matched this transaction.
        bool explained = false;
        std::vector<chain::Outpoint> inserted;
    };

    /// Updates the copy as the server updated its filter before it sent this transaction.
    /// Transactions of blocks must be passed in the order of the requests.
    Replay replay(const chain::Transaction& transaction, const chain::Txid& txid);

    /// The server was sent a `filteradd` of this outpoint.
    void on_added(const chain::Outpoint& outpoint);

    /// Notes that the server announced an unconfirmed transaction, which may have added outpoints
    /// to its filter. Any transaction may match by them, so every transaction counts as explained
    /// until the announced one is received. If more than `max` announcements are open at once,
    /// every transaction counts as explained from then on: an honest server must not be blamed for
    /// a forgotten announcement.
    /// is_by_this   whether the server is known to have matched it by this filter
    void on_announced(const chain::Txid& txid, bool is_by_this, std::size_t max);

    /// An announced transaction was received. Updates the copy, unless the server may have matched
    /// it by the previous filter: the copy must not hold more than the server's filter.
    void on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid);

    double false_positive_rate() const { return rate_; }
    /// The rate when the filter was loaded.
    double initial_false_positive_rate() const { return initial_rate_; }
    /// About how many more outpoints raise the filter to this rate.
    double room(double rate) const;
    /// The number of outpoints inserted since it was loaded.
    std::uint64_t insertions() const { return insertions_; }
    const bloom::BloomFilter& filter() const { return filter_; }
    /// A copy of the present filter.
    std::shared_ptr<const bloom::BloomFilter> snapshot();

private:
    void count_insertions(std::size_t outpoints);

    bloom::BloomFilter filter_;
    std::shared_ptr<const bloom::BloomFilter> snapshot_;  // equal to filter_, or null
    double initial_rate_;
    double rate_ = initial_rate_;  // asked for at every event
    std::uint64_t insertions_ = 0;
    std::unordered_map<chain::Txid, bool> announced_;  // and not received; whether by this filter
    bool explains_all_ = false;  // the server's filter may hold outpoints that are not known
};

}  // namespace petal::net
