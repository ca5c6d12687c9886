/// The missing parts of a PSBT, and which role must act next (BIP174; Bitcoin Core: analyzepsbt).
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

/// The roles that act on a created PSBT, in their order.
enum class PsbtRole : std::uint8_t { updater, signer, finalizer, extractor };

/// As JSON has it.
std::string_view describe(PsbtRole role);

struct PsbtInputAnalysis {
    bool has_utxo = false;
    /// Whether it has final scripts, and they were verified; `unsupported` scripts can't be.
    bool is_final = false;
    PsbtRole next = PsbtRole::updater;
    /// Why it is not final, or not verified.
    std::optional<PsbtInputFault> fault;
    /// The keys whose signatures are wrong; with taproot the output key. The input may have enough
    /// others.
    std::vector<chain::Bytes> wrong_signatures;
    /// The keys whose signatures are missing: public keys or, if only the HASH160 is known, that.
    /// For multisig, all keys that have not signed, or whose signature is wrong.
    std::vector<chain::Bytes> missing_signatures;
    std::size_t signatures_needed = 0;  ///< number of these signatures that are needed
};

struct PsbtAnalysis {
    std::vector<PsbtInputAnalysis> inputs;
    PsbtRole next = PsbtRole::extractor;
    /// Set if all spent outputs are known; negative if they are less than the outputs.
    std::optional<chain::Satoshis> fee;
    /// The size of the signed transaction, if the kinds of all inputs are known; an estimate unless
    /// they are final.
    std::optional<std::size_t> virtual_size;
};

/// Verifies all signatures and final scripts whose spent outputs are known, but those of a
/// transaction that is too large to be relayed by far (`too_large`).
PsbtAnalysis analyze(const Psbt& psbt);

/// The fee, as in PsbtAnalysis.
std::optional<chain::Satoshis> fee_of(const Psbt& psbt);

}  // namespace petal::wallet
