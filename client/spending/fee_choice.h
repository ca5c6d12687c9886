/// Chooses a payment's fee rate and names its source.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "client/data/data_folder.h"
#include "wallet/spending/fee_rate.h"
#include "wallet/spending/payment.h"
#include "wallet/wallet.h"

namespace petal::client {

/// The least that all nodes relay: the rate of a payment without a reason for a higher one.
inline constexpr wallet::FeeRate kDefaultFeeRate{1'000};

/// The source of a fee rate.
enum class RateSource : std::uint8_t {
    asked,      ///< by the user
    confirmed,  ///< paid by the wallet's payments that blocks of the last day confirmed, and that
                ///< the user or a peer had shown unconfirmed, with valid signatures
    peers,      ///< peers' feefilter in a sync of the last hours (read_fee_floor). Not on mainnet
    replaced,   ///< of a replacement: a step above the replaced payment's
    default_rate,  ///< the lowest fee rate that nodes relay by default
};
/// A stable kebab-case word for programs.
std::string_view code_of(RateSource source);

struct ChosenRate {
    wallet::FeeRate rate;
    RateSource source;
};

/// The rate of the wallet's recent payments, at least the default rate and, except on mainnet, the
/// lowest rate that peers relay. A payment that only blocks have shown does not count, because a
/// fabricated block could set the rate. Fees of foreign transactions are not known, because a
/// filtered block does not show the spent outputs. Empty on mainnet if no payment was confirmed in
/// the last day: the user must choose a rate.
///
/// minimum_work   WalletSyncStatus::minimum_work: without it, a peer may have fabricated the
///                wallet's payments
std::optional<ChosenRate> choose_rate(const wallet::Wallet& wallet, bool minimum_work,
                                      const DataFolder& data);
/// The rate of a replacement (BIP125): the replaced rate plus the incremental relay rate, and at
/// least the lowest rate that peers relay. On mainnet, claims of peers do not count.
ChosenRate replacement_rate(const wallet::ReplacedPayment& replaced, const DataFolder& data);

}  // namespace petal::client
