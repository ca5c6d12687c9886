/// Unconfirmed transactions on their way to the watcher.
#pragma once

#include <optional>
#include <utility>
#include <vector>

#include "chain/watcher.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "net/sync/filters/watched_base.h"

namespace petal::net {

/// Judges unconfirmed transactions, tracks those that match (UnconfirmedMatches, in the
/// checkpoint), and keeps them until the watcher is shown them.
class UnconfirmedQueue {
public:
    /// Both must outlive the queue.
    UnconfirmedQueue(SyncCheckpoint& memory, WatchedBase& base) : memory_(memory), base_(base) {}

    /// What became of an unconfirmed transaction.
    struct Verdict {
        bool is_tracked = false;
        /// Why it is not tracked, where its spends are at fault.
        std::optional<SpendFault> fault{};
    };
    /// Takes a transaction that a server's filter is said to match, for the next take_batch(). It
    /// is not tracked where neither the filters' base nor what they hold explains it, where it is
    /// known and judged, there is no room for it, a block spends what it spends, or it is at fault
    /// (check_spends()). The watcher does not see such a one: no filter would show what takes its
    /// place. Nothing of it is remembered, so another peer may show a better version of the same
    /// txid.
    Verdict add(chain::Transaction transaction, const chain::Txid& txid, const TxSource& source);
    /// Whether there are some that were taken since the last call of take_batch().
    bool has_unstored() const { return !unstored_.empty(); }

    struct Batch {
        /// Those that no block has decided meanwhile.
        std::vector<chain::UnconfirmedTransaction> transactions;
        /// To be added to all servers' filters once the watcher has taken the batch, and not
        /// before: what the transactions bring, and what they spend, so that what takes their place
        /// in a block shows.
        std::vector<chain::Outpoint> found;
    };
    /// Counts them as shown to the watcher.
    Batch take_batch();

    /// Outputs were found that known transactions may spend, whose signatures can be judged now.
    void note_outputs(const std::vector<MatchedOutput>& outputs);
    /// Transactions that came before what they spend, so that their signatures could not be judged
    /// until now. To be requested again; empties the list.
    std::vector<chain::Txid> take_unjudged() { return std::exchange(unjudged_, {}); }

    /// Takes a block that the watcher is shown: what a reorganisation may make unconfirmed, as far
    /// as filters would hold it then.
    void remember_confirmed(const chain::ProvenBlock& block);

private:
    struct Unstored {
        chain::UnconfirmedTransaction transaction;
        chain::Bytes network_group;
    };

    // Nothing for a transaction that filters hold nothing of, neither it nor its inputs.
    std::optional<std::vector<MatchedOutput>> explained_coins(const chain::Transaction& transaction,
                                                              const chain::Txid& txid);
    std::optional<chain::TxOutput> find_output(const chain::Outpoint& outpoint) const;

    SyncCheckpoint& memory_;
    WatchedBase& base_;
    std::vector<Unstored> unstored_;
    std::vector<chain::Txid> unjudged_;
};

}  // namespace petal::net
