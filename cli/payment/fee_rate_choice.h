/// The fee rate that the user asked for, or that petal chooses, and the source of the rate in
/// words.
#pragma once

#include <string>
#include <string_view>

#include "cli/options/options.h"
#include "client/spending/fee_choice.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// The source in words, to follow the rate.
std::string_view describe(client::RateSource source);

/// The rate that the user asked for, otherwise client::choose_rate(). Throws CommandError if
/// client::choose_rate() gives no rate.
/// fee_rate       empty for none
/// minimum_work   warn_unless_proven()
client::ChosenRate choose_rate(const std::string& fee_rate, const wallet::Wallet& wallet,
                               bool minimum_work, const GlobalOptions& global);

}  // namespace petal::cli
