/// What the sync engine has its watcher store together with each batch of blocks.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "chain/block_ref.h"
#include "chain/byte_reader.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/hash.h"
#include "net/sync/filters/coverage.h"
#include "net/sync/filters/matched_outpoints.h"
#include "net/sync/filters/unconfirmed_matches.h"

namespace petal::net {

/// Survives restarts, so that the next server gets the filter that this one would have had.
struct SyncCheckpoint {
    double rate = 0;  ///< that this watcher's filters are made for
    /// The best chain below the last synced block, newest first, ever sparser: by it the fork is
    /// found where the stored headers are lost.
    std::vector<chain::BlockHash> locator;
    MatchedOutpoints outpoints;
    UnconfirmedMatches unconfirmed;
    /// The last block that the watcher was given, and what was missed below it. The watcher counts
    /// as synced up to `covered` only.
    std::optional<chain::BlockRef> applied;
    std::optional<chain::BlockRef> covered;
    Coverage coverage;
    /// How long the watcher's list was by then.
    std::uint64_t watched_elements = 0;

    /// Blocks above this height are undone.
    void undo_to(std::uint32_t height);

    /// What every filter holds beside the watcher's own: the outpoints of all that matched.
    std::vector<chain::Outpoint> matched() const;

    chain::Bytes encode() const;
};

/// Reads what encode() wrote, in this version of the format or one of the four before: of the
/// first two it leaves out what was unconfirmed, and the first three have not what outputs pay.
chain::Expected<SyncCheckpoint, chain::DecodeError> decode_sync_checkpoint(chain::ByteView bytes);

}  // namespace petal::net
