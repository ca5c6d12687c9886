/// How commands fail if a wallet operation fails.
#pragma once

#include "cli/text/command_error.h"
#include "wallet/store/wallet_error.h"

namespace petal::cli {

/// The failure with the exit status and the word for programs.
CommandError command_error(const wallet::WalletError& error);

}  // namespace petal::cli
