#include "regtest/mempool/acceptance.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "chain/transaction_rules.h"
#include "regtest/mempool/replacement.h"
#include "regtest/mempool/script_checks.h"
#include "regtest/mempool/standard_policy.h"
#include "regtest/mempool/truc.h"

namespace petal::regtest {
namespace {

/// A transaction, and the mempool that may accept it.
class Candidate {
public:
    Candidate(const RegtestMempool& mempool, const chain::Transaction& transaction,
              const chain::Txid& txid, const MempoolPolicy& policy)
        : mempool_(mempool),
          layer_(mempool.layer()),
          transaction_(transaction),
          txid_(txid),
          policy_(policy) {}

    chain::Expected<void, Rejection> check() {
        if (auto reason = find_own_fault()) return fault(*reason);
        const auto fee = layer_.check(transaction_, TransactionLayer::Conflicts::ignored);
        if (!fee) return fault(is_known(fee.error()) ? RejectReason::already_known : fee.error());
        spent_ = layer_.spent_outputs(transaction_);
        const std::size_t sigops = sigop_cost(transaction_, spent_);
        paid_ = {*fee, relayed_weight(transaction_, sigops)};
        size_ = relayed_size(transaction_, sigops);
        if (checks_policy()) {
            if (auto reason = find_nonstandard_input(transaction_, spent_)) return fault(*reason);
            if (*fee != 0 && std::ranges::any_of(transaction_.outputs, is_dust))
                return fault(RejectReason::dust);
            if (sigops > kMaxRelayedSigopCost) return fault(RejectReason::too_many_sigops);
        }
        if (*fee < chain::fee_at_rate(policy_.least_fee_rate, size_)) {
            return fault(RejectReason::fee_too_low);
        }
        if (auto rejection = find_mempool_fault()) return chain::Unexpected(*rejection);
        const std::size_t bytes_of_others = mempool_.totals().bytes - evicted_bytes_;
        if (bytes_of_others + transaction_.total_size() > policy_.max_bytes) {
            return fault(RejectReason::mempool_full);
        }
        if (!checks_policy()) return {};
        if (policy_.judges_families && leaves_dust()) return fault(RejectReason::unspent_dust);
        if (auto rejection = find_wrong_script(transaction_, spent_, chain::kStandardFlags)) {
            return chain::Unexpected(*rejection);
        }
        return {};
    }

private:
    static chain::Unexpected<Rejection> fault(RejectReason reason) {
        return chain::Unexpected(Rejection{reason});
    }

    bool checks_policy() const { return policy_.checks != TransactionChecks::amounts; }

    /// The context-free fault of the transaction, or its presence in the mempool.
    std::optional<RejectReason> find_own_fault() const {
        if (const auto sound = chain::check_transaction(transaction_); !sound) {
            return reason_of(sound.error(), transaction_);
        }
        if (transaction_.is_coinbase()) return RejectReason::coinbase;
        if (checks_policy()) {
            if (const auto reason = find_nonstandard(transaction_)) return reason;
        }
        if (mempool_.find(txid_)) return RejectReason::same_txid;
        return std::nullopt;
    }

    bool is_known(RejectReason reason) const {
        return reason == RejectReason::missing_input && layer_.is_confirmed(transaction_, txid_);
    }

    /// The fault in combination with other mempool transactions: version 3, replacement or cluster.
    std::optional<Rejection> find_mempool_fault() {
        std::optional<std::size_t> sibling;
        if (checks_policy() && policy_.judges_families) {
            if (truc_violation_of(mempool_, transaction_, size_)) {
                return Rejection{RejectReason::truc_violation};
            }
            sibling = truc_sibling(mempool_, transaction_);
        }
        RegtestMempool::Positions conflicts = mempool_.conflicts_of(transaction_);
        if (sibling) conflicts.insert(*sibling);
        const RegtestMempool::Positions evicted = mempool_.with_descendants(conflicts);
        for (const std::size_t position : evicted) {
            evicted_bytes_ += mempool_.entries()[position].bytes;
        }
        if (const auto reason = find_fee_fault(conflicts, evicted)) {
            return Rejection{*reason, sibling ? "including sibling eviction" : ""};
        }
        if (checks_policy() && is_cluster_too_large(mempool_, transaction_, paid_.size, evicted)) {
            return Rejection{RejectReason::cluster_too_large};
        }
        if (evicted.empty()) return std::nullopt;
        if (!improves_mempool(mempool_, transaction_, paid_, evicted)) {
            return Rejection{RejectReason::worse_diagram};
        }
        const auto parents = mempool_.parents_of(transaction_);
        const auto is_evicted = [&](std::size_t parent) { return evicted.contains(parent); };
        if (std::ranges::any_of(parents, is_evicted)) {
            return Rejection{RejectReason::spends_conflict};
        }
        return std::nullopt;
    }

    std::optional<RejectReason> find_fee_fault(const RegtestMempool::Positions& conflicts,
                                               const RegtestMempool::Positions& evicted) const {
        if (conflicts.empty()) return std::nullopt;
        Replacement replacement{paid_.fee, size_, count_clusters(mempool_, conflicts), 0};
        for (const std::size_t position : evicted) {
            replacement.evicted_fees += mempool_.entries()[position].fee;
        }
        return find_replacement_fault(replacement);
    }

    /// Whether an unconfirmed parent has dust that the transaction does not spend. A parent with
    /// dust pays no fee (Bitcoin Core: CheckEphemeralSpends).
    bool leaves_dust() const {
        const auto is_left = [this](const chain::Outpoint& outpoint) {
            return std::ranges::find(transaction_.inputs, outpoint, &chain::TxInput::prevout) ==
                   transaction_.inputs.end();
        };
        for (const std::size_t parent : mempool_.parents_of(transaction_)) {
            const auto& outputs = mempool_.transactions()[parent].outputs;
            for (std::uint32_t i = 0; i < outputs.size(); ++i) {
                if (!is_dust(outputs[i])) continue;
                if (is_left({mempool_.entries()[parent].txid, i})) return true;
            }
        }
        return false;
    }

    const RegtestMempool& mempool_;
    const TransactionLayer& layer_;
    const chain::Transaction& transaction_;
    const chain::Txid& txid_;
    const MempoolPolicy& policy_;
    std::vector<chain::TxOutput> spent_;
    PaidSize paid_;
    std::size_t size_ = 0;  // vB
    std::size_t evicted_bytes_ = 0;
};

}  // namespace

chain::Expected<void, Rejection> check_acceptance(const RegtestMempool& mempool,
                                                  const chain::Transaction& transaction,
                                                  const chain::Txid& txid,
                                                  const MempoolPolicy& policy) {
    return Candidate(mempool, transaction, txid, policy).check();
}

bool is_cluster_too_large(const RegtestMempool& mempool, const chain::Transaction& transaction,
                          std::size_t weight, const RegtestMempool::Positions& without) {
    const auto cluster = mempool.connected_with(mempool.parents_of(transaction), without);
    for (const std::size_t position : cluster) {
        weight += relayed_weight(mempool.transactions()[position],
                                 mempool.entries()[position].sigop_cost);
    }
    return cluster.size() + 1 > kMaxClusterCount || weight > 4 * kMaxClusterSize;
}

}  // namespace petal::regtest
