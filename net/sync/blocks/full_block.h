/// Full blocks, for a sync without filters: checked, and searched for what is watched.
#pragma once

#include <vector>

#include "chain/expected.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/sync/filters/watch_index.h"
#include "net/wire/messages.h"

namespace petal::net {

/// What was found in a full block.
struct SearchedBlock {
    /// The block with those of its transactions that concern what is watched, witnesses included.
    chain::ProvenBlock block;
    /// The outputs by which they do, which later blocks have to be searched for too.
    std::vector<chain::Outpoint> found;
};

/// Checks that the message holds the block that was asked for, all of it and nothing else: by its
/// header's hash, its merkle root, and, where `asked_for` says so, its witness commitment
/// (chain::check_witnesses: ask with witnesses only where BIP141 is in force). Then searches it,
/// and updates `watched` with what it finds. Of what the block holds beside that, nothing is
/// copied. asked_for   InventoryType::block or witness_block
chain::Expected<SearchedBlock, Violation> search_full_block(FullBlock message,
                                                            const chain::BlockRef& block,
                                                            InventoryType asked_for,
                                                            WatchIndex& watched);

}  // namespace petal::net
