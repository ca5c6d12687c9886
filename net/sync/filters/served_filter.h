/// The filter that a peer serves by, as it changes in the stream of requests.
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

/// A server works its filters and requests off in the order in which it gets them: what was
/// requested before a change of the filter is still served without it.
class ServedFilter {
public:
    /// Which filter serves a request: noted when the request is sent.
    struct Mark {
        std::uint64_t changes = 0;  ///< that were sent before it
        std::uint64_t loads = 0;
    };

    /// A new filter was sent in place of any before.
    void load(bloom::BloomFilter filter);
    /// The peer was told to add an outpoint; there must be a filter.
    void add(const chain::Outpoint& outpoint);
    Mark mark() const { return {changes_, loads_}; }
    /// The next request that is served was sent at this mark; nothing where none is open.
    void follow_to(const std::optional<Mark>& next);

    /// The filter that the next request is served with; only where follow_to() came to one.
    Mirror& in_use() { return *mirror_; }
    /// The filter that was loaded last, as the peer has it now; null before one was loaded.
    const Mirror* latest() const;
    /// The peer announced an unconfirmed transaction, and may have updated its filter by it.
    /// max   how many are remembered that were not seen (Mirror::on_announced)
    void on_announced(const chain::Txid& txid, std::size_t max);
    /// Takes an unconfirmed transaction, by which the peer has updated its filter.
    void on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid);

private:
    struct Change {
        std::uint64_t number = 0;
        std::variant<Mirror, chain::Outpoint> what;
    };

    std::optional<Mirror> mirror_;
    std::deque<Change> coming_;  // sent behind open requests
    std::uint64_t changes_ = 0;  // ever sent
    std::uint64_t loads_ = 0;
};

/// How many outpoints a block brings into a peer's filter: as many as of late, or over some
/// thousand blocks where that is more; before so many came, rather too many.
class InsertionRate {
public:
    void on_added() { ++added_; }
    void on_block(std::size_t inserted);
    double per_block() const { return std::max(lately_, before_); }

private:
    /// Before any came: rather many, or the first answers could fill the filter before any count;
    /// but a request must be long enough to keep the peer at work.
    static constexpr double kFirstGuess = 0.25;

    std::size_t added_ = 0;  // since the last block
    double lately_ = kFirstGuess;
    double before_ = kFirstGuess;
};

}  // namespace petal::net
