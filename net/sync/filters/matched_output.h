/// Outputs that match the filters' base, with what it takes to judge their spends.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/bytes.h"
#include "chain/expected.h"
#include "chain/transaction.h"

namespace petal::net {

/// A P2WPKH output: what a signature that spends it commits to, and whose it must be.
struct P2wpkhOutput {
    chain::Satoshis value = 0;
    chain::Hash160 key_hash{};

    /// Nothing for an output of another template.
    static std::optional<P2wpkhOutput> from(const chain::TxOutput& output);
    chain::TxOutput to_output() const;

    friend bool operator==(const P2wpkhOutput&, const P2wpkhOutput&) = default;
};

/// One byte that says whether there is one, then value and key hash.
void write_p2wpkh_output(chain::ByteWriter& writer, const std::optional<P2wpkhOutput>& output);
/// Reads what write_p2wpkh_output() wrote. On failure the reader says why.
std::optional<P2wpkhOutput> read_p2wpkh_output(chain::ByteReader& reader);

/// An output that filters match; its spends are judged only if it is P2WPKH.
struct MatchedOutput {
    chain::Outpoint outpoint;
    std::optional<P2wpkhOutput> output{};
};

/// Why a transaction is not tracked.
struct SpendFault {
    /// False where a peer that serves witnesses would have shown more: the peer that sent it is not
    /// to blame.
    bool is_proven = false;
    std::string what;  ///< "input 0: its signature is wrong"
};

/// The remembered output with this outpoint; nothing where none is remembered, or not what it pays.
using FindOutput = std::function<std::optional<P2wpkhOutput>(const chain::Outpoint&)>;

/// Judges an unconfirmed transaction by itself, and its inputs as far as `find_output` knows what
/// they spend (chain::verify_input; at about 50 microseconds each). What inputs spend that are not
/// known may be anything. Returns whether all are known, and so were judged.
///
/// Own and strangers' outputs are remembered alike. Were the wallet's alone judged, a peer could
/// find them out among all that a filter matches, by spends without a signature.
chain::Expected<bool, SpendFault> check_spends(const chain::Transaction& transaction,
                                               const FindOutput& find_output);

}  // namespace petal::net
