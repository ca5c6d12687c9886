/// The format of keys and values by the type of the record.
#pragma once

#include <cstdint>
#include <optional>

#include "wallet/psbt/psbt_error.h"
#include "wallet/psbt/psbt_map.h"

namespace petal::wallet {

enum class PsbtMapKind : std::uint8_t { global, input, output };

/// Why a record is invalid in a map of this kind in a PSBT of this version (0 or 2). Empty for a
/// valid record and for an unknown type. As in Bitcoin Core (psbt.h), keys must be points on the
/// curve, and signatures strict DER. Transactions are not checked.
std::optional<PsbtFault> find_fault(const PsbtRecord& record, PsbtMapKind kind,
                                    std::uint32_t version);

}  // namespace petal::wallet
