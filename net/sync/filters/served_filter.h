/// The filter by which a peer serves requests, as it changes within their stream.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <optional>
#include <variant>

#include "bloom/bloom_filter.h"
#include "chain/transaction.h"
#include "net/sync/filters/mirror.h"

namespace petal::net {

/// A server handles filter messages and requests in the order in which it receives them: a request
/// sent before a filter change is still served by the old filter.
class ServedFilter {
public:
    /// Identifies the filter that serves a request; taken when the request is sent.
    struct Mark {
        std::uint64_t changes = 0;  ///< that were sent before it
        std::uint64_t loads = 0;
    };

    /// A `filterload` was sent.
    void load(bloom::BloomFilter filter);
    /// The server has handled the last `filterload`.
    void confirm() { is_confirmed_ = true; }
    /// A `filteradd` was sent; a filter must be loaded.
    void add(const chain::Outpoint& outpoint);
    Mark mark() const { return {changes_, loads_}; }
    /// The next request to be served was sent at this mark; empty if none is open.
    void follow_to(const std::optional<Mark>& next);

    /// The filter by which the next request is served; only valid once follow_to() has reached one.
    Mirror& in_use() { return *mirror_; }
    /// The last filter that was sent; null if none was.
    const Mirror* latest() const;
    /// The peer announced an unconfirmed transaction, and may have updated its filter by it.
    /// max   the maximum number of announced but not received transactions that are remembered
    ///       (Mirror::on_announced)
    void on_announced(const chain::Txid& txid, std::size_t max);
    /// An unconfirmed transaction was received, by which the peer may have updated its filter.
    void on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid);

private:
    struct Change {
        std::uint64_t number = 0;
        std::variant<Mirror, chain::Outpoint> what;
    };

    std::optional<Mirror> mirror_;
    std::deque<Change> coming_;  // sent after open requests
    std::uint64_t changes_ = 0;  // ever sent
    std::uint64_t loads_ = 0;
    bool is_confirmed_ = false;
};

/// Estimates how many outpoints a block inserts into a peer's filter: the greater of two moving
/// averages, one over the last blocks and one over some thousand; at first rather too high than too
/// low.
class InsertionRate {
public:
    void on_added() { ++added_; }
    void on_block(std::size_t inserted);
    double per_block() const { return std::max(lately_, before_); }

private:
    /// The estimate before any block: high, or the first blocks could saturate the filter before
    /// they are counted; but not so high that too few blocks are requested to keep the peer busy.
    static constexpr double kFirstGuess = 0.25;

    std::size_t added_ = 0;  // since the last block
    double lately_ = kFirstGuess;
    double before_ = kFirstGuess;
};

}  // namespace petal::net
