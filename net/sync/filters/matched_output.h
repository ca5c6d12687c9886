/// Outputs that match the filters' base, as they are remembered for judging their spends.
#pragma once

#include <optional>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/transaction.h"

namespace petal::net {

/// The output as remembered for verifying its spends: one of a single key, of P2SH or P2WSH, or of
/// bare multisig with up to three keys; nothing for others, whose spends are not verified.
std::optional<chain::TxOutput> remembered_output(const chain::TxOutput& output);

/// Writes a byte for the template (0 without an output), the value, and the data that the script
/// pushes. The size of the data comes first for P2PK. For bare multisig, the size and the script
/// replace the data.
void write_output(chain::ByteWriter& writer, const std::optional<chain::TxOutput>& output);
/// Reads the format of write_output(). On failure the reader holds the reason.
std::optional<chain::TxOutput> read_output(chain::ByteReader& reader);

/// An output that filters match; its spends are judged only if it is remembered.
struct MatchedOutput {
    chain::Outpoint outpoint;
    std::optional<chain::TxOutput> output{};  ///< remembered_output()
};

}  // namespace petal::net
