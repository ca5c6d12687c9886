/// Parts of the answers of wallet methods.
#pragma once

#include <cstddef>
#include <string>

#include "regtest/rpc/rpc_arguments.h"
#include "regtest/rpc/rpc_json.h"
#include "regtest/wallets/named_wallet.h"

namespace petal::regtest::rpc {

/// Adds `lastprocessedblock`.
void add_last_block(Json& json, const wallets::NamedWallet& wallet);

/// Throws `wallet_locked` if the wallet is locked.
void require_unlocked(wallets::NamedWallet& wallet);
/// Throws `wallet_error` unless the wallet allows private keys, and `wallet_locked` if it is
/// locked.
void require_private_keys(wallets::NamedWallet& wallet);

/// Whether coins of reused addresses are left out. Throws `wallet_error` if the argument asks for
/// it and the wallet does not tell them apart (Bitcoin Core: GetAvoidReuseFlag).
bool avoid_reuse(const wallets::NamedWallet& wallet, const Arguments& arguments,
                 std::size_t position);

/// A label. Throws `invalid_label` for `*`, which stands for all labels.
std::string checked_label(const std::string& label);

}  // namespace petal::regtest::rpc
