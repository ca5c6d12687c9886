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
/// filling filters: these fill one of the lowest rate to ten times that, and what a single source
/// shows to four times. Who is there already stays, so that nobody is driven out who hides others.
inline constexpr std::size_t kMaxPendingOutpoints = 4'000;

/// As many again are kept of what is confirmed and may be undone, the last ones. Filters do not
/// hold them, unless a reorganisation undoes them, until they are confirmed again.
inline constexpr std::size_t kMaxConfirmedOutpoints = 4'000;

/// How long nodes keep what is not confirmed, in seconds (Bitcoin Core:
/// DEFAULT_MEMPOOL_EXPIRY_HOURS, 336).
inline constexpr std::int64_t kPendingLifetime = 14 * 86'400;

/// Where a transaction was first seen, and when.
struct Sighting {
    /// The same for peers that may well belong to one owner.
    chain::ByteView network_group;
    std::int64_t time = 0;  ///< Unix seconds
};

/// Remembers, of the unconfirmed transactions that matched, what they spend and what they bring
/// that filters hold, to see them replaced and spent. Of none that it does not remember is that in
/// filters, be it the watcher's: who makes a payment up could tell by it whom that pays.
///
/// What a block decides is remembered until no reorganisation reaches it. Meanwhile what a
/// transaction spends that can't confirm any more stays in filters, and what is confirmed comes
/// back with its block's undoing.
class PendingMemory {
public:
    enum class Answer : std::uint8_t { taken, known, no_room };

    /// Takes a transaction that matches, and forgets those that are open and have been so for
    /// longer than kPendingLifetime. One source gets half of the room that the others leave it, so
    /// that nobody can use up all of it.
    /// coins   those of its outputs that match
    Answer add(const chain::Transaction& transaction, const chain::Txid& txid,
               std::vector<chain::Outpoint> coins, const Sighting& sighting);
    /// Takes a transaction of a block, however many there are: see keep_last_confirmed(). If the
    /// block is undone, it is as others that were seen then.
    void add_confirmed(const chain::Transaction& transaction, const chain::Txid& txid,
                       std::vector<chain::Outpoint> coins, std::uint32_t height);
    /// Takes a block that the watcher is shown.
    void on_block(const chain::ProvenBlock& block);
    /// The watcher has taken all blocks up to this height: what those decided that lie beyond a
    /// reorganisation's reach is final.
    void forget_settled(std::uint32_t height);
    /// Forgets of what is confirmed all but the highest blocks', kMaxConfirmedOutpoints at most.
    void keep_last_confirmed();
    /// What blocks above this height decided is open again, as far as filters have room for twice
    /// what may be unconfirmed at once.
    void undo_to(std::uint32_t height);

    /// Whether it is held, and no block has decided what becomes of it.
    bool is_open(const chain::Txid& txid) const;
    /// What filters hold of it; nothing where they hold nothing.
    std::vector<chain::Outpoint> outpoints_of(const chain::Txid& txid) const;
    /// The watcher is shown all that add() took. Only from then on does write() write it: else a
    /// later process would take for known what the watcher has never seen.
    void mark_shown();

    bool contains(const chain::Outpoint& outpoint) const { return outpoints_.contains(outpoint); }
    /// All that filters hold, each once.
    std::vector<chain::Outpoint> outpoints() const;
    std::size_t size() const { return outpoints_.size(); }

    void write(chain::ByteWriter& writer) const;
    /// Replaces all by what write() wrote. On failure the reader says why.
    static PendingMemory read(chain::ByteReader& reader);

private:
    enum class Fate : std::uint8_t { open, confirmed, impossible };
    /// The first bytes of its network group's hash.
    using Source = std::uint64_t;
    struct Pending {
        std::int64_t seen = 0;  // 0 for what blocks have shown, until it is open
        Source source = 0;
        std::vector<chain::Outpoint> inputs;
        std::vector<chain::Outpoint> coins;
        Fate fate = Fate::open;
        std::uint32_t decided_at = 0;  // the height of the block that did; 0 while open
        bool is_shown = true;          // to the watcher

        std::size_t size() const { return inputs.size() + coins.size(); }
        bool is_in_filters() const { return fate != Fate::confirmed; }
    };
    using Transactions = std::map<chain::Txid, Pending>;

    static Source source_of(chain::ByteView network_group);
    static Pending pending_of(const chain::Transaction& transaction,
                              std::vector<chain::Outpoint> coins);
    template <class Predicate>
    void forget_if(Predicate is_forgotten);
    void forget_expired(std::int64_t now);
    bool has_room(Source source, std::size_t more) const;
    bool insert(const chain::Txid& txid, Pending pending);
    Transactions::iterator erase(Transactions::iterator entry);
    std::uint32_t lowest_confirmed_kept() const;
    void decide(Pending& pending, Fate fate, std::uint32_t height);
    void put_into_filters(const Pending& pending);
    void take_out_of_filters(const Pending& pending);

    Transactions transactions_;
    std::map<chain::Outpoint, std::size_t> outpoints_;  // in filters, by how many have them
    // The following count outpoints that several transactions have as often, so that the bounds
    // also hold for the memory and what is stored of it.
    std::map<Source, std::size_t> shares_;  // of those that are in filters
    std::size_t in_filters_ = 0;
    std::size_t held_ = 0;  // of all
    std::int64_t expired_at_ = 0;
};

}  // namespace petal::net
