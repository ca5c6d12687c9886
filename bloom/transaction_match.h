/// Matches a transaction against a filter and updates the filter, exactly as a BIP37 server does,
/// so that a node can serve by it and a client can predict the server's filter.
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
    /// Outpoints that were inserted into the filter, in the order of the outputs; whether or not
    /// the filter already held their bits.
    std::vector<chain::Outpoint> inserted;
};

/// Whether a set, which is a filter or holds the same elements exactly, contains the data of any
/// push of a script, up to the first malformed push (Bitcoin Core:
/// CBloomFilter::IsRelevantAndUpdate).
template <typename Set>
bool contains_a_push(const Set& set, chain::ByteView script) {
    chain::ScriptWalker walker(script);
    while (const auto operation = walker.next()) {
        if (!operation->data.empty() && set.contains(operation->data)) return true;
    }
    return false;
}

/// Whether such a set contains the outpoint of any input, or the data of a push of its scriptSig.
template <typename Set>
bool contains_an_input(const Set& set, const chain::Transaction& transaction) {
    return std::ranges::any_of(transaction.inputs, [&](const auto& input) {
        return set.contains(input.prevout.serialize()) || contains_a_push(set, input.script_sig);
    });
}

/// Whether the filter contains the data of any push of an output's script (contains_a_push()).
bool matches_output(const BloomFilter& filter, const chain::TxOutput& output);

/// Tests the transaction as a BIP37 server does and updates the filter as its flags say (Bitcoin
/// Core: CBloomFilter::IsRelevantAndUpdate): txid, then every output's pushes, then, only if
/// nothing matched so far, each input's outpoint and pushes. Witnesses are ignored.
/// txid   the transaction's, computed once by the caller
MatchResult match_and_update(BloomFilter& filter, const chain::Transaction& transaction,
                             const chain::Txid& txid);

/// Whether every BIP37 server with this filter would send the transaction, whatever outpoints it
/// has inserted. Servers differ in a script with a malformed push: Bitcoin Core tests the pushes
/// before it, btcd none of them.
bool matches_on_every_server(const BloomFilter& filter, const chain::Transaction& transaction,
                             const chain::Txid& txid);

/// Whether btcd may send the transaction for its empty pushes: it tests them, too, which Bitcoin
/// Core does not.
bool matches_by_an_empty_push(const BloomFilter& filter, const chain::Transaction& transaction);

}  // namespace petal::bloom
