/// Outputs that match the filters' base, with what it takes to judge their spends.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::net {

/// The output as it is remembered for judging what spends it: one of a single key, of P2WSH, or of
/// bare multisig with up to three keys; nothing for others, whose spends are not verified.
std::optional<chain::TxOutput> remembered_output(const chain::TxOutput& output);

/// One byte that names the template, 0 where there is no output, then its value and the data that
/// its script pushes; of bare multisig the script, behind its size.
void write_output(chain::ByteWriter& writer, const std::optional<chain::TxOutput>& output);
/// Reads what write_output() wrote. On failure the reader says why.
std::optional<chain::TxOutput> read_output(chain::ByteReader& reader);

/// An output that filters match; its spends are judged only if it is remembered.
struct MatchedOutput {
    chain::Outpoint outpoint;
    std::optional<chain::TxOutput> output{};  ///< remembered_output()
};

/// Which peers would not have shown what is at fault.
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
/// Own and strangers' outputs are remembered alike. Were the wallet's alone judged, a peer could
/// find them out among all that a filter matches, by spends without a signature.
chain::Expected<bool, SpendFault> check_spends(const chain::Transaction& transaction,
                                               const FindOutput& find_output);

}  // namespace petal::net
