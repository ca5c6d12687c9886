/// Commands that make, change and list wallets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "chain/watcher.h"
#include "cli/options/options.h"
#include "cli/secrets/secret_input.h"
#include "cli/terminal/console.h"
#include "wallet/keys/key_path.h"
#include "wallet/keys/mnemonic.h"

namespace petal::cli {

struct AccountOptions {
    std::optional<wallet::ScriptKind> type;  ///< empty: wpkh, or all types for restoring
    std::uint32_t number = 0;
};

struct CreateOptions {
    wallet::MnemonicSize words = wallet::MnemonicSize::words_12;
    AccountOptions account;
    SecretFile password_file;
    SecretFile passphrase_file;
    bool no_check = false;  ///< does not ask for three of the words
};

struct RestoreOptions {
    SecretFile mnemonic_file;
    SecretFile descriptor_file;  ///< private keys in descriptors, instead of words
    AccountOptions account;
    bool discover_accounts = false;  ///< look for several accounts, of all types
    SecretFile password_file;
    SecretFile passphrase_file;
    chain::Birthday birthday;
};

struct EncryptOptions {
    SecretFile password_file;
    SecretFile old_password_file;
};

struct RenameOptions {
    std::string name;
    bool yes = false;  ///< without a question
};

struct DeleteOptions {
    bool yes = false;  ///< without a question
};

/// The birthday of keys that are made now, with a margin. On regtest the first block, because
/// blocks of a private chain may have any time.
chain::Birthday birthday_now(const chain::NetworkParams& network);

/// Throws CommandError if there is a wallet of this name. Called before any question or change.
/// with_option   how to choose a different name, as the end of the error
void check_new_wallet(const GlobalOptions& global, std::string_view with_option = " with --wallet");

// Each function writes a result to the console's standard output: text, or one JSON object with
// --json. Throws CommandError or wallet::WalletError.

void run_create(const CreateOptions& options, const GlobalOptions& global, Console& console);
void run_restore(const RestoreOptions& options, const GlobalOptions& global, Console& console);
void run_encrypt(const EncryptOptions& options, const GlobalOptions& global, Console& console);
void run_rename(const RenameOptions& options, const GlobalOptions& global, Console& console);
void run_delete(const DeleteOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
