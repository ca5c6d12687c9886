/// Why bytes are no PSBT.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petal::wallet {

enum class PsbtFault : std::uint8_t {
    no_magic,
    too_large,
    truncated,
    bad_size,        ///< a length or count that is not canonical, or above its limit
    trailing_bytes,  ///< after the last output
    repeated_key,
    unsupported_version,
    wrong_version,   ///< the record belongs to another version than the PSBT has
    missing_record,  ///< that the version demands
    bad_key,         ///< of a known type, but the length or content is invalid
    bad_value,       ///< the same for its value
    bad_transaction,
    signed_transaction,  ///< the transaction that is to be signed has a script
    amount_out_of_range,
    wrong_utxo,          ///< the full transaction has not the input's txid, or lacks the output
    contradicting_utxo,  ///< the witness UTXO is not the full transaction's output
    contradicting_locks,
};

struct PsbtError {
    PsbtFault fault = PsbtFault::no_magic;
    /// "input 3", "output 0" or "the global map"; empty if no single one of them is at fault.
    std::string place = {};

    friend bool operator==(const PsbtError&, const PsbtError&) = default;
};

/// A sentence without its full stop.
std::string describe(const PsbtError& error);

}  // namespace petal::wallet
