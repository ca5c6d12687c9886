/// Payments of a wallet, from the order to the mempool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "regtest/rpc/payment_arguments.h"
#include "regtest/rpc/rpc_json.h"
#include "regtest/wallets/wallet_set.h"
#include "wallet/spending/payment.h"

namespace petal::regtest::rpc {

/// Does not signal replaceability (BIP125), but allows a lock time.
inline constexpr std::uint32_t kIrreplaceableSequence = 0xffff'fffe;

struct PaymentOrder : PaymentArguments {
    bool avoids_reuse = false;  ///< leaves out coins of addresses that were spent from
    std::string comment;        ///< kept in the wallet as the transaction's label
};

/// A fee rate, and where it comes from in Bitcoin Core's words.
struct ChosenRate {
    wallet::FeeRate rate{0};
    std::string reason;
};

/// The rate for a payment. Throws `insufficient_funds` if none is requested and there is no
/// fallback, or if the requested rate is too low.
ChosenRate choose_rate(const wallets::WalletOptions& options, const wallets::WalletChain& chain,
                       const std::optional<chain::Satoshis>& requested);

/// Chooses coins and builds a payment, unsigned. Throws RpcError.
wallet::Payment build_order(wallets::NamedWallet& wallet, const PaymentOrder& order,
                            const ChosenRate& rate);

/// Signs a payment, stores it in the wallet and offers it to the mempool. Throws RpcError. The
/// wallet then has not stored it.
chain::Txid send_payment(wallets::WalletSet& wallets, wallets::NamedWallet& wallet,
                         wallet::Payment payment);

/// Builds a replacement, unsigned. Throws RpcError.
/// request   FeeBumper::replacement_of(), with a fee rate
wallet::Payment build_replacement(wallets::NamedWallet& wallet,
                                  const wallet::PaymentRequest& request);
/// Like send_payment(), for a replacement of the payment with this txid.
chain::Txid send_replacement(wallets::WalletSet& wallets, wallets::NamedWallet& wallet,
                             wallet::Payment payment, const chain::Txid& replaced);

/// Why a payment can't be made, in Bitcoin Core's words, except for insufficient_funds with coins
/// that suffice without the fee.
std::string payment_fault_text(const wallet::PaymentFailure& failure);
/// An amount as in Bitcoin Core's messages: at least two decimals (FormatMoney).
std::string money_text(chain::Satoshis amount);
/// For the choice of coins.
std::uint64_t random_bits();

/// The error for a payment that cannot be made, as in Bitcoin Core's wallet.
RpcError unfunded(const std::string& message);

}  // namespace petal::regtest::rpc
