/// The filter that a wallet's peers get, and the truth about the filter.
#pragma once

#include <optional>

#include "bloom/bloom_filter.h"
#include "bloom/measures/inspection.h"
#include "cli/options/options.h"
#include "net/sync/filters/privacy.h"

namespace petal::cli {

struct WalletFilter {
    bloom::BloomFilter filter;
    bloom::FilterTruth truth;
    double used = 1;  ///< addresses of the wallet that were paid, at least 1
};

/// The bytes of the filter that a sync of the wallet would load now. The filter is derived from the
/// wallet's keys, coins and sync checkpoint.
/// privacy   of the sync. Empty: the last sync's
/// awaited   the filter of the awaited addresses (net::make_awaited_filter()). Throws CommandError
///           if the wallet awaits no payment
WalletFilter wallet_filter(const GlobalOptions& global, std::optional<net::Privacy> privacy,
                           bool awaited = false);

}  // namespace petal::cli
