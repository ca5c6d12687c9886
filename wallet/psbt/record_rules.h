/// The format of the key and the value of each type of record.
#pragma once

#include <cstdint>
#include <optional>

#include "wallet/psbt/psbt_error.h"
#include "wallet/psbt/psbt_map.h"

namespace petal::wallet {

enum class PsbtMapKind : std::uint8_t { global, input, output };

/// Why a record must not be in a map of this kind in a PSBT of this version (0 or 2); nothing for a
/// valid one. Records of unknown types are valid. Keys must be points of the curve, signatures
/// strict DER, as in Bitcoin Core (psbt.h); transactions are not checked.
std::optional<PsbtFault> find_fault(const PsbtRecord& record, PsbtMapKind kind,
                                    std::uint32_t version);

}  // namespace petal::wallet
