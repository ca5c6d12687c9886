/// The outpoints that serving the chain's history put into servers' filters, true and false matches
/// alike.
#pragma once

#include <cstdint>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/transaction.h"
#include "chain/watcher.h"

namespace petal::net {

/// How deep a spend must lie before its outpoint is forgotten: no reorganisation is expected to
/// reach it.
inline constexpr std::uint32_t kReorgReach = 144;
/// More than any filter has room for. Who pays for it can make filters match what is not the
/// watcher's; the bound keeps it from costing us more than that.
inline constexpr std::size_t kMaxRemembered = 50'000;

/// Remembers every outpoint that a server's filter got by itself, until long after it is spent. A
/// filter for the next server that holds all of them is the one that an honest server would have
/// had by itself, had it served everything: complete for spends, and without a hint which of the
/// outpoints are the wallet's.
class OutpointMemory {
public:
    /// Takes what a server's filter got by itself. Returns whether it is new.
    bool add(const chain::Outpoint& outpoint);
    /// Takes a block of the best chain; those behind it may still be missing.
    /// tip   the best chain's height: below its reach, what is spent is forgotten at once
    void on_block(const chain::ProvenBlock& block, std::uint32_t tip);
    /// Spends above this height are undone.
    void undo_to(std::uint32_t height);

    bool is_full() const { return spent_at_.size() >= kMaxRemembered; }
    /// Forgets all but these; for when it is full. Filters are then no longer what one server would
    /// have had, but as complete as before, where these are all whose spending matters.
    void keep_only(const std::unordered_set<chain::Outpoint>& relevant);

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
