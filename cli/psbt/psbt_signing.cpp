#include "cli/psbt/psbt_signing.h"

#include <ostream>
#include <vector>

#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/confirmation.h"
#include "cli/data_folder.h"
#include "cli/json.h"
#include "cli/psbt/psbt_input.h"
#include "cli/psbt/sighash_name.h"
#include "cli/spending/payment_builder.h"
#include "cli/text.h"
#include "cli/wallet/wallet_text.h"
#include "wallet/descriptors/address.h"
#include "wallet/keys/base64.h"
#include "wallet/keys/randomness.h"
#include "wallet/ledger/amount.h"
#include "wallet/psbt/analysis.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt_wallet.h"

namespace petal::cli {
namespace {

/// An output, and what it is to the wallet.
struct SeenOutput {
    chain::TxOutput output;
    bool own = false;
    bool change = false;
};

/// What a PSBT would do, as the wallet sees it.
struct SeenPsbt {
    std::vector<SeenOutput> outputs;
    std::size_t own_inputs = 0;
    std::size_t foreign_inputs = 0;
    chain::Satoshis spent = 0;  ///< by the wallet's inputs
    chain::Satoshis kept = 0;   ///< by the wallet's outputs
    std::optional<chain::Satoshis> fee;
    std::size_t virtual_size = 0;
};

SeenPsbt look_at(const wallet::Psbt& psbt, const wallet::Wallet& wallet,
                 const wallet::PsbtWallet& own) {
    SeenPsbt seen;
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (!own.own_input(psbt, i)) {
            ++seen.foreign_inputs;
            continue;
        }
        ++seen.own_inputs;
        if (psbt.utxo(i)) seen.spent = wallet::add_amounts(seen.spent, psbt.utxo(i)->value);
    }
    for (std::size_t i = 0; i < psbt.outputs().size(); ++i) {
        const auto path = own.own_output(psbt, i);
        const chain::TxOutput& output = psbt.transaction().outputs[i];
        const bool is_change =
            path && wallet.chain_of(path->descriptor) == wallet::KeyChain::change;
        seen.outputs.push_back({output, path.has_value(), is_change});
        if (path) seen.kept = wallet::add_amounts(seen.kept, output.value);
    }
    const auto analysis = wallet::analyze(psbt);
    seen.fee = analysis.fee;
    seen.virtual_size = analysis.virtual_size.value_or(psbt.transaction().virtual_size());
    return seen;
}

std::string seen_text(const SeenPsbt& seen, const GlobalOptions& global) {
    std::string text;
    for (const SeenOutput& one : seen.outputs) {
        const std::string address = wallet::address_of(one.output.script_pubkey, *global.network);
        const std::string to =
            address.empty() ? "script " + chain::to_hex(one.output.script_pubkey) : address;
        const char* const name = one.change ? "change" : (one.own ? "receives" : "pays");
        text += field(name, format_btc(one.output.value) + " BTC to " + to +
                                (one.own ? ", the wallet's" : ""));
    }
    text += field("fee", seen.fee ? format_btc(*seen.fee) + " BTC"
                                  : "not known: what an input spends is missing");
    text += field("leaves", format_btc(seen.spent - seen.kept) + " BTC in all, from " +
                                count_of(seen.own_inputs, "input") + " of the wallet's");
    if (seen.foreign_inputs > 0) {
        text += field("others", count_of(seen.foreign_inputs, "input") + " not of the wallet's");
    }
    return text;
}

/// Refuses a fee that can't be meant, by the rules of `send`.
void check_psbt_fee(const wallet::Psbt& psbt, const SeenPsbt& seen, bool yes, Console& console) {
    if (!seen.fee) {
        console.warn("the fee is not known: the PSBT does not say what each input spends");
        return;
    }
    if (*seen.fee < 0) {
        throw CommandError(ExitStatus::failed, "bad-psbt",
                           "the outputs carry more than the inputs; nothing was signed");
    }
    wallet::Payment payment;
    payment.transaction = psbt.transaction();
    payment.fee = *seen.fee;
    payment.virtual_size = seen.virtual_size;
    for (std::size_t i = 0; i < seen.outputs.size(); ++i) {
        if (seen.outputs[i].change) payment.change_index = i;
    }
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

bool is_complete(const wallet::Psbt& psbt) {
    return wallet::analyze(psbt).next >= wallet::PsbtRole::finalizer;
}

void print_signed(const wallet::SignedPsbt& result, const SeenPsbt& seen,
                  const GlobalOptions& global, Console& console) {
    const std::string base64 = wallet::to_base64(result.psbt.serialize());
    const bool complete = is_complete(result.psbt);
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
    wallet::PsbtWallet own(wallet);
    wallet::Psbt updated = own.update(psbt);
    const SeenPsbt seen = look_at(updated, wallet, own);
    if (seen.own_inputs == 0) {
        throw CommandError(ExitStatus::failed, "nothing-to-sign",
                           "no input of the PSBT is known to be the wallet's");
    }
    check_psbt_fee(updated, seen, options.yes, console);
    if (!options.yes) {
        if (can_ask(global, console)) console.err() << seen_text(seen, global);
        confirm("Sign it? Type yes: ", kYes, "signed", global, console);
    }
    wallet::SecretArray<32> auxiliary;
    wallet::fill_random(auxiliary.writable());
    const wallet::Seed seed = unlock(wallet, options.password_file, global, console);
    const auto result = own.sign(std::move(updated), seed, options.sighash, auxiliary);
    if (!result) throw refused(result.error());
    print_signed(*result, seen, global, console);
}

}  // namespace petal::cli
