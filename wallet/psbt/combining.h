/// Combines or joins several PSBTs.
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
    other_transaction,   ///< combine: not the transaction of the first PSBT
    contradicting_utxo,  ///< combine: the PSBTs have different UTXOs for an input
    wrong_version,       ///< join: not version 0
    signed_already,      ///< join: signatures would become invalid
    repeated_input,      ///< join: two PSBTs spend the same output
    too_large,           ///< above the limits of Psbt::parse()
};

struct CombineError {
    std::size_t psbt = 0;  ///< the index of the PSBT, from 0
    CombineFault fault = CombineFault::other_transaction;

    friend bool operator==(const CombineError&, const CombineError&) = default;
};

/// A sentence without a full stop, which counts PSBTs from 1.
std::string describe(const CombineError& error);

/// Combines PSBTs of one transaction (BIP174, combiner).
/// - Different values for a key: the value of the first PSBT counts, unless it is a wrong signature
///   or a wrong final script and another PSBT has another value for the input.
/// - Different UTXOs for an input are an error.
/// - If an input is final in any PSBT, the records for signing the input are removed.
///
/// psbts   at least one
chain::Expected<Psbt, CombineError> combine(std::span<const Psbt> psbts);

/// Joins the inputs and outputs of all PSBTs in random order (Bitcoin Core: joinpsbts), with the
/// highest transaction version and the lowest lock time.
/// psbts   at least one
chain::Expected<Psbt, CombineError> join(std::span<const Psbt> psbts, const RandomBits& random);

}  // namespace petal::wallet
