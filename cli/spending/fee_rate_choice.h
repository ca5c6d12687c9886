/// Which fee rate a payment has, and where it comes from.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/options/options.h"
#include "wallet/spending/fee_rate.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// Where a fee rate comes from.
enum class RateSource : std::uint8_t {
    asked,         ///< --fee-rate
    confirmed,     ///< what the wallet's payments paid that blocks of the last day confirmed
    peers,         ///< what peers relayed at least, in a sync of the last hours (read_fee_floor)
    replaced,      ///< of `bump`: a step above the replaced payment's
    default_rate,  ///< the lowest fee rate that nodes relay by default
};
/// A stable kebab-case word for programs.
std::string_view code_of(RateSource source);
/// For people, to stand behind the rate.
std::string_view describe(RateSource source);

struct ChosenRate {
    wallet::FeeRate rate;
    RateSource source;
};

/// The asked rate; else the highest of what the wallet's payments paid lately, of the default, and
/// of what peers relay. The fees of others' transactions are not known: a filtered block does not
/// show what they spend. Throws CommandError if none is asked on mainnet and no payment confirmed
/// lately, as the others do not say what confirms.
/// fee_rate       empty for none
/// minimum_work   warn_unless_proven(): without it, a peer may have made up the wallet's payments
ChosenRate choose_rate(const std::string& fee_rate, const wallet::Wallet& wallet, bool minimum_work,
                       const GlobalOptions& global);
/// This rate or, where it is higher, what peers relay at least. On mainnet no peer's word raises
/// it.
ChosenRate at_least_relayed(ChosenRate rate, const GlobalOptions& global);

}  // namespace petal::cli
