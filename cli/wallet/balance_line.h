/// A wallet's balance over time, as one line of blocks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "wallet/ledger/records.h"

namespace petal::cli {

/// The balance at the end of each of some equal spans of time, from the first transaction to the
/// last: `▁` for none to `█` for the highest, in eight levels. Empty if there never was a balance.
/// history    all of the wallet's transactions, in any order. Entries that do not count have no net
///            amount
/// columns    how many spans, at least one; a single one if all transactions have the same time
std::string balance_blocks(const std::vector<wallet::HistoryEntry>& history, std::size_t columns);

/// balance_blocks() in a line of its own, with a title above, and the first and the last date and
/// the highest balance below. Empty if there never was a balance, or all transactions are of one
/// day.
std::string balance_lines(const std::vector<wallet::HistoryEntry>& history, std::size_t columns);

}  // namespace petal::cli
