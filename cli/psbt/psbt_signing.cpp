#include "cli/psbt/psbt_signing.h"

#include <ostream>
#include <vector>

#include "chain/script/script.h"
#include "chain/script/signature_hash.h"
#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/confirmation.h"
#include "cli/data_folder.h"
#include "cli/json.h"
#include "cli/psbt/psbt_input.h"
#include "cli/psbt/psbt_text.h"
#include "cli/psbt/sighash_name.h"
#include "cli/spending/payment_builder.h"
#include "cli/text.h"
#include "cli/wallet/wallet_text.h"
#include "wallet/keys/base64.h"
#include "wallet/keys/randomness.h"
#include "wallet/ledger/amount.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/record_types.h"
#include "wallet/psbt_wallet.h"

namespace petal::cli {
namespace {

constexpr std::uint32_t kSighashDefault = 0;

/// An output, and what it is to the wallet.
struct SeenOutput {
    chain::TxOutput output;
    bool own = false;
    bool change = false;
    bool watched = false;
};

/// What a PSBT would do, as the wallet sees it.
struct SeenPsbt {
    std::vector<SeenOutput> outputs;
    std::vector<std::size_t> own_inputs;
    std::size_t foreign_inputs = 0;
    std::size_t watched_inputs = 0;       ///< of the foreign ones
    std::vector<std::size_t> unproven;    ///< inputs whose amounts are claims
    bool signs_own_amount_alone = false;  ///< signatures that do not cover what other inputs spend
    chain::Satoshis spent = 0;            ///< by the wallet's inputs
    chain::Satoshis kept = 0;             ///< by the wallet's outputs
    std::optional<chain::Satoshis> fee;
    std::size_t virtual_size = 0;
};

/// The size once it is signed. The final scripts of others are left out: they may be of any size,
/// and would hide a high fee rate.
std::size_t size_to_judge(wallet::Psbt psbt, const wallet::PsbtWallet& own) {
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (own.own_input(psbt, i)) continue;
        psbt.input(i).keep_if([](const wallet::PsbtRecord& record) {
            return record.type() != wallet::psbt_input::kFinalScriptSig &&
                   record.type() != wallet::psbt_input::kFinalWitness;
        });
    }
    return wallet::analyze(psbt).virtual_size.value_or(psbt.transaction().virtual_size());
}

void look_at_inputs(SeenPsbt& seen, const wallet::Psbt& psbt, const wallet::PsbtWallet& own,
                    std::optional<std::uint32_t> sighash) {
    const bool covers_others = chain::covers_other_inputs(sighash.value_or(kSighashDefault));
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        const auto known = own.known_utxo(psbt, i);
        const auto& utxo = known ? known : psbt.utxo(i);
        if (!own.own_input(psbt, i)) {
            ++seen.foreign_inputs;
            if (utxo && own.watches(utxo->script_pubkey)) ++seen.watched_inputs;
            continue;
        }
        seen.own_inputs.push_back(i);
        seen.spent = wallet::add_amounts(seen.spent, utxo->value);
        if (wallet::is_final(psbt.inputs()[i])) continue;
        const bool is_taproot = chain::classify(utxo->script_pubkey) == chain::ScriptType::p2tr;
        seen.signs_own_amount_alone = seen.signs_own_amount_alone || !is_taproot || !covers_others;
    }
    seen.unproven = own.unproven_inputs(psbt);
}

SeenPsbt look_at(const wallet::Psbt& psbt, const wallet::Wallet& wallet,
                 const wallet::PsbtWallet& own, std::optional<std::uint32_t> sighash) {
    SeenPsbt seen;
    look_at_inputs(seen, psbt, own, sighash);
    for (std::size_t i = 0; i < psbt.outputs().size(); ++i) {
        const auto path = own.own_output(psbt, i);
        const chain::TxOutput& output = psbt.transaction().outputs[i];
        const bool is_change =
            path && wallet.chain_of(path->descriptor) == wallet::KeyChain::change;
        const bool is_watched = !path && own.watches(output.script_pubkey);
        seen.outputs.push_back({output, path.has_value(), is_change, is_watched});
        if (path) seen.kept = wallet::add_amounts(seen.kept, output.value);
    }
    seen.fee = wallet::fee_of(psbt);
    seen.virtual_size = size_to_judge(psbt, own);
    return seen;
}

std::string output_text(const SeenOutput& seen, const GlobalOptions& global) {
    const char* const name = seen.change ? "change" : (seen.own ? "receives" : "pays");
    const char* const whose = seen.own ? ", the wallet's" : (seen.watched ? ", watched only" : "");
    return field(name, format_btc(seen.output.value) + " BTC to " +
                           address_or_script(seen.output.script_pubkey, global) + whose);
}

/// Whether the hash type lets others add or replace outputs.
bool leaves_outputs_open(std::optional<std::uint32_t> sighash) {
    constexpr std::uint32_t kOutputBits = 0x1f;
    const std::uint32_t outputs = sighash.value_or(chain::kSighashAll) & kOutputBits;
    return outputs == chain::kSighashNone || outputs == chain::kSighashSingle;
}

std::string seen_text(const SeenPsbt& seen, std::optional<std::uint32_t> sighash,
                      const GlobalOptions& global) {
    std::string text;
    for (const SeenOutput& one : seen.outputs) text += output_text(one, global);
    text += field("fee", seen.fee ? format_btc(*seen.fee) + " BTC" +
                                        (seen.unproven.empty() ? "" : ", claimed and not proven")
                                  : "not known: what an input spends is missing");
    if (seen.foreign_inputs > 0) {
        std::string others = count_of(seen.foreign_inputs, "input") + " not of the wallet's";
        if (seen.watched_inputs > 0) {
            others += ", " + format_count(seen.watched_inputs) + " of them watched only";
        }
        text += field("others", others);
    }
    if (sighash) text += field("sighash", sighash_name(*sighash));
    return text +
           field("leaves", format_btc(seen.spent - seen.kept) + " BTC in all, from " +
                               count_of(seen.own_inputs.size(), "input") + " of the wallet's");
}

/// Signatures that cover only their own amount are of use beside other amounts than the PSBT
/// claims: what is missing from the outputs is fee, and may come from other own coins.
void check_proofs(const SeenPsbt& seen, bool accept, Console& console) {
    if (seen.unproven.empty() || !seen.signs_own_amount_alone) return;
    std::string text = "fee claimed, not proven: input " + std::to_string(seen.unproven.front());
    if (seen.unproven.size() > 1) {
        text += " and " + format_count(seen.unproven.size() - 1) + " more";
    }
    if (!accept) {
        throw CommandError(ExitStatus::failed, "unproven-fee",
                           text +
                               " without a full transaction; nothing was signed; "
                               "--accept-unproven-fee signs all the same");
    }
    console.warn(text);
}

/// Refuses a fee that can't be meant, by the rules of `send`: compared with what leaves the wallet
/// beside it or, where nothing does, with what comes back.
void check_psbt_fee(const SeenPsbt& seen, bool yes, Console& console) {
    if (!seen.fee) {
        console.warn("the fee is not known: the PSBT does not say what each input spends");
        return;
    }
    if (*seen.fee < 0) {
        throw CommandError(ExitStatus::failed, "bad-psbt",
                           "the outputs carry more than the inputs; nothing was signed");
    }
    const chain::Satoshis paid = seen.spent - seen.kept - *seen.fee;
    wallet::Payment payment;
    payment.transaction.outputs.push_back({paid > 0 ? paid : seen.kept, {}});
    payment.fee = *seen.fee;
    payment.virtual_size = seen.virtual_size;
    check_fee(payment, yes);
}

/// Fails as all commands do that find a PSBT to be wrong.
CommandError refused(const wallet::PsbtFlaw& flaw) {
    const auto* input = std::get_if<wallet::PsbtInputError>(&flaw);
    const bool is_type =
        input != nullptr && input->fault == wallet::PsbtInputFault::hash_type_not_asked;
    return {ExitStatus::failed, is_type ? "sighash-not-asked" : "bad-psbt",
            wallet::describe(flaw) + "; nothing was signed" +
                (is_type ? "; --sighash allows another type" : "")};
}

void print_signed(const wallet::SignedPsbt& result, const SeenPsbt& seen,
                  const GlobalOptions& global, Console& console) {
    const std::string base64 = wallet::to_base64(result.psbt.serialize());
    const bool complete = wallet::is_complete(result.psbt);
    if (!global.json) {
        if (!complete) console.info("signatures of others are missing");
        console.out() << base64 << '\n';
        return;
    }
    const Json json{{"network", global.network->name},
                    {"psbt", base64},
                    {"complete", complete},
                    {"signed_inputs", result.inputs},
                    {"fee_sat", seen.fee ? Json(*seen.fee) : Json(nullptr)}};
    console.out() << to_line(json) << '\n';
}

}  // namespace

void run_psbt_sign(const PsbtSignOptions& options, const GlobalOptions& global, Console& console) {
    refuse_default_mainnet(global);
    const wallet::Psbt psbt = psbt_from_file(options.file, global, console);
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    if (wallet.info().watch_only) static_cast<void>(wallet.seed(""));  // says that there is none
    warn_unless_synced(wallet, global, console);
    wallet::PsbtWallet own(wallet);
    const auto checked = own.check(psbt);
    if (!checked) throw refused(checked.error());
    const SeenPsbt seen = look_at(own.update(psbt), wallet, own, options.sighash);
    if (seen.own_inputs.empty()) {
        throw CommandError(ExitStatus::failed, "nothing-to-sign",
                           "no input of the PSBT is known to be the wallet's");
    }
    check_psbt_fee(seen, options.yes, console);
    check_proofs(seen, options.accept_unproven_fee, console);
    if (leaves_outputs_open(options.sighash)) {
        console.warn("outputs can be changed after signing: the sighash type does not cover all");
    }
    if (!options.yes) {
        if (can_ask(global, console)) {
            console.err() << seen_text(seen, options.sighash, global);
        }
        confirm("Sign it? Type yes: ", kYes, "signed", global, console);
    }
    wallet::SecretArray<32> auxiliary;
    wallet::fill_random(auxiliary.writable());
    const wallet::Seed seed = unlock(wallet, options.password_file, global, console);
    const auto result = own.sign(psbt, seen.own_inputs, seed, options.sighash, auxiliary);
    if (!result) throw refused(result.error());
    print_signed(*result, seen, global, console);
}

}  // namespace petal::cli
