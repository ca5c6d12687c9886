/// Matches a transaction against a filter and updates the filter, exactly as a BIP37 server does. A
/// node serves by these functions, and a client predicts the server's filter.
#pragma once

#include <algorithm>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/bytes.h"
#include "chain/script/script.h"
#include "chain/transaction.h"

namespace petal::bloom {

/// The result of matching a transaction.
struct MatchResult {
    bool matched = false;
    /// Outpoints that were inserted into the filter, in the order of the outputs, even if all bits
    /// of an outpoint were already set.
    std::vector<chain::Outpoint> inserted;
};

/// Whether a set contains the data of any push of a script, up to the first malformed push (Bitcoin
/// Core: CBloomFilter::IsRelevantAndUpdate).
/// set   a filter, or an exact set of the filter's elements
template <typename Set>
bool contains_a_push(const Set& set, chain::ByteView script) {
    chain::ScriptWalker walker(script);
    while (const auto operation = walker.next()) {
        if (!operation->data.empty() && set.contains(operation->data)) return true;
    }
    return false;
}

/// Whether a set contains the outpoint of any input, or the data of a push of an input's scriptSig.
template <typename Set>
bool contains_an_input(const Set& set, const chain::Transaction& transaction) {
    return std::ranges::any_of(transaction.inputs, [&](const auto& input) {
        return set.contains(input.prevout.serialize()) || contains_a_push(set, input.script_sig);
    });
}

/// Whether the filter contains the data of any push of an output's script (contains_a_push()).
bool matches_output(const BloomFilter& filter, const chain::TxOutput& output);

/// Tests the transaction as a BIP37 server does and updates the filter as the filter's flags say
/// (Bitcoin Core: CBloomFilter::IsRelevantAndUpdate): txid, then every output's pushes, then, only
/// if nothing matched so far, each input's outpoint and pushes. Witnesses are ignored.
/// txid   of the transaction. The caller has computed it already
MatchResult match_and_update(BloomFilter& filter, const chain::Transaction& transaction,
                             const chain::Txid& txid);

/// Whether every BIP37 server with this filter would send the transaction, whatever outpoints the
/// server has inserted. Servers differ in a script with a malformed push: Bitcoin Core tests the
/// pushes before the malformed push, btcd tests no push.
bool matches_on_every_server(const BloomFilter& filter, const chain::Transaction& transaction,
                             const chain::Txid& txid);

/// Whether btcd may send the transaction because of an empty push: btcd tests empty pushes, Bitcoin
/// Core does not.
bool matches_by_an_empty_push(const BloomFilter& filter, const chain::Transaction& transaction);

}  // namespace petal::bloom
