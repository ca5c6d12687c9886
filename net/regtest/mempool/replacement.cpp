#include "net/regtest/mempool/replacement.h"

#include "chain/transaction_rules.h"

namespace petal::net {
namespace {

/// Bitcoin Core: MAX_REPLACEMENT_CANDIDATES.
constexpr std::size_t kMaxConflicts = 100;
/// In satoshi per 1,000 vB (DEFAULT_INCREMENTAL_RELAY_FEE).
constexpr chain::Satoshis kIncrementalFeeRate = 100;

}  // namespace

bool PaidSize::pays_more_than(const PaidSize& other) const {
    // Sizes are below 1,000,000 vB and fees below 2^51, but their product may not fit.
    using Wide = long double;
    return static_cast<Wide>(fee) * static_cast<Wide>(other.size) >
           static_cast<Wide>(other.fee) * static_cast<Wide>(size);
}

std::optional<RejectReason> find_replacement_fault(const Replacement& replacement) {
    if (replacement.conflicts == 0) return std::nullopt;
    if (replacement.conflicts > kMaxConflicts) return RejectReason::too_many_replaced;
    const chain::Satoshis more = replacement.paid.fee - replacement.evicted_fees;
    if (more < 0 || more < chain::fee_at_rate(kIncrementalFeeRate, replacement.paid.size)) {
        return RejectReason::insufficient_fee;
    }
    if (!replacement.pays_more_than_each) return RejectReason::worse_fee_rate;
    if (replacement.spends_evicted) return RejectReason::spends_conflict;
    return std::nullopt;
}

}  // namespace petal::net
