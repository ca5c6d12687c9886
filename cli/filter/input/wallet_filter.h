/// The filter that a wallet's peers get, and the truth about it.
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

/// The filter that a sync of the wallet named by the options would load now, byte for byte: it is
/// derived from the wallet's keys, its coins, and the checkpoint of its sync.
/// privacy   of that sync; empty: the last sync's
WalletFilter wallet_filter(const GlobalOptions& global, std::optional<net::Privacy> privacy);

}  // namespace petal::cli
