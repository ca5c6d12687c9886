#include "net/regtest/node_behaviour.h"

namespace petal::net {

std::string_view describe(FaultKind kind) {
    switch (kind) {
        case FaultKind::withhold_transaction:
            return "withholds a matched transaction";
        case FaultKind::omit_match:
            return "omits a match";
        case FaultKind::add_match:
            return "adds a match";
        case FaultKind::swap_transactions:
            return "sends transactions in the wrong place";
        case FaultKind::send_unmatched:
            return "sends a transaction that it did not prove";
        case FaultKind::corrupt_proof:
            return "sends a corrupt proof";
        case FaultKind::foreign_proof:
            return "proves by another chain's block";
        case FaultKind::garbage:
            return "sends garbage";
        case FaultKind::pause:
            return "pauses";
        case FaultKind::stall:
            return "stalls";
        case FaultKind::hang_up:
            return "hangs up";
    }
    return "unknown";
}

}  // namespace petal::net
