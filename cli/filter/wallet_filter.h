/// The filter that a wallet's peers get, and what is true of it.
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

/// The filter that a sync of the wallet that the options name would load now, byte for byte: it
/// follows from the wallet's keys, its coins, and what its sync remembers.
/// privacy   of that sync; empty if it is as the last was
WalletFilter wallet_filter(const GlobalOptions& global, std::optional<net::Privacy> privacy);

}  // namespace petal::cli
