/// A payment from the order to the signed transaction.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/expected.h"
#include "chain/transaction.h"
#include "client/data/data_folder.h"
#include "client/spending/fee_choice.h"
#include "wallet/keys/secret_bytes.h"
#include "wallet/spending/payment.h"
#include "wallet/wallet.h"

namespace petal::client {

/// What a user wants to pay.
struct PaymentOrder {
    std::vector<wallet::Recipient> recipients;   ///< at most one of them takes the rest
    wallet::FeeRate fee_rate = kDefaultFeeRate;  ///< such as choose_rate() returns
    bool recipients_pay_fee = false;             ///< in equal parts
    /// Spend exactly these coins, each once. Empty to have coins chosen.
    std::vector<chain::Outpoint> coins;
};

/// A coin of PaymentOrder::coins that the payment can't spend.
struct CoinFault {
    enum class Kind : std::uint8_t {
        not_spendable,     ///< watched, frozen, unshown change, spent, or unknown
        several_accounts,  ///< of another account than the first, to which the change goes
    };
    Kind kind = Kind::not_spendable;
    chain::Outpoint outpoint;
};

/// A request with the coins that it may spend.
struct PaymentPlan {
    wallet::PaymentRequest request;
    wallet::SpendableCoins spendable;  ///< without coins that PaymentOrder::coins does not name

    /// Chooses coins and builds the transaction, with the system's randomness.
    chain::Expected<wallet::Payment, wallet::PaymentFailure> build() const;
};

/// The height of the wallet's last block, if that is not so old that blocks are likely missing
/// (Bitcoin Core: MAX_ANTI_FEE_SNIPING_TIP_AGE).
std::optional<std::uint32_t> recent_height(const wallet::Wallet& wallet, const DataFolder& data);

chain::Expected<PaymentPlan, CoinFault> plan_payment(const PaymentOrder& order,
                                                     const wallet::Wallet& wallet,
                                                     const DataFolder& data);

/// Signs a payment. Throws as Wallet::sign().
/// new_address_output   the output that pays a new address of the wallet, if any, such as
///                      Payment::change_index. The address is reserved only now. Another payment
///                      may have taken the address while the user typed a password
/// secret               Wallet::secret()
void sign_payment(wallet::Payment& payment, const std::optional<std::size_t>& new_address_output,
                  wallet::Wallet& wallet, const wallet::SecretBytes& secret);

}  // namespace petal::client
