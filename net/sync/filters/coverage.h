/// The blocks that were searched without outpoints that were found too late for them.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <unordered_set>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/transaction.h"
#include "net/sync/filters/height_ranges.h"

namespace petal::net {

/// Several servers search blocks at the same time. An outpoint that one of them finds low in the
/// chain was missing in the filters with which other servers searched higher blocks. Coverage
/// records which outpoints each such block was searched without: the block may hide a spend of
/// them. All other blocks are covered.
///
/// A mark counts the outpoints found. The server of a block that is requested at a mark has all
/// outpoints up to this mark in its filter. So the delivery covers the block for these outpoints,
/// also if an earlier search of the block lacked some of them.
class Coverage {
public:
    using Mark = std::uint64_t;

    /// The mark of all outpoints found so far.
    Mark mark() const { return mark_; }

    /// An outpoint was found in the block at this height, and is in all filters from now on;
    /// `missed` are the higher blocks that were served, or are being served, without it.
    void add_found(const chain::Outpoint& outpoint, std::uint32_t height,
                   const HeightRanges& missed);

    /// These blocks must be searched again, as their server is not to be relied on.
    void distrust(const HeightRanges& blocks);

    /// Takes back distrust().
    void trust(const HeightRanges& blocks) { doubtful_.remove(blocks); }

    /// A block was delivered that was requested at this mark.
    void on_served(std::uint32_t height, Mark asked_at);
    /// The block of the best chain at this height spends this outpoint, so no other block does. The
    /// blocks that were searched without it are remembered until forget_spent(): if that block is
    /// undone, a lower one may spend the outpoint.
    void on_spent(const chain::Outpoint& outpoint, std::uint32_t height);
    /// No reorganisation reaches the blocks below this height.
    void forget_spent(std::uint32_t height);
    /// Drops the records for blocks above this height, and the spends in them.
    void drop_above(std::uint32_t height);
    /// Forgets the outpoints found in blocks up to this height that are not in `relevant`.
    void keep_only(const std::unordered_set<chain::Outpoint>& relevant, std::uint32_t height);

    bool empty() const { return missed_.empty() && doubtful_.empty(); }
    /// All blocks that must be searched again.
    HeightRanges open() const;

    void write(chain::ByteWriter& writer) const;
    /// Reads the format of write(); blocks requested from now on count as requested after it. On
    /// failure the reader holds the error.
    /// with_spent   false for bytes of an older version, which forgot them
    static Coverage read(chain::ByteReader& reader, bool with_spent = true);

private:
    struct Missed {
        Mark mark = 0;
        std::uint32_t found_at = 0;  // height
        HeightRanges blocks;
        std::uint32_t spent_at = 0;  // height; 0 in missed_
    };
    using Records = std::unordered_map<chain::Outpoint, Missed>;

    void return_spent(Records::iterator record);
    static void move_record(Records& from, Records::iterator record, Records& to);
    template <class Change>
    void for_each_record(Change change);
    static void write_record(chain::ByteWriter& writer, const chain::Outpoint& outpoint,
                             const Missed& missed);
    Records read_records(chain::ByteReader& reader, bool are_spent);

    Mark mark_ = 0;
    Records missed_;
    Records spent_;                     // of outpoints that are spent, so that no block is open
    std::uint32_t highest_missed_ = 0;  // no height above is in either
    HeightRanges doubtful_;
    Mark doubtful_since_ = 0;
};

}  // namespace petal::net
