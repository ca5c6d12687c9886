/// Judges the inputs of unconfirmed transactions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::net {

/// The peers that are blamed for a fault: those that can detect it.
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

/// The remembered output with this outpoint; empty if its script and amount are not remembered.
using FindOutput = std::function<std::optional<chain::TxOutput>(const chain::Outpoint&)>;

/// Checks an unconfirmed transaction by itself, and verifies its inputs whose spent outputs
/// `find_output` knows (chain::verify_input; at about 50 microseconds each). Unknown outputs may be
/// anything. Returns whether all are known, and so were verified.
///
/// An input whose spend of a known output can't be verified is a fault, even if more knowledge
/// could show the spend to be valid: for a taproot output, if another input spends an unknown
/// output, or for a script path. No peer is blamed for that.
///
/// Spends of the watcher's outputs and of others are treated alike. If only the watcher's were
/// checked, a peer could find them among all that a filter matches, by spends without a signature.
chain::Expected<bool, SpendFault> check_spends(const chain::Transaction& transaction,
                                               const FindOutput& find_output);

}  // namespace petal::net
