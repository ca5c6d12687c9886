/// The options that limit a payment's fee.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "chain/transaction.h"
#include "wallet/spending/fee_limits.h"

namespace CLI {
class App;
}  // namespace CLI

namespace petal::cli {

/// Adds --max-fee, which replaces the default limits. `terms` must outlive the parsing.
void add_max_fee(CLI::App* app, wallet::FeeTerms& terms, const char* description);
/// Adds --max-fee and --accept-fee.
void add_fee_terms(CLI::App* app, wallet::FeeTerms& terms);

/// A payment's fee, and the values that limit the fee.
struct FeeToCheck {
    chain::Satoshis fee = 0;
    std::size_t virtual_size = 0;
    std::optional<chain::Satoshis> paid;  ///< see exceeded_limit()
};

/// Why the fee is refused, and which options allow the fee. Empty if the fee is allowed.
std::optional<std::string> absurd_fee_text(const FeeToCheck& checked,
                                           const wallet::FeeTerms& terms);
/// Throws CommandError `absurd-fee` if the fee exceeds a limit (wallet::exceeded_limit), even if
/// the user has confirmed.
void check_fee(const FeeToCheck& checked, const wallet::FeeTerms& terms);

}  // namespace petal::cli
