#include "cli/psbt/psbt_signing.h"

#include <algorithm>
#include <ostream>
#include <vector>

#include "chain/bytes.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"
#include "cli/options/confirmation.h"
#include "cli/options/data_folder.h"
#include "cli/payment/payment_builder.h"
#include "cli/payment/payment_text.h"
#include "cli/psbt/psbt_input.h"
#include "cli/psbt/psbt_text.h"
#include "cli/psbt/sighash_name.h"
#include "cli/secrets/secret_input.h"
#include "cli/terminal/wrap.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "wallet/keys/randomness.h"
#include "wallet/ledger/amount.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt_wallet.h"

namespace petal::cli {
namespace {

/// An output, and the output's relation to the wallet.
struct SummaryOutput {
    chain::TxOutput output;
    bool own = false;
    bool change = false;
    bool watched = false;
    bool shared = false;  ///< of a descriptor with keys of several signers, the wallet among them
};

/// The effect of a PSBT on the wallet.
struct PsbtSummary {
    std::vector<SummaryOutput> outputs;
    std::vector<std::size_t> own_inputs;
    std::size_t shared_inputs = 0;  ///< included in the own inputs
    std::size_t foreign_inputs = 0;
    std::size_t watched_inputs = 0;     ///< included in the foreign inputs
    std::vector<std::size_t> unproven;  ///< inputs without a proven amount
    chain::Satoshis spent = 0;          ///< by the wallet's inputs
    chain::Satoshis kept = 0;           ///< by the wallet's outputs
    std::optional<chain::Satoshis> fee;
    std::size_t virtual_size = 0;
};

/// The size of the signed transaction. Existing final scripts are ignored, because a final script
/// may be padded to hide a high fee rate.
std::size_t size_to_judge(wallet::Psbt psbt) {
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        psbt.input(i).keep_if([](const wallet::PsbtRecord& record) {
            return record.type() != wallet::psbt_input::kFinalScriptSig &&
                   record.type() != wallet::psbt_input::kFinalWitness;
        });
    }
    return wallet::analyze(psbt).virtual_size.value_or(psbt.transaction().virtual_size());
}

void add_inputs(PsbtSummary& summary, const wallet::Psbt& psbt, const wallet::PsbtWallet& own,
                const wallet::SharedInputs& shared) {
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const auto utxo = own.spent_output(psbt, i);
        if (!own.own_input(psbt, i) && !std::ranges::binary_search(shared.inputs, i)) {
            ++summary.foreign_inputs;
            if (utxo && own.watches(utxo->script_pubkey)) ++summary.watched_inputs;
            continue;
        }
        summary.own_inputs.push_back(i);
        summary.spent = wallet::add_amounts(summary.spent, utxo->value);
    }
    summary.shared_inputs = shared.inputs.size();
    summary.unproven = own.unproven_inputs(psbt);
}

PsbtSummary summarize(const wallet::Psbt& psbt, const wallet::Wallet& wallet,
                      const wallet::PsbtWallet& own, const wallet::SharedInputs& shared) {
    PsbtSummary summary;
    add_inputs(summary, psbt, own, shared);
    for (std::size_t i = 0; i < psbt.outputs().size(); ++i) {
        const auto path = own.own_output(psbt, i);
        const chain::TxOutput& output = psbt.transaction().outputs[i];
        const bool is_shared = std::ranges::binary_search(shared.change, i);
        const bool is_own = path.has_value() || is_shared;
        const bool is_change =
            is_shared || (path && wallet.chain_of(path->descriptor) == wallet::KeyChain::change);
        const bool is_watched = !is_own && own.watches(output.script_pubkey);
        summary.outputs.push_back({output, is_own, is_change, is_watched, is_shared});
        if (is_own) summary.kept = wallet::add_amounts(summary.kept, output.value);
    }
    summary.fee = wallet::fee_of(psbt);
    summary.virtual_size = size_to_judge(psbt);
    return summary;
}

std::string output_text(const SummaryOutput& shown, const GlobalOptions& global) {
    const char* const name = shown.change ? "change" : (shown.own ? "receives" : "pays");
    const char* const whose = shown.shared ? ", the same signers'"
                              : shown.own  ? ", the wallet's"
                                           : (shown.watched ? ", watched only" : "");
    return field(name, format_btc(shown.output.value) + " BTC to " +
                           address_or_script(shown.output.script_pubkey, global) + whose);
}

/// Whether the hash type lets anyone add or replace outputs.
bool leaves_outputs_open(std::optional<std::uint32_t> sighash) {
    const std::uint32_t outputs = sighash.value_or(chain::kSighashAll) & chain::kSighashOutputMask;
    return outputs == chain::kSighashNone || outputs == chain::kSighashSingle;
}

std::string summary_text(const PsbtSummary& summary, std::optional<std::uint32_t> sighash,
                         const GlobalOptions& global) {
    std::string text;
    for (const SummaryOutput& one : summary.outputs) text += output_text(one, global);
    text +=
        field("fee", summary.fee ? fee_in_sat(*summary.fee) +
                                       (summary.unproven.empty() ? "" : ", claimed and not proven")
                                 : "not known: what an input spends is missing");
    if (summary.shared_inputs > 0) {
        text += field("shared", count_of(summary.shared_inputs, "input") +
                                    " that the PSBT names a key of the wallet for");
    }
    if (summary.foreign_inputs > 0) {
        std::string others = count_of(summary.foreign_inputs, "input") + " not of the wallet's";
        if (summary.watched_inputs > 0) {
            others += ", " + format_count(summary.watched_inputs) + " of them watched only";
        }
        text += field("others", others);
    }
    if (sighash) text += field("sighash", sighash_name(*sighash));
    return text +
           field("leaves", format_btc(summary.spent - summary.kept) + " BTC in all, from " +
                               count_of(summary.own_inputs.size(), "input") + " of the wallet's");
}

/// Refuses an absurd fee by the rules of `send`. The fee is compared with the amount that leaves
/// the wallet besides the fee or, if no amount leaves, with the amount that comes back.
void check_psbt_fee(const PsbtSummary& summary, const wallet::FeeTerms& terms, Console& console) {
    if (!summary.fee) {
        console.warn("the fee is not known: the PSBT does not say what each input spends");
        return;
    }
    if (*summary.fee < 0) {
        throw CommandError(ExitStatus::failed, "bad-psbt",
                           "the outputs carry more than the inputs; nothing was signed");
    }
    const chain::Satoshis paid = summary.spent - summary.kept - *summary.fee;
    check_fee({*summary.fee, summary.virtual_size, paid > 0 ? paid : summary.kept}, terms);
}

bool is_input_fault(const wallet::PsbtFlaw& flaw, wallet::PsbtInputFault fault) {
    const auto* input = std::get_if<wallet::PsbtInputError>(&flaw);
    return input != nullptr && input->fault == fault;
}

/// The error that all commands have for this fault of a PSBT.
CommandError refused(const wallet::PsbtFlaw& flaw) {
    using enum wallet::PsbtInputFault;
    const std::string text = wallet::describe(flaw) + "; nothing was signed";
    if (is_input_fault(flaw, hash_type_not_asked)) {
        return {ExitStatus::failed, "sighash-not-asked", text + "; --sighash allows another type"};
    }
    if (is_input_fault(flaw, unproven_fee)) {
        return {ExitStatus::failed, "unproven-fee",
                text + "; --accept-unproven-fee signs all the same"};
    }
    if (is_input_fault(flaw, frozen)) return {ExitStatus::failed, "not-spendable", text};
    return {ExitStatus::failed, "bad-psbt", text};
}

/// Refuses a PSBT that the wallet would not sign. Warns of risks that the user accepted by options.
void check_psbt(const wallet::PsbtWallet& own, const wallet::Psbt& psbt,
                const wallet::SharedInputs& shared, const wallet::PsbtTerms& terms,
                Console& console) {
    const auto checked = own.check(psbt, {terms.hash_type, false}, shared.inputs);
    if (checked) return;
    const bool is_accepted = terms.accepts_unproven_fee &&
                             is_input_fault(checked.error(), wallet::PsbtInputFault::unproven_fee);
    if (!is_accepted) throw refused(checked.error());
    console.warn(wallet::describe(checked.error()));
}

void warn_of_spent_inputs(const wallet::PsbtWallet& own, const wallet::Psbt& psbt,
                          Console& console) {
    for (const std::size_t input : own.spent_inputs(psbt)) {
        console.warn("input " + std::to_string(input) +
                     ": another transaction in a block has spent its coin; this one can't confirm");
    }
}

void print_signed(const wallet::SignedPsbt& result, const PsbtSummary& summary,
                  const GlobalOptions& global, Console& console) {
    const std::string base64 = chain::to_base64(result.psbt.serialize());
    const bool complete = wallet::is_complete(result.psbt);
    if (!global.json) {
        if (!complete) console.warn("signatures of others are missing");
        console.out() << base64 << '\n';
        return;
    }
    const Json json{{"network", global.network->name},
                    {"psbt", base64},
                    {"complete", complete},
                    {"signed_inputs", result.inputs},
                    {"fee_sat", summary.fee},
                    {"net_sat", summary.kept - summary.spent},
                    {"warnings", output_warnings_json(result.psbt.transaction().outputs, global)}};
    console.print_json(json);
}

}  // namespace

void run_psbt_sign(const PsbtSignOptions& options, const GlobalOptions& global, Console& console) {
    refuse_default_mainnet(global);
    const wallet::Psbt psbt = psbt_from_file(options.file, global, console);
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    if (wallet.info().watch_only) static_cast<void>(wallet.secret(""));  // throws: no secret
    static_cast<void>(warn_unless_proven(wallet, global, console));
    wallet::PsbtWallet own(wallet);
    const wallet::PsbtTerms terms{options.sighash, options.accept_unproven_fee};
    std::optional<wallet::SecretBytes> secret;
    wallet::SharedInputs shared;
    // Without the secret, petal can't know whether a key that the PSBT names is the wallet's.
    if (!own.claimed_inputs(psbt).empty()) {
        secret = unlock(wallet, options.password_file, global, console);
        shared = own.shared_inputs(psbt, *secret);
    }
    check_psbt(own, psbt, shared, terms, console);
    warn_of_spent_inputs(own, psbt, console);
    warn_of_risky_outputs(psbt.transaction().outputs, global, console);
    const PsbtSummary summary = summarize(own.update(psbt), wallet, own, shared);
    if (summary.own_inputs.empty()) {
        throw CommandError(ExitStatus::failed, "nothing-to-sign",
                           "no input of the PSBT is known to be the wallet's, by its script or by "
                           "a key that the PSBT names");
    }
    check_psbt_fee(summary, options.fee_terms, console);
    if (leaves_outputs_open(options.sighash)) {
        console.warn("outputs can be changed after signing: the sighash type does not cover all");
    }
    if (!options.yes) {
        if (can_ask(global, console)) {
            console.err() << wrap(summary_text(summary, options.sighash, global),
                                  console.err_columns());
        }
        confirm("Sign it? Type yes: ", kYes, "signed", global, console);
    }
    wallet::SecretArray<32> auxiliary;
    wallet::fill_random(auxiliary.writable());
    if (!secret) secret = unlock(wallet, options.password_file, global, console);
    const auto result = own.sign(psbt, summary.own_inputs, *secret, terms, auxiliary);
    if (!result) throw refused(result.error());
    print_signed(*result, summary, global, console);
}

}  // namespace petal::cli
