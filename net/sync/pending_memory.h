/// The outpoints that unconfirmed transactions put into servers' filters, true and false matches
/// alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/transaction.h"
#include "chain/watcher.h"

namespace petal::net {

/// Anyone can make up unconfirmed transactions that match, at no cost. The bound keeps that from
/// filling filters; who is there already stays, so that nobody is driven out who hides others.
inline constexpr std::size_t kMaxPendingOutpoints = 1'000;

/// How long nodes keep what is not confirmed, in seconds (Bitcoin Core:
/// DEFAULT_MEMPOOL_EXPIRY_HOURS, 336).
inline constexpr std::int64_t kPendingLifetime = 14 * 86'400;

/// Remembers, of the unconfirmed transactions that matched, what they spend and what they bring
/// that filters hold: a filter that is made for the watcher's own has to hold it, to see them
/// replaced and spent, and would tell which are the watcher's if it held no others.
class PendingMemory {
public:
    /// Takes a transaction that matches. Returns whether it is new and there is room for it.
    /// coins   those of its outputs that match
    /// now     Unix seconds; what is older than kPendingLifetime then is forgotten
    bool add(const chain::Transaction& transaction, const chain::Txid& txid,
             std::vector<chain::Outpoint> coins, std::int64_t now);
    /// Forgets what the block confirms, and what it makes impossible.
    void on_block(const chain::ProvenBlock& block);

    bool contains(const chain::Outpoint& outpoint) const { return outpoints_.contains(outpoint); }
    /// Each once.
    std::vector<chain::Outpoint> outpoints() const;
    std::size_t size() const { return outpoints_.size(); }

    void write(chain::ByteWriter& writer) const;
    /// Replaces all by what write() wrote. On failure the reader says why.
    static PendingMemory read(chain::ByteReader& reader);

private:
    struct Pending {
        std::int64_t seen = 0;
        std::vector<chain::Outpoint> inputs;
        std::vector<chain::Outpoint> coins;
    };
    using Transactions = std::map<chain::Txid, Pending>;

    bool insert(const chain::Txid& txid, Pending pending);
    Transactions::iterator erase(Transactions::iterator entry);

    Transactions transactions_;
    std::map<chain::Outpoint, std::size_t> outpoints_;  // by how many of them have it
};

}  // namespace petal::net
