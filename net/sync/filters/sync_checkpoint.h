/// The sync engine's state that the watcher stores with each batch of blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chain/block_header.h"
#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"
#include "net/sync/filters/coverage.h"
#include "net/sync/filters/matched_outpoints.h"
#include "net/sync/filters/unconfirmed_matches.h"

namespace petal::net {

/// Survives restarts, so that the next server gets the same filter as the last.
struct SyncCheckpoint {
    double rate = 0;  ///< of this watcher's filters
    /// A block locator of the last applied block (newest first, ever sparser), by which the fork
    /// point is found if the stored headers are lost.
    std::vector<chain::BlockHash> locator;
    MatchedOutpoints outpoints;
    UnconfirmedMatches unconfirmed;
    /// The last applied block, and the outpoints that blocks below it were searched without
    /// (`coverage`). The watcher counts as synced up to `covered` only.
    std::optional<chain::BlockRef> applied;
    std::optional<chain::BlockRef> covered;
    Coverage coverage;
    /// The number of elements in the watch list at that time.
    std::uint64_t watched_elements = 0;
    /// The lowest block that was searched for the watch list, but not for false positives of the
    /// filters' base. Empty if there is none.
    std::optional<std::uint32_t> without_false_positives_from;
    /// Blocks that were searched by the compact filter of one node alone, which may be false. Each
    /// is at or above without_false_positives_from.
    HeightRanges uncompared;
    /// Whether transactions of undone blocks may be left, here or with the watcher.
    bool may_have_undone = true;

    /// Blocks above this height are undone.
    void undo_to(std::uint32_t height);

    /// The outpoints of all confirmed and unconfirmed matches, which every filter holds.
    std::vector<chain::Outpoint> matched() const;

    chain::Bytes encode() const;
};

/// Reads the format of encode(), in this version or one of the nine before. The unconfirmed
/// matches of the first two of these are ignored. The first three do not have the amounts and
/// scripts of outputs, the first five not the heights of their blocks, the first six not the
/// coverage of spent outpoints, and the first seven not may_have_undone, which is then true. None
/// has `uncompared`, which is then every block from without_false_positives_from on.
chain::Expected<SyncCheckpoint, chain::DecodeError> decode_sync_checkpoint(chain::ByteView bytes);

}  // namespace petal::net
