#include "wallet/spending/sizes.h"

#include <algorithm>
#include <cassert>

#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/script/script.h"

namespace petal::wallet {

namespace {

// An outpoint, an empty scriptSig with its length, and a sequence number.
constexpr std::size_t kBareInputWeight = std::size_t{4} * (36 + 1 + 4);

/// The maximum size of an ECDSA signature's push, including the length and the hash type. Assumes
/// low S, since nodes relay no other signatures.
constexpr std::size_t pushed_signature(Signer signer) {
    return 1 + (signer == Signer::wallet ? 71 : 72);
}

consteval auto key_sizes(Signer signer) {
    // A P2PKH scriptSig: signature and key, each after its length.
    const std::size_t key_hash_proof = pushed_signature(signer) + 1 + 33;
    return chain::enum_table<ScriptKind, InputSize>({
        {ScriptKind::wpkh, {0, 1 + key_hash_proof}},
        {ScriptKind::tr, {0, 1 + 1 + 64}},
        {ScriptKind::sh_wpkh, {1 + 22, 1 + key_hash_proof}},
        {ScriptKind::pkh, {key_hash_proof, 0}},
    });
}
constexpr auto kOwnKeySizes = key_sizes(Signer::wallet);
constexpr auto kForeignKeySizes = key_sizes(Signer::others);

/// The size of the opcode and the length of a push of this size.
std::size_t push_overhead(std::size_t bytes) {
    if (bytes <= 75) return 1;
    return bytes <= 0xff ? 2 : 3;
}

std::size_t output_bytes(chain::ByteView script_pubkey) {
    assert(script_pubkey.size() < 0xfd);  // the length takes one byte
    return 8 + 1 + script_pubkey.size();
}

}  // namespace

SpendForm::SpendForm(ScriptKind of_key, Signer signer)
    : kind(of_key), size((signer == Signer::wallet ? kOwnKeySizes : kForeignKeySizes)[of_key]) {}

InputSize multisig_input_size(ScriptWrapping wrapping, std::size_t required,
                              std::size_t script_bytes) {
    // OP_CHECKMULTISIG pops one extra, empty item.
    const std::size_t solution = 1 + required * pushed_signature(Signer::others);
    const std::size_t in_witness =
        1 + solution + chain::compact_size_bytes(script_bytes) + script_bytes;
    constexpr std::size_t kPushedProgram = 1 + 34;
    switch (wrapping) {
        case ScriptWrapping::none:
            return {solution, 0};
        case ScriptWrapping::sh:
            return {solution + push_overhead(script_bytes) + script_bytes, 0};
        case ScriptWrapping::wsh:
            return {0, in_witness};
        case ScriptWrapping::sh_wsh:
            return {kPushedProgram, in_witness};
    }
    assert(false);
    return {};
}

std::size_t input_weight(const SpendForm& form) {
    const InputSize& size = form.size;
    const std::size_t longer = chain::compact_size_bytes(size.script_sig_bytes) - 1;
    return kBareInputWeight + 4 * (longer + size.script_sig_bytes) + size.witness_bytes;
}

bool signs_in_witness(const SpendForm& form) {
    return form.size.witness_bytes != 0;
}

std::size_t output_weight(chain::ByteView script_pubkey) {
    return 4 * output_bytes(script_pubkey);
}

std::size_t signed_weight(const chain::Transaction& transaction, std::span<const InputCoin> coins) {
    assert(transaction.inputs.size() == coins.size());
    std::size_t weight = transaction.weight();
    std::size_t without_witness = 0;
    for (const InputCoin& coin : coins) {
        weight += input_weight(coin.form) - kBareInputWeight;
        if (!signs_in_witness(coin.form)) ++without_witness;
    }
    // Marker, flag, and an empty witness for each input without a witness.
    return without_witness == coins.size() ? weight : weight + 2 + without_witness;
}

std::size_t unconfirmed_size(const chain::Transaction& transaction,
                             std::span<const std::optional<SpendForm>> forms) {
    assert(transaction.inputs.size() == forms.size());
    constexpr std::size_t kMostForeignWitness = 400;  // two of three keys need 254
    std::size_t weight = transaction.weight();
    std::size_t missing = 2;  // marker and flag
    bool is_stored_without = false;
    for (std::size_t i = 0; i < forms.size(); ++i) {
        const chain::TxInput& input = transaction.inputs[i];
        if (!forms[i]) {
            const std::size_t size = input.witness.serialized_items().size();
            weight -= size - std::min(size, kMostForeignWitness);
        }
        if (!chain::allows_witness(input.script_sig)) {
            ++missing;  // an empty witness
            continue;
        }
        const SpendForm form = forms[i].value_or(SpendForm(ScriptKind::wpkh, Signer::others));
        missing += form.size.witness_bytes;
        is_stored_without |= forms[i] && signs_in_witness(form) && !transaction.has_witness();
    }
    if (is_stored_without) weight += missing;
    return (weight + 3) / 4;
}

}  // namespace petal::wallet
