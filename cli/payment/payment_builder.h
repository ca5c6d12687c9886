/// The common parts of the commands that pay: options, and the payment before it is signed.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/options/command_entry.h"
#include "cli/options/fee_terms.h"
#include "cli/options/options.h"
#include "cli/payment/payment_order.h"
#include "cli/terminal/console.h"
#include "client/spending/payment_plan.h"
#include "wallet/spending/payment.h"
#include "wallet/wallet.h"

namespace petal::cli {

struct PaymentOptions {
    std::vector<std::string> words;  ///< see read_payment_order()
    std::string fee_rate;            ///< in sat/vB. Empty for none
    std::vector<std::string> utxos;  ///< TXID:VOUT
    bool subtract_fee = false;
    wallet::FeeTerms fee_terms;
};

/// Adds the options to a command. `options` must outlive the parsing.
void add_payment_options(CLI::App* app, PaymentOptions& options);
void add_password_option(CLI::App* app, std::optional<std::filesystem::path>& password_file);

/// Throws CommandError unless --network mainnet was given on the command line.
void refuse_default_mainnet(const GlobalOptions& global);

/// Warns if the wallet is not synced, if the last stored block is old, and if the stored headers do
/// not show the network's minimum work. Returns whether the headers show the minimum work
/// (WalletSyncStatus::minimum_work).
bool warn_unless_proven(const wallet::Wallet& wallet, const GlobalOptions& global,
                        Console& console);

/// Throws CommandError if the payment is not possible.
/// other_way   added to the error if funds do not suffice
wallet::Payment build_planned_payment(const client::PaymentPlan& plan, const wallet::Wallet& wallet,
                                      const GlobalOptions& global, std::string_view other_way);
/// Also warns if `all` does not include all coins of the wallet, and of outputs with which money
/// may be lost.
wallet::Payment build_ordered_payment(const PaymentOptions& options, const PaymentOrder& order,
                                      wallet::FeeRate rate, const wallet::Wallet& wallet,
                                      const GlobalOptions& global, Console& console);

FeeToCheck fee_to_check(const wallet::Payment& payment);

}  // namespace petal::cli
