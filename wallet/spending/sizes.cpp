#include "wallet/spending/sizes.h"

#include <cassert>

#include "chain/byte_writer.h"
#include "chain/enum_table.h"

namespace petal::wallet {

namespace {

// An outpoint, an empty scriptSig with its length, and a sequence number.
constexpr std::size_t kBareInputWeight = 4 * (36 + 1 + 4);
// Signature and key, each behind a length: the content of a P2PKH scriptSig.
constexpr std::size_t kKeyHashProof = 1 + 71 + 1 + 33;

// What a signature takes in multisig, behind its length.
constexpr std::size_t kPushedSignature = 1 + 71;

constexpr auto kKeySizes = chain::enum_table<ScriptKind, InputSize>({
    {ScriptKind::wpkh, {0, 1 + kKeyHashProof}},
    {ScriptKind::tr, {0, 1 + 1 + 64}},
    {ScriptKind::sh_wpkh, {1 + 22, 1 + kKeyHashProof}},
    {ScriptKind::pkh, {kKeyHashProof, 0}},
});

/// How many bytes of an opcode or a length stand before data that a script pushes.
std::size_t push_overhead(std::size_t bytes) {
    if (bytes <= 75) return 1;
    return bytes <= 0xff ? 2 : 3;
}

std::size_t output_bytes(chain::ByteView script_pubkey) {
    assert(script_pubkey.size() < 0xfd);  // the length takes one byte
    return 8 + 1 + script_pubkey.size();
}

}  // namespace

SpendForm::SpendForm(ScriptKind of_key) : kind(of_key), size(kKeySizes[of_key]) {}

InputSize multisig_input_size(ScriptWrapping wrapping, std::size_t required,
                              std::size_t script_bytes) {
    // OP_CHECKMULTISIG takes one item too many, an empty one.
    const std::size_t solution = 1 + required * kPushedSignature;
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
    // Marker, flag, and an empty witness for each input that has none.
    return without_witness == coins.size() ? weight : weight + 2 + without_witness;
}

}  // namespace petal::wallet
