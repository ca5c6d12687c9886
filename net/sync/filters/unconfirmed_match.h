/// One unconfirmed transaction that matched, and whether a block has confirmed it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/bytes.h"
#include "chain/transaction.h"
#include "net/sync/filters/matched_output.h"

namespace petal::net {

/// Whether a block has confirmed a transaction, or a conflicting one.
enum class Resolution : std::uint8_t { open, confirmed, impossible };

/// The number of a network group: the first bytes of its hash.
using NetGroupId = std::uint64_t;
NetGroupId net_group_id(chain::ByteView network_group);

/// A transaction as UnconfirmedMatches tracks it.
struct UnconfirmedMatch {
    std::int64_t seen = 0;  ///< 0 if seen only in blocks, until it is open
    NetGroupId network_group = 0;
    std::vector<chain::Outpoint> inputs;
    std::vector<MatchedOutput> coins;  ///< by index
    std::uint32_t bytes = 0;           ///< 0 until a peer shows it unconfirmed
    Resolution resolution = Resolution::open;
    std::uint32_t decided_at = 0;     ///< the height of the block that did; 0 while open
    bool is_shown = true;             ///< to the watcher
    bool is_judged = false;           ///< also after a restart: the watcher may have forgotten it
    std::vector<NetGroupId> senders;  ///< of its versions since the last restart

    UnconfirmedMatch() = default;
    /// coins   its outputs that match
    UnconfirmedMatch(const chain::Transaction& transaction, std::vector<MatchedOutput> coins);

    std::size_t size() const { return inputs.size() + coins.size(); }
    /// The outpoints that it spends, and the outpoints of its coins.
    std::vector<chain::Outpoint> outpoints() const;
    /// Whether no block has confirmed it or a conflicting transaction.
    bool is_open() const { return resolution == Resolution::open; }
    bool is_in_filters() const { return resolution != Resolution::confirmed; }
    /// Whether only blocks that left the chain had it. A peer may have made them up.
    bool is_undone() const { return is_open() && bytes == 0; }
    /// Whether it is open, and not all of its inputs were verified.
    bool is_unjudged() const { return is_open() && !is_judged; }
    /// Whether UnconfirmedMatches::add() accepts another version of it from this network group.
    bool may_come_again_from(NetGroupId group) const;

    void write(chain::ByteWriter& writer) const;
    /// Reads the format of write(). On failure the reader holds the error.
    /// max_outpoints   of the inputs, and of the coins
    /// with_outputs    false for bytes of an older version, which had only outpoints
    static UnconfirmedMatch read(chain::ByteReader& reader, std::size_t max_outpoints,
                                 bool with_outputs);
    /// The fewest bytes that write() writes.
    static constexpr std::size_t kLeastBytes = 8 + 8 + 1 + 1 + 1 + 4;
};

}  // namespace petal::net
