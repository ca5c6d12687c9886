/// Judges the inputs of unconfirmed transactions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::net {

/// Which peers are to blame for a fault: those that can verify it.
enum class FaultBlame : std::uint8_t {
    every_peer,
    peers_with_witnesses,  ///< another peer may not know better
    no_peer,               ///< the transaction may be valid, but can't be verified
};

/// Why a transaction is not tracked.
struct SpendFault {
    FaultBlame blame = FaultBlame::no_peer;
    std::string what;  ///< "input 0: its signature is wrong"
};

/// The remembered output with this outpoint; empty if none is remembered, or not what it pays.
using FindOutput = std::function<std::optional<chain::TxOutput>(const chain::Outpoint&)>;

/// Judges an unconfirmed transaction by itself, and its inputs as far as `find_output` knows what
/// they spend (chain::verify_input; at about 50 microseconds each). What inputs spend that are not
/// known may be anything. Returns whether all are known, and so were judged.
///
/// A known output that is not verified to be spent validly is a fault even if more knowledge could
/// show the spend to be valid: of a taproot output, where another input spends an output that is
/// not known, or by a script path. No peer is to blame for that.
///
/// Spends of the watcher's outputs and of others' are judged alike. If only the watcher's were, a
/// peer could find these among all that a filter matches, by spends without a signature.
chain::Expected<bool, SpendFault> check_spends(const chain::Transaction& transaction,
                                               const FindOutput& find_output);

}  // namespace petal::net
