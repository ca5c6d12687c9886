/// Matches a transaction against a filter and updates the filter, exactly as a BIP37 server does,
/// so that a node can serve by it and a client can predict the server's filter.
#pragma once

#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/transaction.h"

namespace petal::bloom {

/// The result of matching a transaction.
struct MatchResult {
    bool matched = false;
    /// Outpoints that were inserted into the filter, in the order of the outputs; whether or not
    /// the filter already held their bits.
    std::vector<chain::Outpoint> inserted;
};

/// Whether the filter contains the data of any push of an output's script, up to the first
/// malformed push (Bitcoin Core: CBloomFilter::IsRelevantAndUpdate).
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
