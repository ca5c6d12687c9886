#include "cli/wallet/wallet_commands.h"

#include <chrono>
#include <csignal>
#include <filesystem>
#include <ostream>
#include <system_error>

#include "cli/options/advice.h"
#include "cli/options/confirmation.h"
#include "cli/options/data_folder.h"
#include "cli/secrets/mnemonic_input.h"
#include "cli/secrets/secret_input.h"
#include "cli/secrets/word_check.h"
#include "cli/terminal/stop_signals.h"
#include "cli/terminal/wrap.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "cli/wallet/info_commands.h"
#include "cli/wallet/wallet_text.h"
#include "wallet/descriptors/new_descriptors.h"

namespace petal::cli {
namespace {

/// A new secret. A typing error could not be detected later.
wallet::SecretString read_new_secret(const std::filesystem::path& file, std::string_view option,
                                     Console& console) {
    return is_typed(file, console) ? prompt_new_secret(option, console)
                                   : read_secret_file(file, option, console);
}

/// The password in the option's file. Without a file, asks for a password if a user can answer.
wallet::SecretString read_new_password(const SecretFile& file, std::string_view question,
                                       const GlobalOptions& global, Console& console) {
    if (file) {
        wallet::SecretString password = read_new_secret(*file, "--password-file", console);
        if (password.empty()) {
            throw CommandError(ExitStatus::failed, "empty-password", "the password is empty");
        }
        return password;
    }
    return can_ask(global, console) ? prompt_new_secret(question, console) : wallet::SecretString{};
}

constexpr std::string_view kAskPassword = "Password to encrypt the keys with (empty for none)";

wallet::Wallet make_wallet(const wallet::NewWallet& wallet, const GlobalOptions& global) {
    return wallet::Wallet::create(wallet_file(global), *global.network, wallet);
}

/// The number of accounts that restore --discover-accounts watches. Few wallets have more accounts,
/// and each account adds 100 addresses of each chain to the filter.
constexpr std::uint32_t kDiscoveredAccounts = 5;

wallet::Account account_of(const AccountOptions& options) {
    return {options.type.value_or(wallet::ScriptKind::wpkh), options.number};
}

void print_new_wallet(const wallet::WalletInfo& info, const wallet::Mnemonic& mnemonic,
                      bool has_passphrase, const GlobalOptions& global, Console& console) {
    if (global.json) {
        // Written without a Json object, which would leave copies of the words in memory.
        Json json = wallet_json(info, global);
        json["has_passphrase"] = has_passphrase;
        std::string line = to_line(json);
        line.pop_back();
        console.out() << line << ",\"mnemonic\":\"" << mnemonic.words() << "\"}\n";
        return;
    }
    console.prose() << wallet_title(global, console) << " is made. Its words:\n\n";
    print_words(mnemonic.words(), console);
    console.prose()
        << "\nWrite them down in this order and keep them secret: anyone who "
        << (has_passphrase
                ? "reads them and knows the passphrase can spend the coins. They cannot be "
                  "shown later.\n\n"
                  "Keep the passphrase, too, at another place: to restore the wallet you "
                  "need both. The words with another passphrase, or with none, make "
                  "another wallet, without your coins.\n\n"
                : "reads them can spend the coins. They cannot be shown later.\n\n")
        << wallet_lines(info, global);
}

void confirm_deletion(const GlobalOptions& global, Console& console) {
    confirm(
        "Wallet '" + global.wallet + "' on " + std::string(global.network->name) +
            " will be deleted; only a backup, or its words (with the passphrase, if it has one) "
            "or private descriptors, bring its coins back.\n"
            "Type its name to go on: ",
        global.wallet, "deleted", global, console);
}

void confirm_renaming(const std::string& name, const GlobalOptions& global, Console& console) {
    confirm("Wallet '" + global.wallet + "' on " + std::string(global.network->name) +
                " will be called '" + name + "'. Type yes to go on: ",
            kYes, "renamed", global, console);
}

/// The parameters of create and restore: the words, and inputs from files or the terminal.
template <typename Options>
wallet::NewWallet read_recipe(const wallet::Mnemonic& mnemonic, const Options& options,
                              const GlobalOptions& global, Console& console) {
    wallet::NewWallet recipe;
    recipe.mnemonic = mnemonic.words();
    if (options.passphrase_file) {
        recipe.passphrase = read_new_secret(*options.passphrase_file, "--passphrase-file", console);
        if (recipe.passphrase.empty()) {
            throw CommandError(ExitStatus::failed, "empty-passphrase", "the passphrase is empty");
        }
    }
    static_cast<void>(seed_of(mnemonic, recipe.passphrase));  // throws for a bad passphrase
    recipe.password = read_new_password(options.password_file, kAskPassword, global, console);
    recipe.account = account_of(options.account);
    return recipe;
}

void print_restored(const wallet::WalletInfo& info, const GlobalOptions& global, Console& console) {
    warn_of_clear_seed(info, global, console);
    warn_of_shared_keys(info, global, console);
    if (global.json) return console.print_json(wallet_json(info, global));
    console.prose() << wallet_title(global, console) << " is restored; " << advised("sync", global)
                    << " finds its coins.\n\n"
                    << wallet_lines(info, global);
}

wallet::NewDescriptors read_private_descriptors(const std::filesystem::path& file,
                                                const GlobalOptions& global, Console& console) {
    if (file == "-" && console.terminals().in) {
        throw usage_error(
            "--descriptor-file: - is for a pipe; descriptors are not taken from a terminal");
    }
    constexpr std::size_t kMostBytes = 2 * wallet::kMaxPrivateCharacters;  // with comments
    const auto text = read_secret_file(file, "--descriptor-file", console, kMostBytes);
    auto parsed = wallet::parse_private_descriptors(text, *global.network);
    const auto refused = [](const std::string& reason) {
        return CommandError(ExitStatus::failed, "bad-descriptor",
                            "--descriptor-file: " + reason + "; nothing was done");
    };
    if (!parsed) {
        const wallet::RefusedText& line = parsed.error();
        const bool has_place = line.reason.starts_with("character ");
        throw refused("line " + format_count(line.given + 1) + (has_place ? ", " : ": ") +
                      line.reason);
    }
    if (parsed->descriptors.empty()) throw refused("there is no descriptor in it");
    for (const std::string& note : parsed->notes) console.warn(note);
    return *std::move(parsed);
}

void restore_from_descriptors(const RestoreOptions& options, const GlobalOptions& global,
                              Console& console) {
    wallet::NewDescriptorWallet recipe;
    recipe.watched.descriptors =
        read_private_descriptors(*options.descriptor_file, global, console).descriptors;
    recipe.watched.birthday = options.birthday;
    recipe.password = read_new_password(options.password_file, kAskPassword, global, console);
    const auto file = wallet_file(global);
    const wallet::WalletInfo info = wallet::Wallet::restore(file, *global.network, recipe).info();
    print_restored(info, global, console);
    if (!global.json) console.prose() << descriptor_lines(info);
}

}  // namespace

chain::Birthday birthday_now(const chain::NetworkParams& network) {
    if (network.name == "regtest") return {};
    constexpr std::chrono::days kMargin{7};
    const auto time = std::chrono::system_clock::now() - kMargin;
    return {0, std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count()};
}

void check_new_wallet(const GlobalOptions& global, std::string_view with_option) {
    data_of(global).check();
    std::error_code unreadable;
    if (std::filesystem::exists(wallet_file(global), unreadable)) {
        throw CommandError(ExitStatus::failed, "wallet-exists",
                           "there is a wallet '" + global.wallet + "' on " +
                               std::string(global.network->name) + " already; choose another name" +
                               std::string(with_option));
    }
}

/// Removes a new wallet if the words could not be shown, because payments to such a wallet could be
/// lost.
void remove_unshown(const GlobalOptions& global) {
    try {
        wallet::Wallet::remove(wallet_file(global));
    } catch (const wallet::WalletError& error) {
        throw CommandError(ExitStatus::failed, "output",
                           "cannot show the words of wallet '" + global.wallet +
                               "', and cannot remove it: " + error.what() +
                               "; it must not be used: " + advised("delete", global));
    }
}

/// Asks for some words of a new wallet after all words were shown. The wallet stays, whatever the
/// answers are.
void check_written_words(const wallet::Mnemonic& mnemonic, const GlobalOptions& global,
                         Console& console) {
    console.err() << wrap(
        "\nThree of the words, as you wrote them down (not shown while you type):\n",
        console.err_columns());
    const std::string if_interrupted =
        "the wallet is made, and " + advised("check-words", global) + " checks its words later";
    if (ask_some_words(mnemonic.words(), if_interrupted, console)) {
        console.err() << wrap("All three are right. " + advised("receive", global) +
                                  " shows an address to be paid to.\n",
                              console.err_columns());
    } else {
        console.err() << wrap(
            "Not checked; " + advised("check-words", global) + " checks them all.\n",
            console.err_columns());
    }
}

void run_create(const CreateOptions& options, const GlobalOptions& global, Console& console) {
    check_new_wallet(global);
    const wallet::Mnemonic mnemonic = wallet::Mnemonic::generate(options.words);
    wallet::NewWallet recipe = read_recipe(mnemonic, options, global, console);
    recipe.birthday = birthday_now(*global.network);
    // The wallet is removed if the words can't be written. So a signal or a closed pipe must not
    // end the process, but fail like a full disk.
    const StopSignals signals;
    std::signal(SIGPIPE, SIG_IGN);
    const wallet::WalletInfo info = make_wallet(recipe, global).info();
    const bool is_in_time = !signals.stopped();
    if (is_in_time) {
        print_new_wallet(info, mnemonic, !recipe.passphrase.empty(), global, console);
    }
    if (!is_in_time || !console.out().flush()) {
        remove_unshown(global);
        if (signals.stopped()) {
            throw CommandError(ExitStatus::interrupted, "interrupted",
                               "interrupted; no wallet was made");
        }
        throw CommandError(ExitStatus::failed, "output",
                           "cannot write the words to standard output; no wallet was made");
    }
    warn_of_clear_seed(info, global, console);
    if (!options.no_check && can_ask(global, console) && console.terminals().out) {
        check_written_words(mnemonic, global, console);
    }
}

void run_restore(const RestoreOptions& options, const GlobalOptions& global, Console& console) {
    check_new_wallet(global);
    if (options.descriptor_file) return restore_from_descriptors(options, global, console);
    const wallet::Mnemonic mnemonic = read_mnemonic(options.mnemonic_file, global, console);
    wallet::NewWallet recipe = read_recipe(mnemonic, options, global, console);
    recipe.any_type = !options.account.type;
    if (options.discover_accounts) recipe.accounts = kDiscoveredAccounts;
    recipe.birthday = options.birthday;
    const wallet::WalletInfo info = make_wallet(recipe, global).info();
    print_restored(info, global, console);
    if (global.json) return;
    if (options.discover_accounts) {
        console.prose() << "\nIt looks for addresses of all types in accounts 0 to "
                        << kDiscoveredAccounts - 1 << ", and shows those that were used.\n";
    } else if (recipe.any_type) {
        console.prose()
            << "\nIt looks for addresses of all types, and shows those that were used.\n";
    }
}

void run_encrypt(const EncryptOptions& options, const GlobalOptions& global, Console& console) {
    wallet::Wallet wallet = open_wallet(global, wallet::Access::sync);
    if (wallet.info().watch_only) static_cast<void>(wallet.secret(""));  // throws: no secret
    const bool was_encrypted = wallet.info().encrypted;
    if (options.old_password_file && !was_encrypted) {
        throw usage_error("--old-password-file: the wallet is not encrypted");
    }
    wallet::SecretString old_password;
    if (options.old_password_file) {
        old_password = read_secret_file(*options.old_password_file, "--old-password-file", console);
    } else if (was_encrypted) {
        if (!can_ask(global, console)) throw password_needed("--old-password-file");
        old_password = prompt_secret("The password so far", console);
    }
    static_cast<void>(wallet.secret(old_password));  // a wrong one fails before the next question
    const auto password = read_new_password(options.password_file, "New password", global, console);
    if (password.empty()) {
        throw usage_error("a password is needed; --password-file names a file with it");
    }
    wallet.encrypt(old_password, password);
    if (global.json) return console.print_json(wallet_json(wallet.info(), global));
    console.out()
        << wallet_title(global, console)
        << (was_encrypted ? " has a new password.\n" : " is encrypted.\n")
        << "Copies of its file that were made before, such as backups, are as they were.\n";
}

void run_rename(const RenameOptions& options, const GlobalOptions& global, Console& console) {
    check_wallet_exists(global);
    GlobalOptions renamed = global;
    renamed.wallet = options.name;
    check_new_wallet(renamed, "");
    if (!options.yes) confirm_renaming(options.name, global, console);
    data_of(global).rename_wallet(global.wallet, options.name);
    if (global.json) {
        return console.print_json({{"wallet", options.name},
                                   {"network", global.network->name},
                                   {"file", wallet_file(renamed).string()}});
    }
    console.prose() << "Wallet '" << global.wallet << "' is now '" << options.name << "'.\n";
}

void run_delete(const DeleteOptions& options, const GlobalOptions& global, Console& console) {
    check_wallet_exists(global);
    if (!options.yes) confirm_deletion(global, console);
    data_of(global).remove_wallet(global.wallet);
    if (global.json) {
        return console.print_json(
            {{"wallet", global.wallet}, {"network", global.network->name}, {"deleted", true}});
    }
    console.prose() << "Wallet '" << global.wallet << "' is deleted.\n";
}

}  // namespace petal::cli
