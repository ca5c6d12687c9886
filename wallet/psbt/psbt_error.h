/// Why bytes are not a PSBT.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace petal::wallet {

enum class PsbtFault : std::uint8_t {
    no_magic,
    too_large,
    truncated,
    bad_size,        ///< a length or count is not canonical or above its limit
    trailing_bytes,  ///< bytes after the last output
    repeated_key,
    unsupported_version,
    wrong_version,   ///< a record of another version than the PSBT's
    missing_record,  ///< a record that the version requires
    bad_key,         ///< a known type, but an invalid length or content
    bad_value,       ///< an invalid length or content of the value
    bad_transaction,
    signed_transaction,  ///< the transaction to sign has a scriptSig
    amount_out_of_range,
    wrong_utxo,          ///< the full transaction has another txid, or lacks the output
    contradicting_utxo,  ///< the witness UTXO differs from the full transaction's output
    contradicting_locks,
};

struct PsbtError {
    PsbtFault fault = PsbtFault::no_magic;
    /// "input 3", "output 0" or "the global map". Empty if the error is not of a single map.
    std::string place = {};

    friend bool operator==(const PsbtError&, const PsbtError&) = default;
};

/// A sentence without a full stop.
std::string describe(const PsbtError& error);

}  // namespace petal::wallet
