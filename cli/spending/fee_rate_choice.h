/// Chooses a payment's fee rate and names its source.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "cli/options/options.h"
#include "wallet/spending/fee_rate.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// The source of a fee rate.
enum class RateSource : std::uint8_t {
    asked,      ///< --fee-rate
    confirmed,  ///< paid by the wallet's payments that blocks of the last day confirmed, and that
                ///< the user or a peer had shown unconfirmed, with valid signatures
    peers,      ///< peers' feefilter in a sync of the last hours (read_fee_floor); not on mainnet
    replaced,   ///< of `bump`: a step above the replaced payment's
    default_rate,  ///< the lowest fee rate that nodes relay by default
};
/// A stable kebab-case word for programs.
std::string_view code_of(RateSource source);
/// For people, after the rate.
std::string_view describe(RateSource source);

struct ChosenRate {
    wallet::FeeRate rate;
    RateSource source;
};

/// The rate that the user asked for. Otherwise the rate of the wallet's recent payments, at least
/// the default rate, and then at_least_relayed(). A payment that only blocks have shown does not
/// count: a made-up block could set the rate. The fees of others' transactions are not known: a
/// filtered block does not show the outputs that they spend. Throws CommandError on mainnet if the
/// user asked for no rate and no payment was confirmed lately, as the others do not show which rate
/// confirms.
///
/// fee_rate       empty for none
/// minimum_work   warn_unless_proven(): without it, a peer may have fabricated the wallet's
///                payments
ChosenRate choose_rate(const std::string& fee_rate, const wallet::Wallet& wallet, bool minimum_work,
                       const GlobalOptions& global);
/// This rate or, if it is higher, the rate below which peers relay nothing. On mainnet no claim of
/// a peer raises it.
ChosenRate at_least_relayed(ChosenRate rate, const GlobalOptions& global);

}  // namespace petal::cli
