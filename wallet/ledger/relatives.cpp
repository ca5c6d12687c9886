#include "wallet/ledger/relatives.h"

#include <utility>

#include "wallet/ledger/conflicts.h"

namespace petal::wallet {

using chain::Outpoint;
using chain::Txid;

namespace {

class RelativeFinder {
public:
    RelativeFinder(const Ledger& ledger, const std::optional<Txid>& replaced)
        : ledger_(ledger), conflicts_(find_conflicts(ledger)), replaced_(replaced) {}

    /// Includes conflicted ancestors: the user pays for the named transaction, even if another
    /// version counts.
    void add_with_ancestors(const Txid& txid) {
        const std::size_t first = found_.size();
        add(ledger_.find(txid));
        for (std::size_t next = first; next < found_.size(); ++next) {
            for (const Outpoint& input : found_[next]->inputs) add(ledger_.find(input.txid));
        }
    }

    void add_descendants() {
        for (std::size_t next = 0; next < found_.size(); ++next) {
            for (const auto* child : ledger_.spends().unconfirmed_children(found_[next]->txid)) {
                if (may_pay_for_parents(*child)) add_with_ancestors(child->txid);
            }
        }
    }

    std::vector<const LedgerTransaction*> take() { return std::move(found_); }

private:
    bool may_pay_for_parents(const LedgerTransaction& child) const {
        return known_fee(ledger_, child) && !child.evidence.sources.empty() &&
               !conflicts_.contains(child.txid);
    }

    void add(const LedgerTransaction* transaction) {
        if (transaction == nullptr || transaction->placement || transaction->is_coinbase()) return;
        const Txid& txid = transaction->txid;
        if (found_.size() == kMaxRelatives || txid == replaced_) return;
        if (seen_.insert(txid).second) found_.push_back(transaction);
    }

    const Ledger& ledger_;
    Conflicts conflicts_;
    const std::optional<Txid>& replaced_;
    std::set<Txid> seen_;
    std::vector<const LedgerTransaction*> found_;
};

}  // namespace

std::vector<const LedgerTransaction*> unconfirmed_relatives(const Ledger& ledger,
                                                            const std::set<Txid>& spent,
                                                            const std::optional<Txid>& replaced) {
    RelativeFinder finder(ledger, replaced);
    for (const Txid& txid : spent) finder.add_with_ancestors(txid);
    finder.add_descendants();
    return finder.take();
}

}  // namespace petal::wallet
