/// Shows a payment as JSON and in words.
#pragma once

#include <string>
#include <vector>

#include "chain/transaction.h"
#include "cli/options/options.h"
#include "cli/payment/fee_rate_choice.h"
#include "cli/terminal/console.h"
#include "cli/text/json.h"
#include "wallet/spending/payment.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// `network`, `txid`, `hex`, `fee_sat`, `fee_rate_sat_vb`, `package_fee_rate_sat_vb`, `vsize`,
/// `inputs`, `outputs` and `warnings`.
/// is_signed   otherwise `txid` and `hex` are null
Json payment_json(const wallet::Payment& payment, bool is_signed, const GlobalOptions& global);

/// The risks of paying these outputs, each with `code`, `address` and `message`.
Json output_warnings_json(const std::vector<chain::TxOutput>& outputs, const GlobalOptions& global);
/// Warns of the risks of paying these outputs.
void warn_of_risky_outputs(const std::vector<chain::TxOutput>& outputs, const GlobalOptions& global,
                           Console& console);

/// A rate: "1.00 sat/vB".
std::string rate_text(wallet::FeeRate rate);

/// The fee, the fee rate and the reason: "141 sat (1.00 sat/vB, as asked)", and the rate of the
/// package with unconfirmed ancestors if that rate differs.
/// rate   the requested rate
std::string fee_text(const wallet::Payment& payment, const client::ChosenRate& rate);

/// What the fee does for unconfirmed ancestors. Empty without unconfirmed ancestors.
std::string ancestors_text(const wallet::Payment& payment);

/// A line with the amount of the payment without the change, and the recipient or the number of
/// recipients. Empty if all outputs are change or data.
std::string recipients_line(const wallet::Payment& payment, const GlobalOptions& global);

/// A line for each spent coin, with the full outpoint, because a user may have named the coin by
/// the first digits of a txid, and the amount.
std::string coins_lines(const wallet::Payment& payment);

/// The amounts that leave the wallet and come back, in lines.
/// wallet   with private keys
/// rate     the requested rate
std::string payment_text(const wallet::Payment& payment, const wallet::Wallet& wallet,
                         const client::ChosenRate& rate, const GlobalOptions& global);

/// The recipients, the change and the fee of a payment that another wallet signs, in lines.
/// wallet   with private keys or without
/// rate     the requested rate
std::string unsigned_payment_text(const wallet::Payment& payment, const wallet::Wallet& wallet,
                                  const client::ChosenRate& rate, const GlobalOptions& global);

}  // namespace petal::cli
