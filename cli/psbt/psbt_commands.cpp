#include "cli/psbt/psbt_commands.h"

#include <array>
#include <ostream>
#include <utility>

#include "chain/bytes.h"
#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/payment/fee_rate_choice.h"
#include "cli/payment/payment_text.h"
#include "cli/psbt/psbt_input.h"
#include "cli/psbt/psbt_json.h"
#include "cli/psbt/psbt_signing.h"
#include "cli/psbt/psbt_text.h"
#include "cli/psbt/sighash_name.h"
#include "cli/secrets/secret_input.h"
#include "cli/terminal/wrap.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "net/io/dial/system_random.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/psbt_verifier.h"
#include "wallet/psbt_wallet.h"

namespace petal::cli {
namespace {

/// Prints only the base64 or, with --json, `psbt` with the members of `more`.
void print_psbt(const wallet::Psbt& psbt, const Json& more, const GlobalOptions& global,
                Console& console) {
    const std::string base64 = chain::to_base64(psbt.serialize());
    Json json{{"network", global.network->name}, {"psbt", base64}};
    json.update(more);
    if (global.json) return console.print_json(json);
    console.out() << base64 << '\n';
}

void run_psbt_create(const PsbtCreateOptions& options, const GlobalOptions& global,
                     Console& console) {
    refuse_default_mainnet(global);
    const PaymentOrder order = read_payment_order(options.words, global);
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const bool minimum_work = warn_unless_proven(wallet, global, console);
    const client::ChosenRate rate = choose_rate(options.fee_rate, wallet, minimum_work, global);
    const wallet::Payment payment =
        build_ordered_payment(options, order, rate.rate, wallet, global, console);
    check_fee(fee_to_check(payment), options.fee_terms);
    Json json = payment_json(payment, false, global);
    for (const char* const key : {"network", "txid", "hex"}) json.erase(key);
    json["fee_rate_source"] = code_of(rate.source);
    json["minimum_work"] = minimum_work;
    if (!global.json && console.log_level() >= LogLevel::warning) {
        const std::string named = options.utxos.empty() ? "" : coins_lines(payment);
        console.err() << wrap(unsigned_payment_text(payment, wallet, rate, global) + named,
                              console.err_columns());
    }
    print_psbt(wallet::PsbtWallet(wallet).create(payment), json, global, console);
}

void warn_of(const std::vector<wallet::PsbtInputError>& errors, const std::string& consequence,
             Console& console) {
    for (const auto& error : errors) console.warn(wallet::describe(error) + consequence);
}

void warn_of_unverified_inputs(const wallet::Psbt& psbt, Console& console) {
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (psbt.utxo(i)) continue;
        console.warn("input " + std::to_string(i) +
                     ": it is not known what it spends, so its signature was not verified");
    }
}

void run_psbt_combine(const PsbtFilesOptions& options, const GlobalOptions& global,
                      Console& console) {
    check_standard_input_once(options.files);
    wallet::Psbt combined = psbt_from_file(options.files.front(), global, console);
    for (std::size_t i = 1; i < options.files.size(); ++i) {
        const std::array pair{std::move(combined),
                              psbt_from_file(options.files[i], global, console)};
        auto result = wallet::combine(pair);
        if (!result) {
            throw CommandError(ExitStatus::failed, "cannot-combine",
                               wallet::describe(wallet::CombineError{i, result.error().fault}));
        }
        combined = *std::move(result);
    }
    warn_of(wallet::find_wrong_signatures(combined), "", console);
    print_psbt(combined, Json::object(), global, console);
}

void run_psbt_join(const PsbtFilesOptions& options, const GlobalOptions& global, Console& console) {
    const auto joined =
        wallet::join(psbts_from_files(options.files, global, console), net::random_seed);
    if (!joined) {
        throw CommandError(ExitStatus::failed, "cannot-join", wallet::describe(joined.error()));
    }
    print_psbt(*joined, Json::object(), global, console);
}

void run_psbt_finalize(const PsbtFileOptions& options, const GlobalOptions& global,
                       Console& console) {
    wallet::Psbt psbt = psbt_from_file(options.file, global, console);
    const auto wrong = wallet::find_wrong_signatures(psbt);
    const auto errors = wallet::finalize(psbt);
    for (const wallet::PsbtInputError& error : errors) {
        if (wallet::is_wrong(error.fault)) {
            throw CommandError(ExitStatus::failed, "bad-psbt", wallet::describe(error));
        }
    }
    warn_of(errors, "", console);
    warn_of(wrong, "; it is left out", console);
    Json more{{"complete", errors.empty()}};
    if (errors.empty()) {
        warn_of_unverified_inputs(psbt, console);
        const auto transaction = wallet::extract(psbt);
        if (!transaction) {
            throw CommandError(ExitStatus::failed, "bad-psbt",
                               wallet::describe(transaction.error()));
        }
        more["hex"] = chain::to_hex(transaction->serialize());
    }
    print_psbt(psbt, more, global, console);
}

void run_psbt_extract(const PsbtFileOptions& options, const GlobalOptions& global,
                      Console& console) {
    const wallet::Psbt psbt = psbt_from_file(options.file, global, console);
    const auto transaction = wallet::extract(psbt);
    if (!transaction) {
        const auto* input = std::get_if<wallet::PsbtInputError>(&transaction.error());
        const bool is_incomplete =
            input != nullptr && input->fault == wallet::PsbtInputFault::incomplete;
        throw CommandError(ExitStatus::failed, is_incomplete ? "not-final" : "bad-psbt",
                           is_incomplete
                               ? "input " + std::to_string(input->input) +
                                     " is not final; psbt finalize makes it so once it is signed"
                               : wallet::describe(transaction.error()));
    }
    warn_of_unverified_inputs(psbt, console);
    const std::string hex = chain::to_hex(transaction->serialize());
    if (global.json) {
        return console.print_json({{"network", global.network->name},
                                   {"txid", transaction->txid()},
                                   {"hex", hex},
                                   {"vsize", transaction->virtual_size()}});
    }
    console.out() << hex << '\n';
}

void run_psbt_decode(const PsbtFileOptions& options, const GlobalOptions& global,
                     Console& console) {
    const wallet::Psbt psbt = psbt_from_file(options.file, global, console);
    if (global.json) return console.print_json(decoded_psbt_json(psbt, global));
    console.prose() << decoded_psbt_text(psbt, global);
}

void run_psbt_analyze(const PsbtFileOptions& options, const GlobalOptions& global,
                      Console& console) {
    const auto analysis = wallet::analyze(psbt_from_file(options.file, global, console));
    if (global.json) return console.print_json(analysis_json(analysis));
    console.prose() << analysis_text(analysis);
}

CommandEntry add_psbt_create(CLI::App& psbt) {
    CLI::App* app = psbt.add_subcommand("create", "create a payment for another wallet to sign");
    auto options = std::make_shared<PsbtCreateOptions>();
    add_payment_options(app, *options);
    app->add_flag("--yes", options->yes, "as of petal send; nothing is asked here");
    app->footer(
        "Recipients, fee rate and coins are given as for petal send. A watch-only "
        "wallet spends coins of one account, which is all descriptors with the same "
        "keys. The change goes back to these keys: to a change address of the coin's "
        "descriptor, or to the single key itself. The account is that of the coins "
        "that --utxo names; without --utxo the first of single keys or, if there is "
        "none, the first of multisig. Only a payment of all, which has no change, "
        "spends named coins of several accounts. Recipients, change and fee are "
        "shown on standard error.\n\n"
        "The PSBT names the origin of each key (fingerprint of the master key, and "
        "path) as far as the descriptors have it. It contains the scripts and "
        "extended keys of multisig and the full previous transactions of all inputs, "
        "so that a hardware wallet, and other wallets whose inputs are joined to it, "
        "can check change and amounts. It contains no private key, but shows which "
        "coins are the wallet's.\n\n"
        "Nothing is stored in the wallet: the same coins can be spent again until "
        "the wallet sees the transaction.\n\n"
        "Examples:\n"
        "  petal psbt create tb1q… 0.001 > payment.psbt\n"
        "  petal --wallet hot psbt sign payment.psbt |\n"
        "    petal psbt finalize - | petal psbt extract - |\n"
        "    petal broadcast -");
    return plain_entry(app, options, run_psbt_create);
}

CommandEntry add_psbt_sign(CLI::App& psbt) {
    CLI::App* app = psbt.add_subcommand("sign", "sign with the wallet's keys");
    auto options = std::make_shared<PsbtSignOptions>();
    app->add_option("FILE", options->file, "binary or base64; - is standard input")->required();
    add_choice(app, "--sighash", options->sighash, sighash_names(),
               "what the signatures cover: DEFAULT, ALL, NONE, SINGLE, ALL|ANYONECANPAY, "
               "NONE|ANYONECANPAY or SINGLE|ANYONECANPAY (default: the whole transaction). "
               "A PSBT that demands another type is refused")
        ->type_name("TYPE");
    add_password_option(app, options->password_file);
    app->add_flag("--accept-unproven-fee", options->accept_unproven_fee,
                  "sign although the amounts of other inputs are not proven");
    add_fee_terms(app, options->fee_terms);
    app->add_flag("--yes", options->yes, "do not ask for confirmation");
    app->footer(
        "Signs the inputs of the wallet's own addresses, and those for which the "
        "PSBT names a key of the wallet by master fingerprint and path: multisig "
        "with keys of others, or a single key of another account. Shows what leaves "
        "the wallet and what comes back to it, and asks for confirmation. The amount "
        "of each input must be proven: the wallet knows the coin, or the PSBT "
        "contains the full previous transaction. Otherwise an input that looks "
        "foreign may be a coin of the wallet, which would be lost as fee. Taproot "
        "inputs need no proof, because their signatures cover all amounts. Nothing "
        "is stored in the wallet.");
    return {app, [options](const GlobalOptions&) {
                refuse_two_readers({options->file, options->password_file});
                return make_action(std::move(*options), run_psbt_sign);
            }};
}

CommandEntry add_file_command(CLI::App& psbt, const char* name, const char* description,
                              CommandFunction<PsbtFileOptions> function) {
    CLI::App* app = psbt.add_subcommand(name, description);
    auto options = std::make_shared<PsbtFileOptions>();
    app->add_option("FILE", options->file, "binary or base64; - is standard input")->required();
    return without_folder(plain_entry(app, options, function));
}

CommandEntry add_files_command(CLI::App& psbt, const char* name, const char* description,
                               CommandFunction<PsbtFilesOptions> function) {
    CLI::App* app = psbt.add_subcommand(name, description);
    auto options = std::make_shared<PsbtFilesOptions>();
    app->add_option("FILE", options->files, "binary or base64; one may be -, standard input")
        ->required()
        ->expected(2, 1'000);
    return without_folder({app, [=](const GlobalOptions&) {
                               // CLI11 accepts fewer arguments than expected at the end of the
                               // command line.
                               if (options->files.size() < 2) {
                                   throw usage_error("FILE: at least 2 are needed");
                               }
                               return make_action(std::move(*options), function);
                           }});
}

}  // namespace

std::vector<CommandEntry> add_psbt_commands(CLI::App& root) {
    CLI::App& psbt =
        *add_command(root, kSpending, "psbt", "partially signed transactions (BIP174)");
    return {
        add_psbt_create(psbt),
        add_psbt_sign(psbt),
        add_files_command(psbt, "combine", "merge PSBTs of the same transaction", run_psbt_combine),
        add_files_command(psbt, "join", "join unsigned PSBTs into one transaction", run_psbt_join),
        add_file_command(psbt, "finalize", "build the final scripts and witnesses",
                         run_psbt_finalize),
        add_file_command(psbt, "extract", "print the signed transaction in hexadecimal",
                         run_psbt_extract),
        add_file_command(psbt, "decode", "show the contents of a PSBT", run_psbt_decode),
        add_file_command(psbt, "analyze", "show what is missing, and which role acts next",
                         run_psbt_analyze)};
}

}  // namespace petal::cli
