/// Full blocks, for a sync without filters: checked, and searched for watched elements.
#pragma once

#include <vector>

#include "chain/expected.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/sync/blocks/block_requests.h"
#include "net/sync/filters/watch_index.h"
#include "net/wire/messages.h"

namespace petal::net {

/// The matches in a full block.
struct SearchedBlock {
    /// The block with only its matching transactions; with witnesses if they were checked.
    chain::ProvenBlock block;
    /// The matching outputs, whose spends must be found in later blocks.
    std::vector<chain::Outpoint> found;
};

/// Checks that this is exactly the requested block, by its header's hash, its merkle root
/// and, if it was requested with witnesses, its witness commitment (chain::check_witnesses: only if
/// BIP141 is in force). Then searches it, and adds the matching outputs to `watched`. Only matching
/// transactions are decoded.
/// asked_for   BlockForm::full or full_with_witnesses
chain::Expected<SearchedBlock, Violation> search_full_block(const chain::BlockView& received,
                                                            const chain::BlockRef& block,
                                                            BlockForm asked_for,
                                                            WatchIndex& watched);

}  // namespace petal::net
