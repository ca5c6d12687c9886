/// Unconfirmed transactions on their way to the watcher.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "chain/watcher.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "net/sync/filters/watched_base.h"
#include "net/sync/unconfirmed/refused_spends.h"
#include "net/sync/unconfirmed/spend_check.h"

namespace petal::net {

/// Verifies unconfirmed transactions, tracks those that match (UnconfirmedMatches, in the
/// checkpoint), and keeps them for the next batch that the watcher is shown.
class UnconfirmedQueue {
public:
    /// Both must outlive the queue.
    UnconfirmedQueue(SyncCheckpoint& checkpoint, WatchedBase& base)
        : checkpoint_(checkpoint), base_(base) {}

    /// The result of add().
    struct Verdict {
        bool is_tracked = false;
        bool is_new = false;  ///< false: another version of a tracked one
        /// Why it is not tracked, if its spends are at fault.
        std::optional<SpendFault> fault{};
    };
    /// Adds a transaction for the next take_batch(). Does not track a transaction that
    /// - matches neither the filters' base nor an outpoint that they hold,
    /// - is tracked already, and was verified, is confirmed, or was sent by this network group,
    /// - exceeds its network group's share of the room, or is another version of a tracked one
    ///   while a hundred versions, or transactions of twice kMaxUnconfirmedBytes, wait,
    /// - spends an outpoint that a block spends, or
    /// - is at fault (check_spends()).
    ///
    /// The watcher never sees an untracked transaction, since its replacement would match no
    /// filter. Another peer may send a valid version with the same txid.
    Verdict add(chain::Transaction transaction, const chain::Txid& txid,
                const FirstSeen& first_seen);
    /// Whether transactions were added since the last call of take_batch().
    bool has_unstored() const { return !unstored_.empty(); }

    struct Batch {
        /// The transactions that no block has confirmed or conflicted with meanwhile.
        std::vector<chain::UnconfirmedTransaction> transactions;
        /// The transactions' outputs that match, and the outpoints that they spend, so that a
        /// replacement in a block matches. To be added to all servers' filters only after the
        /// watcher has stored the batch.
        std::vector<chain::Outpoint> found;
    };
    /// Returns the waiting transactions, and counts them as shown to the watcher.
    Batch take_batch();

    /// Outputs were found. If tracked transactions spend them, their signatures can be verified
    /// now.
    void note_outputs(const std::vector<MatchedOutput>& outputs);
    /// Returns tracked transactions that arrived before the outputs they spend, and can be verified
    /// only now; they are to be requested again. Empties the list.
    std::vector<chain::Txid> take_unjudged() { return std::exchange(unjudged_, {}); }

    /// Remembers the transactions of an applied block that filters would have to hold if a
    /// reorganisation made them unconfirmed.
    void remember_confirmed(const chain::ProvenBlock& block);

private:
    struct Unstored {
        chain::UnconfirmedTransaction transaction;
        chain::Bytes network_group;
    };

    // Empty if filters hold neither outpoints of the transaction nor its inputs.
    std::optional<std::vector<MatchedOutput>> explained_coins(const chain::Transaction& transaction,
                                                              const chain::Txid& txid);
    bool has_room_for_version(const chain::Transaction& transaction) const;
    std::optional<chain::TxOutput> find_output(const chain::Outpoint& outpoint) const;

    SyncCheckpoint& checkpoint_;
    WatchedBase& base_;
    std::vector<Unstored> unstored_;
    std::size_t versions_ = 0;  // of known transactions, among the unstored ones
    std::vector<chain::Txid> unjudged_;
    RefusedSpends refused_;
};

}  // namespace petal::net
