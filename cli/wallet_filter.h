/// The filter that a wallet's peers get, and what is true of it.
#pragma once

#include "bloom/bloom_filter.h"
#include "bloom/measures/inspection.h"
#include "cli/options.h"

namespace petal::cli {

struct WalletFilter {
    bloom::BloomFilter filter;
    bloom::FilterTruth truth;
    double used = 1;  ///< addresses of the wallet that were paid, at least 1
};

/// The filter that a sync of the wallet that the options name would load now, byte for byte: it
/// follows from what the wallet watches and from what its sync remembers. Throws CommandError
/// `no-filter` where the wallet was never synced: then its tweak is not chosen yet.
WalletFilter wallet_filter(const GlobalOptions& global);

}  // namespace petal::cli
