/// Payments of a wallet, from the order to the mempool.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "regtest/rpc/fee_choice.h"
#include "regtest/rpc/rpc_json.h"
#include "regtest/wallets/wallet_set.h"
#include "wallet/spending/payment.h"

namespace petal::regtest::rpc {

struct PaymentOrder {
    std::vector<chain::TxOutput> outputs;
    std::vector<std::size_t> fee_from;  ///< outputs that pay the fee. Empty: paid in addition
    FeeChoice fee;
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

/// The error for a payment that cannot be made, as in Bitcoin Core's wallet.
RpcError unfunded(const std::string& message);

}  // namespace petal::regtest::rpc
