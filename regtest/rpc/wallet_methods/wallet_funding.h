/// Adds coins and change to a transaction that has outputs, and possibly inputs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "regtest/rpc/rpc_arguments.h"
#include "regtest/rpc/rpc_json.h"
#include "regtest/wallets/wallet_set.h"
#include "wallet/spending/payment.h"

namespace petal::regtest::rpc {

/// The options of fundrawtransaction, walletcreatefundedpsbt and send.
struct FundingOptions {
    bool adds_inputs = true;
    std::optional<chain::Bytes> change_script;
    std::optional<std::size_t> change_position;
    bool locks_coins = false;
    std::optional<chain::Satoshis> fee_rate;  ///< satoshi per 1,000 vB
    std::vector<std::size_t> fee_from;        ///< outputs that pay the fee
    std::int64_t least_confirmations = 0;
    std::int64_t most_confirmations = 9'999'999;
};

/// The names of the options that parse_funding() accepts, in both spellings.
std::vector<std::string_view> funding_option_names();

/// Throws RpcError.
/// options   an object or null
/// outputs   the outputs by address in the order of the transaction, or empty. For fee_from
FundingOptions parse_funding(const Json& options, std::size_t output_count, const Json& outputs);

/// Adds coins and change, unsigned. Keeps the inputs, the outputs, the version and the lock time of
/// `draft`. The change address is reserved. Throws RpcError.
wallet::Payment fund(wallets::WalletSet& wallets, wallets::NamedWallet& wallet,
                     const chain::Transaction& draft, const FundingOptions& options);

/// Like fund(), but spends the draft's inputs alone or, without inputs, all coins. The scripts of
/// `sharing` get equal parts of what remains after the draft's outputs and the fee, and come first.
wallet::Payment fund_with_all(wallets::WalletSet& wallets, wallets::NamedWallet& wallet,
                              const chain::Transaction& draft,
                              const std::vector<chain::Bytes>& sharing,
                              const FundingOptions& options);

}  // namespace petal::regtest::rpc
