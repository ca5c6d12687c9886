#include "bloom/transaction_match.h"

#include <algorithm>

#include "chain/script/script.h"

namespace petal::bloom {
namespace {

/// Whether the filter contains the data of any push, up to the first malformed one.
bool contains_a_push(const BloomFilter& filter, chain::ByteView script) {
    chain::ScriptWalker walker(script);
    while (const auto operation = walker.next()) {
        if (!operation->data.empty() && filter.contains(operation->data)) return true;
    }
    return false;
}

bool adds_outpoint(UpdateMode mode, chain::ByteView script_pubkey) {
    if (mode == UpdateMode::none) return false;
    if (mode == UpdateMode::all) return true;
    const chain::ScriptType type = chain::classify(script_pubkey);
    return type == chain::ScriptType::p2pk || type == chain::ScriptType::bare_multisig;
}

bool contains_an_input(const BloomFilter& filter, const chain::Transaction& transaction) {
    return std::any_of(transaction.inputs.begin(), transaction.inputs.end(),
                       [&](const auto& input) {
                           return filter.contains(input.prevout.serialize()) ||
                                  contains_a_push(filter, input.script_sig);
                       });
}

}  // namespace

bool matches_output(const BloomFilter& filter, const chain::TxOutput& output) {
    return contains_a_push(filter, output.script_pubkey);
}

MatchResult match_and_update(BloomFilter& filter, const chain::Transaction& transaction,
                             const chain::Txid& txid) {
    MatchResult result;
    result.matched = filter.contains(txid.view());

    // BIP37 stops at the first hit. Bitcoin Core tests every output, so that all of a wallet's are
    // followed; an outpoint inserted here already counts for the outputs after it.
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

}  // namespace petal::bloom
