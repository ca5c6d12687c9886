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
    std::optional<wallet::ScriptKind> type;  ///< empty: wpkh; for restoring, all
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
    SecretFile descriptor_file;  ///< instead of words: descriptors with private keys
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

/// The birthday of keys that are made now, with a margin. Blocks of a private regtest chain may
/// have any time, so there it is the first block.
chain::Birthday birthday_now(const chain::NetworkParams& network);

/// Called before any question or change: throws CommandError if there is a wallet of this name.
/// with_option   how to choose another name; the end of the error
void check_new_wallet(const GlobalOptions& global, std::string_view with_option = " with --wallet");

// Each writes its result to the console's standard output: text, or one JSON object with --json.
// They throw CommandError or wallet::WalletError.

void run_create(const CreateOptions& options, const GlobalOptions& global, Console& console);
void run_restore(const RestoreOptions& options, const GlobalOptions& global, Console& console);
void run_encrypt(const EncryptOptions& options, const GlobalOptions& global, Console& console);
void run_rename(const RenameOptions& options, const GlobalOptions& global, Console& console);
void run_delete(const DeleteOptions& options, const GlobalOptions& global, Console& console);

}  // namespace petal::cli
