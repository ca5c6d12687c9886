/// Finds the missing parts of a PSBT and the next role (BIP174, Bitcoin Core: analyzepsbt).
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/transaction.h"
#include "wallet/psbt/input_fault.h"
#include "wallet/psbt/psbt.h"

namespace petal::wallet {

/// The roles after the creator, in order.
enum class PsbtRole : std::uint8_t { updater, signer, finalizer, extractor };

/// The name in JSON.
std::string_view describe(PsbtRole role);

struct PsbtInputAnalysis {
    bool has_utxo = false;
    /// Whether the input has final scripts that were verified, or cannot be verified
    /// (`unsupported`).
    bool is_final = false;
    PsbtRole next = PsbtRole::updater;
    /// Why the input is not final, or not verified.
    std::optional<PsbtInputFault> fault;
    /// The keys with wrong signatures (for taproot: the output key). The input may still have
    /// enough valid signatures.
    std::vector<chain::Bytes> wrong_signatures;
    /// The keys without valid signatures: public keys, or the HASH160 if only the hash is known.
    /// Includes all keys of multisig that have not validly signed.
    std::vector<chain::Bytes> missing_signatures;
    std::size_t signatures_needed = 0;  ///< number of missing signatures that are required
};

struct PsbtAnalysis {
    std::vector<PsbtInputAnalysis> inputs;
    PsbtRole next = PsbtRole::extractor;
    /// Set if all spent outputs are known. Negative if the outputs exceed the spent outputs.
    std::optional<chain::Satoshis> fee;
    /// The virtual size of the signed transaction. An estimate unless all inputs are final. Empty
    /// if the template of an input is unknown.
    std::optional<std::size_t> virtual_size;
};

/// Verifies all signatures and final scripts with known spent outputs, unless is_too_large()
/// (`too_large`).
PsbtAnalysis analyze(const Psbt& psbt);

/// PsbtAnalysis::fee.
std::optional<chain::Satoshis> fee_of(const Psbt& psbt);

}  // namespace petal::wallet
