/// Combines several PSBTs into one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

#include "chain/expected.h"
#include "wallet/psbt/psbt.h"
#include "wallet/spending/input_coin.h"

namespace petal::wallet {

enum class CombineFault : std::uint8_t {
    other_transaction,   ///< combine: it is not of the transaction that the first is of
    contradicting_utxo,  ///< combine: the PSBTs have different outputs for an input
    wrong_version,       ///< join: only version 0
    signed_already,      ///< join: signatures would not be valid for more inputs
    repeated_input,      ///< join: two PSBTs spend the same output
    too_large,           ///< more than may be read again
};

struct CombineError {
    std::size_t psbt = 0;  ///< its index, from 0
    CombineFault fault = CombineFault::other_transaction;

    friend bool operator==(const CombineError&, const CombineError&) = default;
};

/// A sentence without its full stop, which counts the PSBTs from 1.
std::string describe(const CombineError& error);

/// All records of PSBTs of one transaction (BIP174, combiner). If they have different values for a
/// key, that of the first PSBT counts, unless it is a wrong signature or final script, and another
/// PSBT has something else for the input. The outputs that an input spends must be equal. If an
/// input is final in one of them, the records for signing it are left out.
/// psbts   at least one
chain::Expected<Psbt, CombineError> combine(std::span<const Psbt> psbts);

/// One PSBT with the inputs and outputs of all, in random order, like Bitcoin Core's joinpsbts,
/// with the highest version and the lowest lock time.
/// psbts   at least one
chain::Expected<Psbt, CombineError> join(std::span<const Psbt> psbts, const RandomBits& random);

}  // namespace petal::wallet
