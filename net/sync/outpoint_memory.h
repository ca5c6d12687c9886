/// The outpoints that serving the chain's history put into servers' filters, true and false matches alike.
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/transaction.h"
#include "chain/watcher.h"

namespace petal::net {

/// How deep a spend must lie before its outpoint is forgotten: no reorganisation is expected to reach it.
inline constexpr std::uint32_t kReorgReach = 144;

/// Remembers every outpoint that a server's filter got by itself, until long after it is spent. A filter for the
/// next server that holds all of them is the one that an honest server would have had by itself, had it
/// served everything: complete for spends, and without a hint which of the outpoints are the wallet's.
class OutpointMemory {
public:
    /// Takes a served block: what it made the filter insert, and what its transactions spend.
    void on_block(const chain::ProvenBlock& block, std::span<const chain::Outpoint> inserted);
    /// Takes an unconfirmed transaction's insertions. Only a block spends.
    void on_unconfirmed(std::span<const chain::Outpoint> inserted);
    /// Spends above this height are undone.
    void undo_to(std::uint32_t height);

    /// All remembered, in an order that means nothing.
    std::vector<chain::Outpoint> outpoints() const;
    std::size_t size() const { return spent_at_.size(); }

    void write(chain::ByteWriter& writer) const;
    /// Replaces all by what write() wrote. On failure the reader says why.
    static OutpointMemory read(chain::ByteReader& reader);

private:
    void forget_below(std::uint32_t height);

    std::unordered_map<chain::Outpoint, std::uint32_t> spent_at_;  // height; 0 while unspent
    std::uint32_t forgotten_below_ = 0;
};

}  // namespace petal::net
