#include "regtest/mempool/reject_details.h"

#include <cstddef>
#include <optional>

#include "chain/transaction_rules.h"
#include "regtest/mempool/replacement.h"
#include "regtest/mempool/standard_policy.h"
#include "regtest/mempool/truc.h"

namespace petal::regtest {
namespace {

/// The amount in bitcoin, with at least two decimals (Bitcoin Core: FormatMoney).
std::string format_money(chain::Satoshis amount) {
    constexpr chain::Satoshis kBitcoin = chain::kSatoshisPerBitcoin;
    constexpr std::size_t kTrimmable = 6;
    std::string decimals = std::to_string(kBitcoin + amount % kBitcoin).substr(1);
    for (std::size_t i = 0; i < kTrimmable && decimals.back() == '0'; ++i) decimals.pop_back();
    return std::to_string(amount / kBitcoin) + "." + decimals;
}

/// A refused transaction. If the reason is about spent outputs, all of them are known.
class Refused {
public:
    Refused(const RegtestMempool& mempool, const chain::Transaction& transaction,
            const MempoolPolicy& policy)
        : mempool_(mempool), transaction_(transaction), policy_(policy) {}

    std::string details(const Rejection& rejection) const {
        using enum RejectReason;
        switch (rejection.reason) {
            case dust:
                // Several dust outputs are refused whatever the fee is.
                return find_nonstandard(transaction_) ? "" : "tx with dust output must be 0-fee";
            case premature_coinbase:
                return young_coinbase();
            case outputs_above_inputs:
                return "value in (" + format_money(value_in()) + ") < value out (" +
                       format_money(value_out()) + ")";
            case nonstandard_input:
                return find_nonstandard_spend(transaction_, layer().spent_outputs(transaction_))
                    .value_or("");
            case too_many_sigops:
                return std::to_string(sigops());
            case fee_too_low:
                return std::to_string(fee()) + " < " +
                       std::to_string(chain::fee_at_rate(policy_.least_fee_rate, size()));
            case truc_violation:
                return truc_violation_of(mempool_, transaction_, size()).value_or("");
            case too_many_replaced:
            case insufficient_fee:
                return "rejecting replacement " + txid() + replacement_fault(rejection.reason);
            case worse_diagram:
                return "insufficient feerate: does not improve feerate diagram";
            case spends_conflict:
                return conflicting_ancestor();
            case unspent_dust:
                return "tx " + txid() + " (wtxid=" + wtxid() +
                       ") did not spend parent's ephemeral dust";
            case wrong_script:
                return name_input(transaction_, rejection.input);
            default:
                return "";
        }
    }

private:
    const TransactionLayer& layer() const { return mempool_.layer(); }
    std::string txid() const { return transaction_.txid().to_hex(); }
    std::string wtxid() const { return transaction_.wtxid().to_hex(); }
    std::size_t sigops() const {
        return sigop_cost(transaction_, layer().spent_outputs(transaction_));
    }
    std::size_t size() const { return relayed_size(transaction_, sigops()); }
    chain::Satoshis fee() const { return value_in() - value_out(); }

    chain::Satoshis value_in() const {
        chain::Satoshis total = 0;
        for (const auto& output : layer().spent_outputs(transaction_)) total += output.value;
        return total;
    }
    chain::Satoshis value_out() const {
        chain::Satoshis total = 0;
        for (const auto& output : transaction_.outputs) total += output.value;
        return total;
    }

    std::string young_coinbase() const {
        for (const auto& input : transaction_.inputs) {
            const auto coin = layer().coin(input.prevout);
            if (!coin || coin->is_mature) continue;
            return "tried to spend coinbase at depth " +
                   std::to_string(layer().next_height() - coin->height);
        }
        return "";
    }

    /// The transactions that the transaction replaces, without their descendants.
    RegtestMempool::Positions conflicts() const {
        auto conflicts = mempool_.conflicts_of(transaction_);
        if (const auto sibling = truc_sibling(mempool_, transaction_)) conflicts.insert(*sibling);
        return conflicts;
    }

    std::string replacement_fault(RejectReason reason) const {
        if (reason == RejectReason::too_many_replaced) {
            return "; too many conflicting clusters (" +
                   std::to_string(count_clusters(mempool_, conflicts())) + " > " +
                   std::to_string(kMaxConflictingClusters) + ")";
        }
        chain::Satoshis evicted = 0;
        for (const std::size_t position : mempool_.with_descendants(conflicts())) {
            evicted += mempool_.entries()[position].fee;
        }
        if (fee() < evicted) {
            return ", less fees than conflicting txs; " + format_money(fee()) + " < " +
                   format_money(evicted);
        }
        return ", not enough additional fees to relay; " + format_money(fee() - evicted) + " < " +
               format_money(chain::fee_at_rate(kIncrementalFeeRate, size()));
    }

    std::string conflicting_ancestor() const {
        const auto ancestors = mempool_.with_ancestors(mempool_.parents_of(transaction_));
        for (const std::size_t conflict : mempool_.conflicts_of(transaction_)) {
            if (!ancestors.contains(conflict)) continue;
            return txid() + " spends conflicting transaction " +
                   mempool_.entries()[conflict].txid.to_hex();
        }
        return "";
    }

    const RegtestMempool& mempool_;
    const chain::Transaction& transaction_;
    const MempoolPolicy& policy_;
};

}  // namespace

std::string name_input(const chain::Transaction& transaction, std::size_t input) {
    return "input " + std::to_string(input) + " of " + transaction.txid().to_hex() + " (wtxid " +
           transaction.wtxid().to_hex() + "), spending " +
           transaction.inputs[input].prevout.to_string();
}

std::string reject_details(const RegtestMempool& mempool, const chain::Transaction& transaction,
                           const MempoolPolicy& policy, const Rejection& rejection) {
    const std::string reason = describe(rejection);
    const std::string details = Refused(mempool, transaction, policy).details(rejection);
    return details.empty() ? reason : reason + ", " + details;
}

}  // namespace petal::regtest
