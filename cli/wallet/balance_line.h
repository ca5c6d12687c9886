/// A wallet's balance over time, as one line of blocks.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "wallet/ledger/records.h"

namespace petal::cli {

/// One block for each of `columns` equal spans of time, from the first transaction to the last. The
/// block's height shows the balance at the end of the span in eight levels, from `▁` for zero to
/// `█` for the highest balance. Empty if there never was a balance.
/// history    all of the wallet's transactions, in any order. Entries that do not count have no net
///            amount
/// columns    the number of spans, at least one. If all transactions have the same time, one span
///            is drawn
std::string balance_blocks(const std::vector<wallet::HistoryEntry>& history, std::size_t columns);

/// balance_blocks() on a line, with a title above, and the first date, the last date and the
/// highest balance below. Empty if there never was a balance, or all transactions are of one day.
std::string balance_lines(const std::vector<wallet::HistoryEntry>& history, std::size_t columns);

}  // namespace petal::cli
