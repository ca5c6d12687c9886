#include "net/regtest/mempool/acceptance.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "chain/transaction_rules.h"
#include "net/regtest/mempool/replacement.h"
#include "net/regtest/mempool/script_checks.h"
#include "net/regtest/mempool/standard_policy.h"

namespace petal::net {
namespace {

/// Bitcoin Core: DEFAULT_CLUSTER_LIMIT, DEFAULT_CLUSTER_SIZE_LIMIT_KVB.
constexpr std::size_t kMaxClusterCount = 64;
constexpr std::size_t kMaxClusterSize = 101'000;

/// One transaction and a mempool that may take it.
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
        paid_ = {*fee, relayed_size(transaction_, sigops)};
        if (checks_policy()) {
            if (auto reason = find_nonstandard_input(transaction_, spent_)) return fault(*reason);
            if (*fee != 0 && count_dust(transaction_) > 0) return fault(RejectReason::dust);
            if (sigops > kMaxRelayedSigopCost) return fault(RejectReason::too_many_sigops);
        }
        if (*fee < chain::fee_at_rate(policy_.least_fee_rate, paid_.size)) {
            return fault(RejectReason::fee_too_low);
        }
        if (auto reason = find_mempool_fault()) return fault(*reason);
        if (!checks_policy()) return {};
        const auto unjudged = policy_.checks == TransactionChecks::all ? UnjudgedScripts::refused
                                                                       : UnjudgedScripts::accepted;
        if (auto rejection = find_wrong_script(transaction_, spent_, unjudged)) {
            return chain::Unexpected(*rejection);
        }
        return {};
    }

private:
    static chain::Unexpected<Rejection> fault(RejectReason reason) {
        return chain::Unexpected(Rejection{reason});
    }

    bool checks_policy() const { return policy_.checks != TransactionChecks::amounts; }

    /// What is wrong with the transaction whatever it spends.
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

    /// What the mempool's other transactions have against it.
    std::optional<RejectReason> find_mempool_fault() const {
        const RegtestMempool::Positions conflicts = find_conflicts();
        const RegtestMempool::Positions evicted = mempool_.with_descendants(conflicts);
        Replacement replacement{paid_, conflicts.size(), 0, true, false};
        for (const std::size_t position : conflicts) {
            const auto& entry = mempool_.entries()[position];
            if (!paid_.pays_more_than({entry.fee, entry.size})) {
                replacement.pays_more_than_each = false;
            }
        }
        for (const std::size_t position : evicted) {
            replacement.evicted_fees += mempool_.entries()[position].fee;
        }
        for (const auto& input : transaction_.inputs) {
            const auto parent = mempool_.find(input.prevout.txid);
            if (parent && evicted.contains(*parent)) replacement.spends_evicted = true;
        }
        if (const auto reason = find_replacement_fault(replacement)) return reason;
        if (checks_policy() && is_cluster_too_large(evicted)) {
            return RejectReason::cluster_too_large;
        }
        return std::nullopt;
    }

    RegtestMempool::Positions find_conflicts() const {
        RegtestMempool::Positions conflicts;
        for (const auto& input : transaction_.inputs) {
            const chain::Txid* const spender = layer_.spender(input.prevout);
            if (spender != nullptr) conflicts.insert(*mempool_.find(*spender));
        }
        return conflicts;
    }

    /// Whether the transactions that it would be connected with are more than Bitcoin Core keeps
    /// together.
    bool is_cluster_too_large(const RegtestMempool::Positions& evicted) const {
        const RegtestMempool::Positions cluster = mempool_.cluster_of(transaction_, evicted);
        std::size_t size = paid_.size;
        for (const std::size_t position : cluster) size += mempool_.entries()[position].size;
        return cluster.size() + 1 > kMaxClusterCount || size > kMaxClusterSize;
    }

    const RegtestMempool& mempool_;
    const TransactionLayer& layer_;
    const chain::Transaction& transaction_;
    const chain::Txid& txid_;
    const MempoolPolicy& policy_;
    std::vector<chain::TxOutput> spent_;
    PaidSize paid_;
};

}  // namespace

chain::Expected<void, Rejection> check_acceptance(const RegtestMempool& mempool,
                                                  const chain::Transaction& transaction,
                                                  const chain::Txid& txid,
                                                  const MempoolPolicy& policy) {
    return Candidate(mempool, transaction, txid, policy).check();
}

}  // namespace petal::net
