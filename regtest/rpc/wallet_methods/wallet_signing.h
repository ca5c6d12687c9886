/// Signing transactions and PSBTs with a wallet's keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "regtest/rpc/rpc_json.h"
#include "regtest/wallets/named_wallet.h"
#include "wallet/psbt/psbt.h"

namespace petal::regtest::rpc {

/// The hash type of a name such as `ALL|ANYONECANPAY`. Throws `invalid_parameter`.
std::uint32_t parse_hash_type(const std::string& name);

/// Throws `undecodable`.
wallet::Psbt parse_psbt(const std::string& base64);

/// Adds the outputs that the inputs spend and the wallet's keys and scripts, as far as the wallet
/// and the chain know them.
wallet::Psbt complete_psbt(const wallets::NamedWallet& wallet, wallet::Psbt psbt);

/// Adds the wallet's signatures. Inputs that the wallet cannot sign stay as they are. The wallet
/// must not be locked.
/// hash_type   empty: the default of each input
wallet::Psbt sign_psbt(wallets::NamedWallet& wallet, wallet::Psbt psbt,
                       const std::optional<std::uint32_t>& hash_type);

}  // namespace petal::regtest::rpc
