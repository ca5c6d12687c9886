#include "wallet/spending/sizes.h"

#include <cassert>

#include "chain/enum_table.h"

namespace petal::wallet {

namespace {

// An outpoint, an empty scriptSig with its length, and a sequence number.
constexpr std::size_t kBareInputWeight = 4 * (36 + 1 + 4);
// Signature and key, each behind a length: the content of a P2PKH scriptSig.
constexpr std::size_t kKeyHashProof = 1 + 71 + 1 + 33;

struct InputShape {
    std::size_t script_sig_bytes = 0;
    std::size_t witness_bytes = 0;  // with the count of items
};

constexpr auto kInputShapes = chain::enum_table<ScriptKind, InputShape>({
    {ScriptKind::wpkh, {0, 1 + kKeyHashProof}},
    {ScriptKind::tr, {0, 1 + 1 + 64}},
    {ScriptKind::sh_wpkh, {1 + 22, 1 + kKeyHashProof}},
    {ScriptKind::pkh, {kKeyHashProof, 0}},
});

std::size_t output_bytes(chain::ByteView script_pubkey) {
    assert(script_pubkey.size() < 0xfd);  // the length takes one byte
    return 8 + 1 + script_pubkey.size();
}

}  // namespace

std::size_t input_weight(ScriptKind kind) {
    const InputShape& shape = kInputShapes[kind];
    return kBareInputWeight + 4 * shape.script_sig_bytes + shape.witness_bytes;
}

bool signs_in_witness(ScriptKind kind) {
    return kInputShapes[kind].witness_bytes != 0;
}

std::size_t output_weight(chain::ByteView script_pubkey) {
    return 4 * output_bytes(script_pubkey);
}

std::size_t signed_weight(const chain::Transaction& transaction, std::span<const InputCoin> coins) {
    assert(transaction.inputs.size() == coins.size());
    std::size_t weight = transaction.weight();
    std::size_t without_witness = 0;
    for (const InputCoin& coin : coins) {
        weight += input_weight(coin.kind) - kBareInputWeight;
        if (!signs_in_witness(coin.kind)) ++without_witness;
    }
    // Marker, flag, and an empty witness for each input that has none.
    return without_witness == coins.size() ? weight : weight + 2 + without_witness;
}

}  // namespace petal::wallet
