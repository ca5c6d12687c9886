#include "bloom/transaction_match.h"

#include <algorithm>

#include "chain/script/script.h"

namespace petal::bloom {
namespace {

bool is_malformed(chain::ByteView script) {
    chain::ScriptWalker walker(script);
    while (walker.next()) continue;
    return walker.malformed();
}

bool has_an_empty_push(chain::ByteView script) {
    chain::ScriptWalker walker(script);
    while (const auto operation = walker.next()) {
        if (operation->opcode <= chain::kOpPushData4 && operation->data.empty()) return true;
    }
    return false;
}

bool any_script(const chain::Transaction& transaction, auto is_wanted) {
    return std::ranges::any_of(
               transaction.outputs,
               [&](const auto& output) { return is_wanted(output.script_pubkey); }) ||
           std::ranges::any_of(transaction.inputs,
                               [&](const auto& input) { return is_wanted(input.script_sig); });
}

bool adds_outpoint(UpdateMode mode, chain::ByteView script_pubkey) {
    if (mode == UpdateMode::none) return false;
    if (mode == UpdateMode::all) return true;
    const chain::ScriptType type = chain::classify(script_pubkey);
    return type == chain::ScriptType::p2pk || type == chain::ScriptType::bare_multisig;
}

}  // namespace

bool matches_output(const BloomFilter& filter, const chain::TxOutput& output) {
    return contains_a_push(filter, output.script_pubkey);
}

MatchResult match_and_update(BloomFilter& filter, const chain::Transaction& transaction,
                             const chain::Txid& txid) {
    MatchResult result;
    result.matched = filter.contains(txid.view());

    // BIP37 stops at the first hit. Bitcoin Core tests every output, so that the spends of all
    // matching outputs are seen. An outpoint inserted here already counts for the outputs after.
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        const chain::TxOutput& output = transaction.outputs[i];
        if (!matches_output(filter, output)) continue;
        result.matched = true;
        if (!adds_outpoint(filter.update_mode(), output.script_pubkey)) continue;
        const chain::Outpoint outpoint{txid, static_cast<std::uint32_t>(i)};
        filter.insert(outpoint.serialize());
        result.inserted.push_back(outpoint);
    }

    if (!result.matched) result.matched = contains_an_input(filter, transaction);
    return result;
}

bool matches_on_every_server(const BloomFilter& filter, const chain::Transaction& transaction,
                             const chain::Txid& txid) {
    return filter.contains(txid.view()) ||
           std::ranges::any_of(
               transaction.inputs,
               [&](const auto& input) { return filter.contains(input.prevout.serialize()); }) ||
           any_script(transaction, [&](chain::ByteView script) {
               return contains_a_push(filter, script) && !is_malformed(script);
           });
}

bool matches_by_an_empty_push(const BloomFilter& filter, const chain::Transaction& transaction) {
    return filter.contains({}) && any_script(transaction, has_an_empty_push);
}

}  // namespace petal::bloom
