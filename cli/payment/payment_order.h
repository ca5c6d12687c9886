/// The payments that a command's arguments ask for.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/options/options.h"
#include "wallet/spending/fee_rate.h"
#include "wallet/spending/payment.h"

namespace petal::cli {

/// The recipients, and the texts of the payment link.
struct PaymentOrder {
    std::vector<wallet::Recipient> recipients;
    /// Empty without a payment link.
    std::string label;
    std::string message;
};

/// Reads `ADDRESS AMOUNT`, pairs `ADDRESS=AMOUNT`, or a payment link (BIP21) with the amount in the
/// link or behind. An amount is a text for parse_amount(), or `all`. Throws CommandError, also for
/// an address of a different network and for a duplicate address.
PaymentOrder read_payment_order(const std::vector<std::string>& words, const GlobalOptions& global);

/// Reads a fee rate in sat/vB, a decimal number above 0 with up to three decimals. Throws
/// CommandError.
wallet::FeeRate read_fee_rate(std::string_view text);

}  // namespace petal::cli
