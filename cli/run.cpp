#include "cli/run.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <new>
#include <ostream>
#include <string_view>
#include <variant>

#include "chain/headers/header_file.h"
#include "cli/commands.h"
#include "cli/options/access_check.h"
#include "cli/options/advice.h"
#include "cli/options/command_line.h"
#include "cli/options/data_folder.h"
#include "cli/terminal/wrap.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "cli/text/wallet_failure.h"
#include "wallet/keys/secret_text.h"
#include "wallet/wallet.h"

namespace petal::cli {
namespace {

/// The format of standard output.
enum class Output : std::uint8_t { text, json, json_events };

Output output_of(const CommandLine& line) {
    if (!line.global.json) return Output::text;
    return line.action.prints_events ? Output::json_events : Output::json;
}

void refuse_secret(std::string_view text, const std::string& where) {
    const auto secret = wallet::find_secret(text);
    if (!secret) return;
    const bool is_key = *secret == wallet::SecretKind::private_key;
    throw CommandError(
        ExitStatus::usage, "secret-argument",
        where + (is_key ? "a private key" : "a mnemonic") +
            ", which petal takes from a file or standard input only; the shell's history may have "
            "it now, so remove it there, or move the coins to other keys");
}

/// A shell keeps a history of commands, and all users see the arguments of a process. A message may
/// show a part of an argument or a variable, and a part of a secret is not recognised as a secret.
void refuse_secrets(const std::vector<std::string>& arguments) {
    std::string line;
    for (const std::string& argument : arguments) line += argument + ' ';
    refuse_secret(line, "the arguments have ");
    for (const char* name : {"PETAL_NETWORK", "PETAL_DATADIR", "PETAL_WALLET"}) {
        const char* const value = std::getenv(name);
        if (value != nullptr) refuse_secret(value, std::string(name) + " has ");
    }
}

ExitStatus report(const CommandError& error, Output output, Console& console) {
    // Secrets are removed before the message is cut, because a part of a secret is not recognised.
    const CommandError shown(error.status(), error.code(),
                             printable(wallet::without_secrets(error.what()), kMaxShown));
    console.error(shown.what());
    if (output == Output::text) return error.status();
    Json json = Json::object();
    if (output == Output::json_events) json["event"] = "error";
    json.update(error_json(shown));
    if (error.details().is_object()) json.update(error.details());
    console.out().clear();
    console.out() << to_line(json) << '\n' << std::flush;
    return error.status();
}

/// The width of a help for a terminal with this number of columns. Long lines are tiring to read.
std::size_t help_columns(std::size_t columns) {
    constexpr std::size_t kLeast = 60;
    constexpr std::size_t kMost = 100;
    return columns == kNoLimit ? kUsualColumns : std::clamp(columns, kLeast, kMost);
}

/// Executes the parsed command.
void run_command(const CommandLine& line, Console& console) {
    if (line.unsafe_config) {
        // The config file must not silence the warning about the config file.
        console.set_log_level(line.unsafe_config->log_level);
        console.warn("the config file is not yours alone: " +
                     describe(line.unsafe_config->distrust));
    }
    console.set_log_level(line.global.log_level);
    if (line.folder_use == FolderUse::writes) refuse_unsafe_folders(line.global);
    if (line.global.log_file) console.open_log_file(*line.global.log_file);
    if (line.folder_use != FolderUse::none) warn_of_unsafe_folders(line.global, console);
    try {
        return line.action.run(line.global, console);
    } catch (const chain::HeaderFileDamaged&) {
        if (!line.action.may_run_twice) throw;
        console.warn("the stored headers are damaged; petal repairs them and starts again");
    } catch (const chain::HeadersFromFuture& error) {
        throw CommandError(ExitStatus::failed, "header-file",
                           std::string(error.what()) + "; if it is right, " +
                               advised("headers reset", line.global) + " removes these headers");
    }
    // The index was removed. The second run cuts the header file off at the damage.
    line.action.run(line.global, console);
}

}  // namespace

ExitStatus run(const std::vector<std::string>& arguments, Console& console) {
    // For a failure before the config file is read. The config file may set --json too.
    Output output = asks_for_json(arguments) ? Output::json : Output::text;
    try {
        refuse_secrets(arguments);
        const HelpWidths widths{help_columns(console.out_columns()),
                                help_columns(console.err_columns())};
        const auto parsed = parse_command_line(arguments, add_all_commands, widths);
        if (const auto* requested = std::get_if<RequestedText>(&parsed)) {
            const bool is_usage = requested->status == ExitStatus::usage;
            (is_usage ? console.err() : console.out()) << requested->text << std::flush;
            console.flush_out();
            return requested->status;
        }
        output = output_of(std::get<CommandLine>(parsed));
        run_command(std::get<CommandLine>(parsed), console);
        console.flush_out("the command is done, only its output is lost");
        return ExitStatus::done;
    } catch (const FailedTest& failed) {
        console.out() << std::flush;
        console.error(failed.what());
        return ExitStatus::failed;
    } catch (const CommandError& error) {
        return report(error, output, console);
    } catch (const wallet::WalletError& error) {
        return report(command_error(error), output, console);
    } catch (const client::DataFolderError& error) {
        return report(command_error(error), output, console);
    } catch (const chain::HeaderFileDamaged& error) {
        return report({ExitStatus::damaged, "headers-damaged", error.what()}, output, console);
    } catch (const chain::HeaderFileUnusable& error) {
        return report({ExitStatus::damaged, "headers-unusable", error.what()}, output, console);
    } catch (const chain::HeaderFileError& error) {
        return report({ExitStatus::failed, "header-file", error.what()}, output, console);
    } catch (const std::bad_alloc&) {
        return report({ExitStatus::failed, "out-of-memory", "out of memory"}, output, console);
    } catch (const std::exception& error) {
        return report({ExitStatus::failed, "failed", error.what()}, output, console);
    }
}

}  // namespace petal::cli
