#include "cli/spending/message_commands.h"

#include <memory>
#include <ostream>
#include <utility>

#include "cli/files/user_file.h"
#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/payment/payment_builder.h"
#include "cli/secrets/secret_input.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/wallet/address_commands.h"
#include "wallet/keys/randomness.h"
#include "wallet/wallet.h"

namespace petal::cli {
namespace {

constexpr std::size_t kMaxMessageBytes = 1'000'000;

/// The message from the command line, or all of standard input, byte for byte.
std::string read_message(const std::string& given, Console& console) {
    if (given != kStandardStream) return given;
    std::string message = UserInput(given, console).read_at_most(kMaxMessageBytes + 1);
    if (message.size() > kMaxMessageBytes) throw usage_error("the message is too long");
    return message;
}

wallet::MessageFormat format_for(wallet::ScriptKind kind, const SignMessageOptions& options) {
    const auto format = options.format.value_or(wallet::usual_format(kind));
    if (has_format(kind, format)) return format;
    std::string possible(name_of(wallet::usual_format(kind)));
    if (wallet::usual_format(kind) != wallet::MessageFormat::full) possible += " or full";
    throw usage_error("signatures of " + std::string(describe(kind)) +
                      " addresses cannot have the format " + std::string(name_of(format)) +
                      ", but " + possible);
}

void run_sign_message(const SignMessageOptions& options, const GlobalOptions& global,
                      Console& console) {
    const chain::Bytes script = given_script(options.address, *global.network);
    const std::string message = read_message(options.message, console);
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const auto kind = wallet.signing_kind(script);
    if (!kind) {
        throw CommandError(ExitStatus::failed, "not-in-wallet",
                           "the wallet has no private key of this address");
    }
    const wallet::MessageFormat format = format_for(*kind, options);
    wallet::SecretArray<32> auxiliary;
    wallet::fill_random(auxiliary.writable());
    const std::string signature = wallet.sign_message(
        message, script, format, unlock(wallet, options.password_file, global, console), auxiliary);
    if (global.json) {
        return console.print_json({{"network", global.network->name},
                                   {"address", given_address(options.address)},
                                   {"signature", signature},
                                   {"format", name_of(format)}});
    }
    console.out() << signature << '\n';
}

/// The time limits of a signature. Empty without limits.
std::string limits_text(const wallet::VerifiedMessage& verified) {
    std::string text;
    if (verified.lock_time != 0) {
        text += ", with lock time " + std::to_string(verified.lock_time);
    }
    if (verified.sequence != 0) text += ", with sequence " + std::to_string(verified.sequence);
    return text;
}

void run_verify_message(const VerifyMessageOptions& options, const GlobalOptions& global,
                        Console& console) {
    const chain::Bytes script = given_script(options.address, *global.network);
    const std::string message = read_message(options.message, console);
    const auto verified = wallet::verify_message(message, script, options.signature);
    if (!verified) {
        const bool is_unknown = is_inconclusive(verified.error());
        throw CommandError(ExitStatus::failed, is_unknown ? "cannot-verify" : "bad-signature",
                           (is_unknown ? "it cannot be told whether the signature is valid: "
                                       : "the signature is not valid: ") +
                               std::string(describe(verified.error())));
    }
    if (global.json) {
        return console.print_json({{"network", global.network->name},
                                   {"address", given_address(options.address)},
                                   {"valid", true},
                                   {"format", name_of(verified->format)},
                                   {"lock_time", verified->lock_time},
                                   {"sequence", verified->sequence}});
    }
    console.prose() << "valid: the owner of " << given_address(options.address)
                    << " has signed this (" << name_of(verified->format) << limits_text(*verified)
                    << ")\n";
}

CommandEntry add_sign_message(CLI::App& root) {
    CLI::App* app =
        add_command(root, kSpending, "sign-message", "sign a message with the key of an address");
    auto options = std::make_shared<SignMessageOptions>();
    app->add_option("ADDRESS", options->address, "one of the wallet's addresses")->required();
    app->add_option("MESSAGE", options->message,
                    "the message; - reads all of standard input, line ends included")
        ->required();
    using enum wallet::MessageFormat;
    add_choice<wallet::MessageFormat>(
        app, "--format", options->format, {{"legacy", legacy}, {"simple", simple}, {"full", full}},
        "legacy, of P2PKH addresses; simple or full (BIP322) (default: the shortest that the "
        "address can have)");
    add_password_option(app, options->password_file);
    return {app, [options](const GlobalOptions&) {
                refuse_two_readers({options->message, options->password_file});
                return make_action(std::move(*options), run_sign_message);
            }};
}

CommandEntry add_verify_message(CLI::App& root) {
    CLI::App* app = add_command(root, kSpending, "verify-message",
                                "check that the owner of an address signed a message");
    auto options = std::make_shared<VerifyMessageOptions>();
    app->add_option("ADDRESS", options->address, "the address")->required();
    app->add_option("SIGNATURE", options->signature, "the signature, of any format")->required();
    app->add_option("MESSAGE", options->message,
                    "the message; - reads all of standard input, line ends included")
        ->required();
    return without_folder(plain_entry(app, options, run_verify_message));
}

}  // namespace

std::vector<CommandEntry> add_message_commands(CLI::App& root) {
    return {add_sign_message(root), add_verify_message(root)};
}

}  // namespace petal::cli
