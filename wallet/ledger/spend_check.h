/// Verifies what an unconfirmed transaction spends of outputs that the wallet knows.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string_view>

#include "chain/script/input_verification.h"
#include "chain/transaction.h"

namespace petal::wallet {

/// An output of a stored transaction. Its txid commits to all outputs, so that they are known for
/// certain, whoever has sent the transaction.
struct KnownOutput {
    std::optional<chain::TxOutput> output;  ///< empty if the transaction has no such output
    bool is_own = false;                    ///< the wallet's
};

/// The outputs that the inputs of a transaction spend, in their order; empty for an unknown one.
using SpentOutputs = std::span<const std::optional<KnownOutput>>;

/// An input because of which an unconfirmed transaction is refused.
struct RefusedSpend {
    std::size_t index = 0;
    std::string_view reason;  ///< as "its signature is wrong"
    /// The input could not be judged: its script is not verified, or what it signs is not known.
    bool may_be_valid = false;
};

/// The first input that is not a valid spend of a known output; empty if there is none. A spend of
/// the wallet's own output that cannot be judged is refused, too: otherwise a fabricated spend
/// would withhold the coin. A spend of another output that cannot be judged is not refused, because
/// the transaction may be a payment like any other with foreign inputs. But a spend without a
/// witness is, because no node relays it without.
std::optional<RefusedSpend> find_refused_spend(const chain::Transaction& transaction,
                                               SpentOutputs spent);

/// Whether an input that spends an output of `parent` is verified to be a valid spend. Only then
/// the transaction counts as a child: anyone can fabricate one without a signature.
bool is_verified_child(const chain::Transaction& transaction, SpentOutputs spent,
                       const chain::Txid& parent);

}  // namespace petal::wallet
