/// The outpoints that unconfirmed transactions put into servers' filters, for true and false
/// positives alike.
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

/// Anyone can fabricate unconfirmed transactions that match, at no cost. The bound keeps them from
/// saturating filters: 4,000 outpoints raise the lowest rate tenfold, one network group's share
/// fourfold. Tracked matches are not evicted for new ones, so that no flood drives out the false
/// positives that hide the wallet's transactions.
inline constexpr std::size_t kMaxUnconfirmedOutpoints = 4'000;

/// The number of outpoints kept for the latest confirmed transactions, which a reorganisation may
/// undo. Filters do not hold them unless a reorganisation makes them unconfirmed.
inline constexpr std::size_t kMaxConfirmedOutpoints = 4'000;

/// A bound for the transactions' bytes in memory (more than their serialization's), so that
/// fabricated transactions cannot fill the disk either: about the transactions of an ordinary
/// block.
inline constexpr std::size_t kMaxUnconfirmedBytes = 5'000'000;

/// The memory that a transaction takes in bytes, without the allocator's overhead; never less than
/// its serialization.
std::size_t memory_bytes(const chain::Transaction& transaction);

/// The peer's network group by which a transaction was first seen, and when.
struct FirstSeen {
    /// Equal for peers that may belong to one owner.
    chain::ByteView network_group;
    std::int64_t time = 0;  ///< Unix seconds
};

/// Tracks the unconfirmed transactions that matched. Filters hold the outpoints that a tracked
/// transaction spends, so that its replacement matches. Filters also hold the outpoints of its
/// outputs that match, so that a spend of these matches. A transaction that is not tracked here
/// must not add outpoints to any filter, even if it pays this wallet. Otherwise an attacker could
/// fabricate a payment and learn from the filter whether its recipient is this wallet.
///
/// A confirmed or conflicted transaction is remembered until no reorganisation reaches its block.
/// Meanwhile filters hold the outpoints that a conflicted transaction spends, and a confirmed
/// transaction becomes unconfirmed again if its block is undone. A transaction that only undone
/// blocks had is undone, too: peers are asked for it, and it is forgotten if no peer shows it.
class UnconfirmedMatches {
public:
    enum class AddResult : std::uint8_t { taken, again, known, no_room };

    /// Tracks a transaction that matches, and forgets those that have been unconfirmed for longer
    /// than chain::kUnconfirmedLifetime. One network group may use half of the room that the others
    /// leave, of outpoints and of bytes. A transaction must not be heavier than
    /// chain::kMaxRelayedWeight. A tracked one is accepted again while it is unconfirmed and not
    /// verified, once from each of some network groups: by the txid alone, a version with valid
    /// witnesses cannot be told from one without, and repeating it must not cost more and more.
    /// coins       its outputs that match
    /// is_judged   whether the signatures of all its inputs were verified
    AddResult add(const chain::Transaction& transaction, const chain::Txid& txid,
                  std::vector<MatchedOutput> coins, const FirstSeen& first_seen,
                  bool is_judged = true);
    /// Whether add() has room for such a transaction. Call this before verifying its signatures, so
    /// that a flood costs no verification of transactions for which there is no room.
    bool has_room_for(const chain::Transaction& transaction, std::size_t coins,
                      const FirstSeen& first_seen);
    /// Remembers a transaction of a block, without a bound (see keep_last_confirmed()). If the
    /// block is undone, the transaction counts as first seen then.
    void add_confirmed(const chain::Transaction& transaction, const chain::Txid& txid,
                       std::vector<MatchedOutput> coins, std::uint32_t height);
    /// Notes which transactions an applied block confirms or conflicts with.
    void on_block(const chain::ProvenBlock& block);
    /// All blocks up to this height have been applied: forgets transactions that were confirmed or
    /// conflicted deeper below it than a reorganisation reaches.
    void forget_settled(std::uint32_t height);
    /// Keeps only the confirmed transactions of the highest blocks, with at most
    /// kMaxConfirmedOutpoints.
    void keep_last_confirmed();
    /// Transactions that blocks above this height confirmed or conflicted with are unconfirmed
    /// again, as long as filters hold at most twice kMaxUnconfirmedOutpoints of them.
    void undo_to(std::uint32_t height);
    /// Whether any is undone (UnconfirmedMatch::is_undone()): watchers' and false positives alike.
    bool any_undone() const { return in_filters_.undone() > 0; }
    /// Forgets those that are undone.
    void forget_undone();

    /// The tracked transactions that spend one of these outputs, and could not be verified because
    /// the output was unknown. Every network group may send these transactions again. Their room
    /// stays occupied. Otherwise one peer could use the same share again and again, and the watcher
    /// would store all transactions of this peer.
    std::vector<chain::Txid> reopen_unjudged_spenders(const std::vector<MatchedOutput>& outputs);

    /// The transaction, if it is tracked or remembered.
    const UnconfirmedMatch* find(const chain::Txid& txid) const;
    /// The amount and script of a known transaction's output; empty if they are not remembered.
    std::optional<chain::TxOutput> find_output(const chain::Outpoint& outpoint) const;
    /// The outpoints of the transaction that filters hold; empty if none.
    std::vector<chain::Outpoint> outpoints_of(const chain::Txid& txid) const;
    /// The watcher is shown all transactions that add() accepted. write() skips those that were not
    /// shown: a later process would treat them as known, though the watcher has never seen them.
    void mark_shown();

    bool contains(const chain::Outpoint& outpoint) const { return in_filters_.contains(outpoint); }
    /// All outpoints that filters hold, each once.
    std::vector<chain::Outpoint> outpoints() const { return in_filters_.outpoints(); }
    std::size_t size() const { return in_filters_.size(); }

    void write(chain::ByteWriter& writer) const;
    /// Reads the format of write(). On failure the reader holds the error.
    /// with_outputs   false for bytes of an older version, which had only outpoints
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
