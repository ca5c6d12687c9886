/// The outpoints that unconfirmed transactions put into servers' filters, true and false matches
/// alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/transaction.h"
#include "chain/transaction_rules.h"
#include "chain/watcher.h"
#include "net/sync/filters/matched_output.h"
#include "net/sync/filters/outpoint_shares.h"
#include "net/sync/filters/unconfirmed_match.h"

namespace petal::net {

/// Anyone can make up unconfirmed transactions that match, at no cost. The bound keeps them from
/// filling filters: these fill one of the lowest rate to ten times that, and what a single source
/// shows to four times. What is there already stays, so that no flood drives out the matches that
/// hide others.
inline constexpr std::size_t kMaxUnconfirmedOutpoints = 4'000;

/// As many again are kept of what is confirmed and may be undone, the last ones. Filters do not
/// hold them, unless a reorganisation undoes them, until they are confirmed again.
inline constexpr std::size_t kMaxConfirmedOutpoints = 4'000;

/// The same for the transactions' bytes in memory (which are more than their serialization's), so
/// that made-up ones can't fill the disk either: about as many as a block of ordinary ones takes.
inline constexpr std::size_t kMaxUnconfirmedBytes = 5'000'000;

/// What a transaction takes in memory, without the allocator's overhead; never less than its
/// serialization.
std::size_t memory_bytes(const chain::Transaction& transaction);

/// Where a transaction was first seen, and when.
struct TxSource {
    /// The same for peers that may well belong to one owner.
    chain::ByteView network_group;
    std::int64_t time = 0;  ///< Unix seconds
};

/// Tracks the unconfirmed transactions that matched: filters hold what they spend and those of
/// their outputs that match, so that a replacement or a spend is seen. A transaction that is not
/// tracked here must not add outpoints to any filter, even if it pays this wallet. Otherwise an
/// attacker could fabricate a payment and learn from the filter whether its recipient is this
/// wallet.
///
/// What a block decides is remembered until no reorganisation reaches it. Meanwhile what a
/// transaction spends that can't confirm any more stays in filters, and what is confirmed comes
/// back with its block's undoing.
class UnconfirmedMatches {
public:
    enum class Answer : std::uint8_t { taken, again, known, no_room };

    /// Takes a transaction that matches, and forgets those that are open and have been so for
    /// longer than chain::kUnconfirmedLifetime. One source gets half of the room that the others
    /// leave it, of outpoints and of bytes. None is heavier than chain::kMaxRelayedWeight. A known
    /// one is taken again while no block has decided it and it was not judged: by its txid alone
    /// the watcher's good version can't be told from a bad one.
    /// coins       those of its outputs that match
    /// is_judged   whether each of its inputs was found to be validly signed
    Answer add(const chain::Transaction& transaction, const chain::Txid& txid,
               std::vector<MatchedOutput> coins, const TxSource& source, bool is_judged = true);
    /// Whether add() has room for such a transaction: to be asked before its signatures are judged,
    /// so that a flood costs no more of that than what is taken.
    bool has_room_for(const chain::Transaction& transaction, std::size_t coins,
                      const TxSource& source);
    /// Takes a transaction of a block, however many there are: see keep_last_confirmed(). If the
    /// block is undone, it is as others that were seen then.
    void add_confirmed(const chain::Transaction& transaction, const chain::Txid& txid,
                       std::vector<MatchedOutput> coins, std::uint32_t height);
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

    /// The transactions that were not judged and that spend one of these outputs, of which nothing
    /// was known when they came. They keep the room that they take: were it given back, one peer
    /// could use the same share again and again, and the watcher would hold all that it showed.
    std::vector<chain::Txid> unjudged_spenders(const std::vector<MatchedOutput>& outputs) const;

    /// The transaction, if it is known; until it is forgotten.
    const UnconfirmedMatch* find(const chain::Txid& txid) const;
    /// What the output of a known transaction pays, where that was remembered.
    std::optional<chain::TxOutput> find_output(const chain::Outpoint& outpoint) const;
    /// What filters hold of it; nothing where they hold nothing.
    std::vector<chain::Outpoint> outpoints_of(const chain::Txid& txid) const;
    /// The watcher is shown all that add() took. Only from then on does write() write it: else a
    /// later process would take for known what the watcher has never seen.
    void mark_shown();

    bool contains(const chain::Outpoint& outpoint) const { return in_filters_.contains(outpoint); }
    /// All that filters hold, each once.
    std::vector<chain::Outpoint> outpoints() const { return in_filters_.outpoints(); }
    std::size_t size() const { return in_filters_.size(); }
    /// What the transactions take that are in filters and were seen unconfirmed first.
    std::size_t bytes() const { return in_filters_.taken().bytes; }

    void write(chain::ByteWriter& writer) const;
    /// Replaces all by what write() wrote. On failure the reader says why.
    /// with_outputs   false for bytes of an older version, which had outpoints only
    static UnconfirmedMatches read(chain::ByteReader& reader, bool with_outputs = true);

private:
    using Matches = std::map<chain::Txid, UnconfirmedMatch>;

    template <class Predicate>
    void forget_if(Predicate is_forgotten);
    void forget_expired(std::int64_t now);
    bool insert(const chain::Txid& txid, UnconfirmedMatch match);
    Matches::iterator erase(Matches::iterator entry);
    std::uint32_t lowest_confirmed_kept() const;
    void decide(UnconfirmedMatch& match, Resolution resolution, std::uint32_t height);

    Matches matches_;
    OutpointShares in_filters_;
    std::size_t held_ = 0;  // outpoints of all
    std::int64_t expired_at_ = 0;
};

}  // namespace petal::net
