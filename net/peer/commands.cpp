#include "net/peer/commands.h"

namespace petal::net {

std::string_view code_of(DisconnectReason reason) {
    switch (reason) {
        case DisconnectReason::finished:
            return "finished";
        case DisconnectReason::unreachable:
            return "unreachable";
        case DisconnectReason::gone:
            return "gone";
        case DisconnectReason::wrong_network:
            return "wrong-network";
        case DisconnectReason::not_bitcoin:
            return "not-bitcoin";
        case DisconnectReason::no_bloom:
            return "no-bloom";
        case DisconnectReason::no_network:
            return "no-network";
        case DisconnectReason::too_old:
            return "too-old";
        case DisconnectReason::self:
            return "self";
        case DisconnectReason::duplicate:
            return "duplicate";
        case DisconnectReason::timed_out:
            return "timed-out";
        case DisconnectReason::incomplete:
            return "incomplete";
        case DisconnectReason::malformed_message:
            return "malformed-message";
        case DisconnectReason::invalid_header:
            return "invalid-header";
        case DisconnectReason::invalid_proof:
            return "invalid-proof";
        case DisconnectReason::unrequested:
            return "unrequested";
        case DisconnectReason::contradicts_filter:
            return "contradicts-filter";
        case DisconnectReason::left_out:
            return "left-out";
        case DisconnectReason::low_work:
            return "low-work";
        case DisconnectReason::invalid_transaction:
            return "invalid-transaction";
    }
    return "unknown";
}

std::string_view describe(DisconnectReason reason) {
    switch (reason) {
        case DisconnectReason::finished:
            return "is no longer needed";
        case DisconnectReason::unreachable:
            return "can't be reached";
        case DisconnectReason::gone:
            return "closed the connection";
        case DisconnectReason::wrong_network:
            return "is on another Bitcoin network";
        case DisconnectReason::not_bitcoin:
            return "is not a Bitcoin node";
        case DisconnectReason::no_bloom:
            return "does not serve Bloom filters (BIP37)";
        case DisconnectReason::no_network:
            return "does not serve the whole block chain";
        case DisconnectReason::too_old:
            return "speaks a protocol older than BIP111";
        case DisconnectReason::self:
            return "is this very program";
        case DisconnectReason::duplicate:
            return "is a node that is known by another name too";
        case DisconnectReason::timed_out:
            return "did not answer in time";
        case DisconnectReason::incomplete:
            return "withholds blocks, headers or transactions";
        case DisconnectReason::malformed_message:
            return "sent a malformed message";
        case DisconnectReason::invalid_header:
            return "sent a header that breaks a consensus rule";
        case DisconnectReason::invalid_proof:
            return "sent a merkle proof that proves nothing";
        case DisconnectReason::unrequested:
            return "sent a block that was not asked for";
        case DisconnectReason::contradicts_filter:
            return "sent transactions that its filter does not match";
        case DisconnectReason::left_out:
            return "left out transactions that concern the wallet's filter";
        case DisconnectReason::low_work:
            return "has a chain with too little work";
        case DisconnectReason::invalid_transaction:
            return "sent an invalid transaction";
    }
    return "failed";
}

bool is_misbehaviour(DisconnectReason reason) {
    switch (reason) {
        case DisconnectReason::malformed_message:
        case DisconnectReason::invalid_header:
        case DisconnectReason::invalid_proof:
        case DisconnectReason::unrequested:
        case DisconnectReason::contradicts_filter:
        case DisconnectReason::left_out:
        case DisconnectReason::invalid_transaction:
        case DisconnectReason::incomplete:
            return true;
        case DisconnectReason::finished:
        case DisconnectReason::unreachable:
        case DisconnectReason::gone:
        case DisconnectReason::wrong_network:
        case DisconnectReason::not_bitcoin:
        case DisconnectReason::no_bloom:
        case DisconnectReason::no_network:
        case DisconnectReason::too_old:
        case DisconnectReason::self:
        case DisconnectReason::duplicate:
        case DisconnectReason::timed_out:
        case DisconnectReason::low_work:
            return false;
    }
    return false;
}

}  // namespace petal::net
