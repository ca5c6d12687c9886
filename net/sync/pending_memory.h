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

/// Anyone can make up unconfirmed transactions that match, at no cost. The bound keeps them from
/// filling filters: these fill one of the lowest rate to four times that, and no more. Who is there
/// already stays, so that nobody is driven out who hides others; but where it is full, who comes
/// later stands alone.
inline constexpr std::size_t kMaxPendingOutpoints = 2'000;

/// How long nodes keep what is not confirmed, in seconds (Bitcoin Core:
/// DEFAULT_MEMPOOL_EXPIRY_HOURS, 336).
inline constexpr std::int64_t kPendingLifetime = 14 * 86'400;

/// Remembers, of the unconfirmed transactions that matched, what they spend and what they bring
/// that filters hold: a filter that is made for the watcher's own has to hold it, to see them
/// replaced and spent, and would tell which are the watcher's if it held no others.
///
/// What a block decides is remembered until no reorganisation reaches it. Meanwhile what a
/// transaction spends that can't confirm any more stays in filters, as a watcher's does, and what
/// is confirmed comes back with its block's undoing.
class PendingMemory {
public:
    /// Takes a transaction that matches. Returns whether it is new and there is room for it.
    /// coins   those of its outputs that match
    /// now     Unix seconds; what is older than kPendingLifetime then is forgotten
    bool add(const chain::Transaction& transaction, const chain::Txid& txid,
             std::vector<chain::Outpoint> coins, std::int64_t now);
    /// Takes a block that the watcher is shown.
    /// shown_to   the height that it has been shown blocks up to, this one included
    void on_block(const chain::ProvenBlock& block, std::uint32_t shown_to);
    /// What blocks above this height decided is open again.
    void undo_to(std::uint32_t height);

    bool contains(const chain::Outpoint& outpoint) const { return outpoints_.contains(outpoint); }
    /// All that filters hold, each once.
    std::vector<chain::Outpoint> outpoints() const;
    std::size_t size() const { return outpoints_.size(); }

    void write(chain::ByteWriter& writer) const;
    /// Replaces all by what write() wrote. On failure the reader says why.
    static PendingMemory read(chain::ByteReader& reader);

private:
    enum class Fate : std::uint8_t { open, confirmed, impossible };
    struct Pending {
        std::int64_t seen = 0;
        std::vector<chain::Outpoint> inputs;
        std::vector<chain::Outpoint> coins;
        Fate fate = Fate::open;
        std::uint32_t decided_at = 0;  // the height of the block that did; 0 while open

        std::size_t size() const { return inputs.size() + coins.size(); }
    };
    using Transactions = std::map<chain::Txid, Pending>;

    bool insert(const chain::Txid& txid, Pending pending);
    Transactions::iterator erase(Transactions::iterator entry);
    void decide(Pending& pending, Fate fate, std::uint32_t height);
    void put_into_filters(const Pending& pending);
    void take_out_of_filters(const Pending& pending);

    Transactions transactions_;
    std::map<chain::Outpoint, std::size_t> outpoints_;  // in filters, by how many have them
    std::size_t held_ = 0;  // outpoints of all transactions, those that several have as often
};

}  // namespace petal::net
