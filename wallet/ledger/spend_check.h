/// Verifies the inputs of an unconfirmed transaction that spend known outputs.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "chain/script/input_verification.h"
#include "chain/transaction.h"

namespace petal::wallet {

/// An output of a stored transaction. The txid commits to the output, so the sender of the
/// transaction need not be trusted.
struct KnownOutput {
    std::optional<chain::TxOutput> output;  ///< empty if the transaction has no such output
    bool is_own = false;                    ///< pays the wallet
};

/// The outputs that a transaction spends, in the order of the inputs. Empty if unknown.
using SpentOutputs = std::span<const std::optional<KnownOutput>>;

/// The input for which a transaction is refused.
struct RefusedSpend {
    std::size_t index = 0;
    std::string_view reason;  ///< "Invalid Schnorr signature" (chain::describe())
    /// The input cannot be verified: it uses what is reserved for soft forks, or not all signed
    /// outputs are known.
    bool may_be_valid = false;
};

/// The first input that is not a valid spend of a known output. Empty if there is none.
/// Inconclusive spends (chain::is_inconclusive()):
/// - of the wallet's output: refused, as a fabricated spend would make the coin unspendable.
/// - of a foreign output: accepted, as in any payment with foreign inputs, except without a
///   witness, because nodes relay transactions with witnesses.
std::optional<RefusedSpend> find_refused_spend(const chain::Transaction& transaction,
                                               SpentOutputs spent);

/// Whether an input is verified as a valid spend of an output of `parent`. Only then the
/// transaction counts as a child, since anyone can fabricate a child without a valid signature.
bool is_verified_child(const chain::Transaction& transaction, SpentOutputs spent,
                       const chain::Txid& parent);

}  // namespace petal::wallet
