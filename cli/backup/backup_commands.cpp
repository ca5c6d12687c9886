#include "cli/backup/backup_commands.h"

#include <string>
#include <system_error>

#include "cli/files/user_file.h"
#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "cli/wallet/wallet_commands.h"
#include "cli/wallet/wallet_text.h"
#include "wallet/wallet_backup.h"

namespace petal::cli {
namespace {

struct BackupOptions {
    std::filesystem::path file;
};

struct RestoreBackupOptions {
    std::filesystem::path file;
    SecretFile password_file;  ///< if given, must open the restored wallet
};

std::string synced_text_of(const wallet::WalletInfo& info) {
    return info.synced ? "synced to block " + format_count(info.synced->height) : "not synced yet";
}

Json backup_json(const wallet::WalletInfo& info, const GlobalOptions& global) {
    return {{"wallet", global.wallet},
            {"network", global.network->name},
            {"fingerprint", info.fingerprint.empty() ? Json(nullptr) : Json(info.fingerprint)},
            {"encrypted", info.encrypted},
            {"synced_height", info.synced ? Json(info.synced->height) : Json(nullptr)}};
}

void warn_of_clear_backup(const wallet::WalletInfo& info, const GlobalOptions& global,
                          Console& console) {
    if (info.encrypted || info.watch_only) return;
    console.warn(std::string(info.has_words ? "the seed in the backup is"
                                            : "the private keys in the backup are") +
                 " not encrypted: anyone who can read it can spend the coins; " +
                 advised("encrypt", global) +
                 " sets a password, for the wallet and its later backups");
}

/// A failure may leave a pipe with a part of the backup. restore-backup detects a partial backup.
void back_up_to_output(const std::filesystem::path& wallet, const GlobalOptions& global,
                       Console& console) {
    if (console.terminals().out) {
        throw usage_error("a backup is no text for a terminal; name a file, or pipe it");
    }
    wallet::back_up(wallet, *global.network, [&](chain::ByteView bytes) {
        console.out().write(reinterpret_cast<const char*>(bytes.data()),
                            static_cast<std::streamsize>(bytes.size()));
    });
    console.flush_out();
}

void run_backup(const BackupOptions& options, const GlobalOptions& global, Console& console) {
    const wallet::WalletInfo info = open_wallet(global, wallet::Access::read).info();
    const std::filesystem::path file = wallet_file(global);
    if (options.file == kStandardStream) {
        back_up_to_output(file, global, console);
        return warn_of_clear_backup(info, global, console);
    }
    std::uint64_t bytes = 0;
    make_user_file(options.file,
                   [&] { bytes = wallet::back_up_to(file, *global.network, options.file); });
    if (global.json) {
        Json json = backup_json(info, global);
        json["file"] = options.file.string();
        json["bytes"] = bytes;
        console.print_json(json);
    } else {
        console.prose() << "Wallet '" << global.wallet << "' on " << global.network->name << ", "
                        << synced_text_of(info) << ", is backed up to "
                        << printable(options.file.string()) << " (" << format_count(bytes)
                        << " bytes).\n";
    }
    warn_of_clear_backup(info, global, console);
}

CommandError bad_backup(const std::string& what) {
    return {ExitStatus::failed, "bad-backup", what + "; nothing was restored"};
}

void restore_from(UserInput& input, const wallet::SecretString& password, bool has_password,
                  const GlobalOptions& global) {
    try {
        const auto restored = wallet::restore_backup(
            wallet_file(global), *global.network,
            [&](std::span<chain::Byte> bytes) { return input.read(bytes); },
            [&](const wallet::Wallet& wallet) {
                if (!has_password) return;
                const wallet::WalletInfo info = wallet.info();
                if (!info.encrypted) {
                    throw usage_error(
                        "--password-file: the backup is " +
                        std::string(info.watch_only
                                        ? "of a watch-only wallet, which has no password"
                                        : "not encrypted, and would be restored without one") +
                        "; nothing was restored");
                }
                static_cast<void>(wallet.secret(password));
            });
        if (restored) return;
        if (restored.error() == wallet::BackupError::newer_version) {
            throw CommandError(ExitStatus::failed, "newer-version",
                               "the backup was made by a later petal; install that one, or a "
                               "later one");
        }
        throw bad_backup("the file " + std::string(describe(restored.error())));
    } catch (const wallet::WalletError& error) {
        if (error.kind() == wallet::WalletError::Kind::damaged) throw bad_backup(error.what());
        throw;
    } catch (const std::system_error& error) {
        throw CommandError(ExitStatus::failed, "storage",
                           "the wallet can't be stored: " + error.code().message() +
                               "; check free space and permissions, and try again");
    }
}

void run_restore_backup(const RestoreBackupOptions& options, const GlobalOptions& global,
                        Console& console) {
    check_new_wallet(global);
    wallet::SecretString password;
    if (options.password_file) {
        password = read_secret_file(*options.password_file, "--password-file", console);
    }
    UserInput input(options.file, console);
    restore_from(input, password, options.password_file.has_value(), global);
    const wallet::WalletInfo info = open_wallet(global, wallet::Access::read).info();
    warn_of_clear_seed(info, global, console);
    if (global.json) {
        Json json = backup_json(info, global);
        json["file"] = wallet_file(global).string();
        return console.print_json(json);
    }
    console.prose() << "Wallet '" << global.wallet << "' on " << global.network->name
                    << " is restored, " << synced_text_of(info) << "; " << advised("sync", global)
                    << " goes on from there.\n"
                    << "Use one copy of a wallet only: two hand out the same addresses.\n";
}

CommandEntry add_backup(CLI::App& root) {
    CLI::App* app = add_command(root, kWallets, "backup", "save the whole wallet to a file");
    auto options = std::make_shared<BackupOptions>();
    app->add_option("FILE", options->file, "the file to create; - is standard output")->required();
    app->footer(
        "The file holds the seed, the labels, the history and the state of the sync "
        "at this moment; a sync may run meanwhile. The seed in it is encrypted if "
        "the wallet is; the rest is not. The file is written completely or not at "
        "all, is readable by you alone (mode 0600), and never overwrites another "
        "file. With -, the program that reads the pipe gets part of the backup even "
        "if the rest fails; petal restore-backup detects that.\n\n"
        "Examples:\n"
        "  petal backup savings-2024-05-31.petal\n"
        "  petal backup - | gpg --symmetric > savings.petal.gpg");
    return reading({app, [options](const GlobalOptions& global) {
                        if (global.json && options->file == kStandardStream) {
                            throw usage_error(
                                "standard output can't take both the backup and --json");
                        }
                        return make_action(std::move(*options), run_backup);
                    }});
}

CommandEntry add_restore_backup(CLI::App& root) {
    CLI::App* app =
        add_command(root, kWallets, "restore-backup", "restore a wallet from a backup file");
    auto options = std::make_shared<RestoreBackupOptions>();
    app->add_option("FILE", options->file, "the backup; - is standard input")->required();
    app->add_option_function<std::string>(
           "--password-file", [options](const std::string& path) { options->password_file = path; },
           "restore it only if the password in this file opens it; - is standard input. "
           "Only for an encrypted wallet")
        ->type_name("FILE");
    app->footer(
        "The wallet gets the name of --wallet, which no wallet may have yet. It is "
        "restored completely or not at all: a file that was truncated, changed, made "
        "on another network or by a later petal is refused. The next sync continues "
        "from the block to which the backup was synced. Use only one copy of a "
        "wallet: two hand out the same addresses to different payers.\n\n"
        "Examples:\n"
        "  petal restore-backup savings-2024-05-31.petal\n"
        "  gpg --decrypt savings.petal.gpg | petal --wallet savings restore-backup -");
    return {app, [options](const GlobalOptions&) {
                refuse_two_readers({options->file, options->password_file});
                return make_action(std::move(*options), run_restore_backup);
            }};
}

}  // namespace

std::vector<CommandEntry> add_backup_commands(CLI::App& root) {
    return {add_backup(root), add_restore_backup(root)};
}

}  // namespace petal::cli
