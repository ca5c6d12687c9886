#include "tests/support/unsigned_spend.h"

#include <stdexcept>
#include <utility>

#include "chain/script/script.h"

namespace petal::test {
namespace {

/// Signals replaceability (BIP125).
constexpr std::uint32_t kSequence = 0xfffffffd;

/// A witness with the size of a signature, or of a signature and a public key.
chain::Witness filler_witness(chain::ByteView script_pubkey) {
    switch (chain::classify(script_pubkey)) {
        case chain::ScriptType::p2wpkh:
            return {chain::Bytes(71, 0x30), chain::Bytes(33, 0x02)};
        case chain::ScriptType::p2wsh:
            return {chain::Bytes(71, 0x30), chain::Bytes(35, 0x21)};
        case chain::ScriptType::p2tr:
            return {chain::Bytes(64, 0x01)};
        default:
            return {};
    }
}

}  // namespace

chain::Transaction make_spend(const regtest::RegtestChain& chain,
                              std::span<const chain::Outpoint> inputs,
                              std::vector<chain::TxOutput> outputs) {
    if (inputs.empty() || outputs.empty()) {
        throw std::invalid_argument("a transaction has inputs and outputs");
    }
    chain::Transaction transaction;
    for (const auto& outpoint : inputs) {
        chain::TxInput input{outpoint, {}, kSequence, {}};
        if (const auto output = chain.mempool().layer().output(outpoint)) {
            input.witness = filler_witness(output->script_pubkey);
        }
        transaction.inputs.push_back(std::move(input));
    }
    transaction.outputs = std::move(outputs);
    return transaction;
}

void pay_and_sweep(regtest::RegtestChain& chain, const chain::Bytes& script, std::uint32_t blocks) {
    const auto payment = chain.make_payment({{10'000, script}});
    chain.mine_block({payment});
    chain.mine(blocks - 1);
    const chain::Outpoint coin{payment.txid(), 0};
    chain.mine_block({make_spend(chain, {{coin}}, {{9'000, chain::Bytes{0x51}}})});
}

}  // namespace petal::test
