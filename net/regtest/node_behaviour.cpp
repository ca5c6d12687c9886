#include "net/regtest/node_behaviour.h"

namespace petal::net {

std::string_view describe(FaultKind kind) {
    switch (kind) {
        case FaultKind::withhold_transaction:
            return "withholds a matched transaction";
        case FaultKind::omit_match:
            return "omits a match";
        case FaultKind::send_unmatched:
            return "sends a transaction that it did not prove";
        case FaultKind::corrupt_proof:
            return "sends a corrupt proof";
        case FaultKind::garbage:
            return "sends garbage";
        case FaultKind::stall:
            return "stalls";
        case FaultKind::hang_up:
            return "hangs up";
    }
    return "unknown";
}

bool FaultPlan::strike(FaultKind kind, std::uint32_t blocks_served,
                       const std::optional<chain::Txid>& txid) {
    for (Fault& fault : faults_) {
        if (fault.kind != kind || fault.times == 0 || blocks_served < fault.after_blocks) continue;
        if (fault.transaction && fault.transaction != txid) continue;
        --fault.times;
        return true;
    }
    return false;
}

}  // namespace petal::net
