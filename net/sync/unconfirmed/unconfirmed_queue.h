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

/// Verifies unconfirmed transactions, tracks matching transactions (UnconfirmedMatches, in the
/// checkpoint), and keeps them for the watcher's next batch.
class UnconfirmedQueue {
public:
    /// Both arguments must outlive the queue.
    UnconfirmedQueue(SyncCheckpoint& checkpoint, WatchedBase& base)
        : checkpoint_(checkpoint), base_(base) {}

    /// The result of add().
    struct Verdict {
        bool is_tracked = false;
        bool is_new = false;  ///< false: another version of a tracked transaction
        /// Why the transaction is not tracked, if check_spends() found a fault.
        std::optional<SpendFault> fault{};
    };
    /// Adds a transaction to the next batch. The transaction is not tracked in these cases:
    ///
    /// - No block was applied yet.
    /// - Neither the filters' base nor an outpoint in the filters matches.
    /// - A transaction with this txid is tracked, and was verified, is confirmed, or came from this
    ///   network group.
    /// - The network group has no room left.
    /// - A transaction with this txid is tracked, and the batch is full: a hundred versions, or
    ///   twice kMaxUnconfirmedBytes of transactions.
    /// - A block spends one of the inputs.
    /// - check_spends() finds a fault.
    ///
    /// The watcher never sees an untracked transaction, because no filter would match a
    /// replacement. A different peer may still send a valid version with the same txid.
    Verdict add(chain::Transaction transaction, const chain::Txid& txid,
                const FirstSeen& first_seen);
    /// Whether transactions were added since the last take_batch().
    bool has_unstored() const { return !unstored_.empty(); }

    struct Batch {
        /// The transactions that are still neither confirmed nor in conflict with a block.
        std::vector<chain::UnconfirmedTransaction> transactions;
        /// The matching outputs of the transactions, and the outpoints that they spend, so that a
        /// replacement in a block matches. Add these to the servers' filters only after the watcher
        /// has stored the batch.
        std::vector<chain::Outpoint> found;
    };
    /// Returns the waiting transactions, and marks them as shown to the watcher.
    Batch take_batch();

    /// Outputs were found. The signatures of tracked transactions that spend the outputs can be
    /// verified now.
    void add_found_outputs(const std::vector<MatchedOutput>& outputs);
    /// Returns tracked transactions that arrived before the outputs that they spend. These can be
    /// verified now, and are to be requested again. Empties the list.
    std::vector<chain::Txid> take_unjudged() { return std::exchange(unjudged_, {}); }

    /// Remembers the transactions of an applied block that the filters would need if a
    /// reorganisation made the transactions unconfirmed.
    void remember_confirmed(const chain::ProvenBlock& block);

private:
    struct Unstored {
        chain::UnconfirmedTransaction transaction;
        chain::Bytes network_group;
    };

    // Empty if the filters have neither an outpoint of the transaction nor an input.
    std::optional<std::vector<MatchedOutput>> explained_coins(const chain::Transaction& transaction,
                                                              const chain::Txid& txid);
    bool has_room_for_version(const chain::Transaction& transaction) const;
    std::optional<chain::TxOutput> find_output(const chain::Outpoint& outpoint) const;

    SyncCheckpoint& checkpoint_;
    WatchedBase& base_;
    std::vector<Unstored> unstored_;
    std::size_t versions_ = 0;  // versions of known transactions in `unstored_`
    std::vector<chain::Txid> unjudged_;
    RefusedSpends refused_;
};

}  // namespace petal::net
