/// Checks the inputs of unconfirmed transactions.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::net {

/// Which peers are blamed for a fault: the peers that can detect it.
enum class FaultBlame : std::uint8_t {
    every_peer,
    peers_with_witnesses,  ///< peers without witnesses cannot detect the fault
    no_peer,               ///< the transaction may be valid, but cannot be verified
};

/// Why a transaction is not tracked.
struct SpendFault {
    FaultBlame blame = FaultBlame::no_peer;
    std::string what;  ///< "input 0: Invalid Schnorr signature"
};

/// The output with this outpoint. Empty if its script and amount are not remembered.
using FindOutput = std::function<std::optional<chain::TxOutput>(const chain::Outpoint&)>;

/// Checks an unconfirmed transaction by itself, and verifies the inputs with known outputs
/// (chain::verify_input, about 50 microseconds each). Returns whether the outputs of all inputs are
/// known. `find_output` finds known outputs.
///
/// If the spend of a known output cannot be verified, this is a fault that no peer is blamed for,
/// although the spend may be valid. Examples are a taproot output if another input spends an
/// unknown output, and a script with an opcode that is reserved for soft forks.
///
/// All known outputs are checked, not only the watcher's. Otherwise a peer could send spends
/// without signatures, and learn which matches of a filter belong to the watcher.
chain::Expected<bool, SpendFault> check_spends(const chain::Transaction& transaction,
                                               const FindOutput& find_output);

}  // namespace petal::net
