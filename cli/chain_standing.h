/// Whether a wallet's blocks carry the network's minimum work, which whatever shows money says.
#pragma once

#include <optional>
#include <string>

#include "chain/block_ref.h"
#include "cli/options.h"

namespace petal::cli {

/// Whether the stored headers show the network's minimum work behind the block that a wallet is
/// synced to. False where they don't have that block, can't be read, or are not there, and for a
/// wallet that was never synced; nothing is taken from what an earlier sync believed. The header
/// file is only looked at, without a lock.
bool has_minimum_work(const GlobalOptions& global, const std::optional<chain::BlockRef>& synced);

/// A line for people, to stand below amounts of a wallet that is synced to such a block; empty
/// where the work is shown, and where nothing is synced. network   its name
std::string minimum_work_line(bool has_minimum_work, const std::optional<chain::BlockRef>& synced,
                              const std::string& network);

}  // namespace petal::cli
