// Replays the unconfirmed transactions as in a mempool.
#include "wallet/ledger/conflicts.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "wallet/ledger/amount.h"

namespace petal::wallet {

namespace {

using chain::Outpoint;
using chain::Txid;

enum class Standing : std::uint8_t {
    waiting,  ///< not replayed yet
    in_pool,
    evicted,    ///< by an unconfirmed transaction, may be revived if that transaction is evicted
    ruled_out,  ///< by the chain
};

/// The turns of find_conflicts().
enum class Turn : std::uint8_t { vouched_for, others, claims };

struct Candidate {
    const LedgerTransaction* transaction = nullptr;
    const LedgerTransaction* confirmed_rival = nullptr;
    std::vector<std::size_t> parents;
    std::vector<std::size_t> children;
    Standing standing = Standing::waiting;
    /// Whether this is an own spend or an ancestor of an own spend.
    bool is_vouched_for = false;
};

class Replay {
public:
    explicit Replay(const Ledger& ledger) : ledger_(ledger) {
        add_candidates();
        link_families();
        rule_out();
        vouch_for_own_spends();
        play(Turn::vouched_for);
        // If one own spend has evicted another, the loser's ancestors are no longer vouched for.
        vouch_for_own_spends();
        take_back_others();
        play(Turn::others);
        play(Turn::claims);
    }

    Conflicts winners() const {
        Conflicts result;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (is_out(i)) tell_winner(i, result);
        }
        return result;
    }

private:
    /// In order of seen_order. A descendant may precede its parent.
    void add_candidates() {
        for (const LedgerTransaction* transaction : ledger_.spends().contenders()) {
            candidates_.emplace_back().transaction = transaction;
        }
    }

    void link_families() {
        std::unordered_map<Txid, std::size_t> by_txid;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            by_txid.emplace(candidates_[i].transaction->txid, i);
        }
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            for (const Outpoint& input : candidates_[i].transaction->inputs) {
                const auto parent = by_txid.find(input.txid);
                if (parent == by_txid.end()) continue;
                candidates_[i].parents.push_back(parent->second);
                candidates_[parent->second].children.push_back(i);
            }
        }
    }

    void rule_out() {
        std::vector<std::size_t> work;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            Candidate& candidate = candidates_[i];
            for (const Outpoint& input : candidate.transaction->inputs) {
                if (candidate.confirmed_rival == nullptr) {
                    candidate.confirmed_rival = ledger_.spends().confirmed_spender(input);
                }
            }
            if (candidate.confirmed_rival != nullptr || candidate.transaction->is_coinbase()) {
                work.push_back(i);
            }
        }
        while (!work.empty()) {
            Candidate& candidate = candidates_[work.back()];
            work.pop_back();
            if (candidate.standing == Standing::ruled_out) continue;
            candidate.standing = Standing::ruled_out;
            work.insert(work.end(), candidate.children.begin(), candidate.children.end());
        }
    }

    /// Marks the own spends that are accepted or waiting, and all their ancestors. Unmarks all
    /// other candidates.
    void vouch_for_own_spends() {
        std::vector<std::size_t> work;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            candidates_[i].is_vouched_for = false;
            const LedgerTransaction& transaction = *candidates_[i].transaction;
            if (!is_out(i) && is_own_spend(ledger_, transaction)) work.push_back(i);
        }
        while (!work.empty()) {
            Candidate& candidate = candidates_[work.back()];
            work.pop_back();
            if (std::exchange(candidate.is_vouched_for, true)) continue;
            work.insert(work.end(), candidate.parents.begin(), candidate.parents.end());
        }
    }

    void take_back_others() {
        for (Candidate& candidate : candidates_) {
            if (candidate.is_vouched_for || candidate.standing == Standing::ruled_out) continue;
            if (candidate.standing == Standing::in_pool) give_up_inputs(candidate);
            candidate.standing = Standing::waiting;
        }
    }

    static Turn turn_of(const Candidate& candidate) {
        if (candidate.is_vouched_for) return Turn::vouched_for;
        return candidate.transaction->evidence.is_claim ? Turn::claims : Turn::others;
    }

    void play(Turn turn) {
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            const Candidate& candidate = candidates_[i];
            if (candidate.standing != Standing::waiting) continue;
            if (turn_of(candidate) == turn) arrive(i);
        }
        revive();
    }

    void arrive(std::size_t i) {
        if (has_parent_out(i) || has_stronger_rival(i)) {
            evict(i);
            return;
        }
        for (const Outpoint& input : candidates_[i].transaction->inputs) {
            const auto rival = claimed_.find(input);
            if (rival != claimed_.end()) evict(rival->second);
        }
        // If the transaction spends the same output as its own ancestor, the ancestor was just
        // evicted.
        if (has_parent_out(i)) {
            evict(i);
        } else {
            admit(i);
        }
    }

    void admit(std::size_t i) {
        candidates_[i].standing = Standing::in_pool;
        for (const Outpoint& input : candidates_[i].transaction->inputs) claimed_.emplace(input, i);
    }

    void give_up_inputs(const Candidate& candidate) {
        for (const Outpoint& input : candidate.transaction->inputs) claimed_.erase(input);
    }

    /// Removes a transaction and its descendants from the pool.
    void evict(std::size_t first) {
        std::vector<std::size_t> work{first};
        while (!work.empty()) {
            const std::size_t i = work.back();
            work.pop_back();
            Candidate& candidate = candidates_[i];
            if (candidate.standing == Standing::in_pool) give_up_inputs(candidate);
            candidate.standing = Standing::evicted;
            for (const std::size_t child : candidate.children) {
                if (candidates_[child].standing == Standing::in_pool) work.push_back(child);
            }
        }
    }

    /// Revives transactions that were evicted by a transaction that is evicted now: from the last
    /// seen to the first, repeated until nothing changes. Later rounds check only the children of
    /// revived transactions.
    void revive() {
        std::set<std::size_t> round;
        for (std::size_t i = 0; i < candidates_.size(); ++i) {
            if (candidates_[i].standing == Standing::evicted) round.insert(i);
        }
        std::set<std::size_t> next_round;
        for (; !round.empty(); round = std::exchange(next_round, {})) {
            while (!round.empty()) {
                const std::size_t i = *round.rbegin();
                round.erase(i);
                if (!may_come_back(i)) continue;
                admit(i);
                for (const std::size_t child : candidates_[i].children) {
                    (child < i ? round : next_round).insert(child);
                }
            }
        }
    }

    bool may_come_back(std::size_t i) const {
        const auto& inputs = candidates_[i].transaction->inputs;
        return candidates_[i].standing == Standing::evicted && !has_parent_out(i) &&
               std::none_of(inputs.begin(), inputs.end(),
                            [this](const Outpoint& input) { return claimed_.contains(input); });
    }

    bool is_out(std::size_t i) const {
        return candidates_[i].standing == Standing::evicted ||
               candidates_[i].standing == Standing::ruled_out;
    }

    /// Any transaction that is in the pool already is stronger than a claim.
    bool has_stronger_rival(std::size_t i) const {
        const Turn turn = turn_of(candidates_[i]);
        if (turn == Turn::vouched_for) return false;
        const auto& inputs = candidates_[i].transaction->inputs;
        return std::any_of(inputs.begin(), inputs.end(), [&](const Outpoint& input) {
            const auto rival = claimed_.find(input);
            if (rival == claimed_.end()) return false;
            return turn == Turn::claims || candidates_[rival->second].is_vouched_for;
        });
    }

    bool has_parent_out(std::size_t i) const {
        const auto& parents = candidates_[i].parents;
        return std::any_of(parents.begin(), parents.end(),
                           [this](std::size_t parent) { return is_out(parent); });
    }

    /// Follows the parents up to the first transaction that lost one of its own inputs. All
    /// transactions on the way have the same winner.
    void tell_winner(std::size_t i, Conflicts& winners) const {
        std::vector<Txid> losers;
        std::optional<Txid> winner;
        while (!winner) {
            const Candidate& candidate = candidates_[i];
            const Txid& txid = candidate.transaction->txid;
            if (const auto known = winners.find(txid); known != winners.end()) {
                winner = known->second;
                break;
            }
            losers.push_back(txid);
            const auto parent =
                std::find_if(candidate.parents.begin(), candidate.parents.end(),
                             [this](std::size_t relative) { return is_out(relative); });
            if (candidate.confirmed_rival != nullptr) {
                winner = candidate.confirmed_rival->txid;
            } else if (const auto rival = latest_rival(i)) {
                winner = candidates_[*rival].transaction->txid;
            } else if (parent == candidate.parents.end()) {
                winner = Txid{};
            } else {
                i = *parent;
            }
        }
        for (const Txid& loser : losers) winners.emplace(loser, *winner);
    }

    /// The last seen of the pool's transactions that spend the inputs of this transaction, which is
    /// out.
    std::optional<std::size_t> latest_rival(std::size_t i) const {
        std::optional<std::size_t> latest;
        for (const Outpoint& input : candidates_[i].transaction->inputs) {
            const auto rival = claimed_.find(input);
            if (rival != claimed_.end()) latest = std::max(latest, std::optional(rival->second));
        }
        return latest;
    }

    const Ledger& ledger_;
    std::vector<Candidate> candidates_;
    std::unordered_map<Outpoint, std::size_t> claimed_;  ///< inputs of the transactions in the pool
};

/// Whether the transaction itself, not an ancestor, is outbid.
bool is_outbid_itself(const Ledger& ledger, const LedgerTransaction& transaction,
                      const Conflicts& conflicts) {
    const auto fee = known_fee(ledger, transaction);
    if (!fee) return false;
    return std::ranges::any_of(transaction.inputs, [&](const Outpoint& input) {
        const auto& rivals = ledger.spends().unconfirmed_spenders(input);
        return std::ranges::any_of(rivals, [&](const LedgerTransaction* rival) {
            if (rival->txid == transaction.txid || !rival->announced) return false;
            if (conflicts.contains(rival->txid)) return false;
            const auto rival_fee = known_fee(ledger, *rival);
            return rival_fee && *rival_fee > *fee;
        });
    });
}

}  // namespace

bool is_own_spend(const Ledger& ledger, const LedgerTransaction& transaction) {
    return std::ranges::any_of(transaction.inputs, [&ledger](const Outpoint& input) {
        return ledger.credit(input) != nullptr;
    });
}

bool is_own_spend(const Ledger& ledger, const chain::Transaction& transaction) {
    return std::ranges::any_of(transaction.inputs, [&ledger](const chain::TxInput& input) {
        return ledger.credit(input.prevout) != nullptr;
    });
}

std::optional<chain::Satoshis> known_fee(const Ledger& ledger,
                                         const LedgerTransaction& transaction) {
    if (transaction.is_coinbase()) return std::nullopt;
    chain::Satoshis fee = -transaction.output_total;
    for (const Outpoint& input : transaction.inputs) {
        const Credit* own = ledger.credit(input);
        if (own == nullptr) return std::nullopt;
        fee = add_amounts(fee, own->value);
    }
    return fee;
}

Conflicts find_conflicts(const Ledger& ledger) {
    return Replay(ledger).winners();
}

bool is_outbid(const Ledger& ledger, const LedgerTransaction& transaction,
               const Conflicts& conflicts) {
    std::set<Txid> seen{transaction.txid};
    std::vector<const LedgerTransaction*> next{&transaction};
    while (!next.empty()) {
        const LedgerTransaction& each = *next.back();
        next.pop_back();
        if (is_outbid_itself(ledger, each, conflicts)) return true;
        for (const Outpoint& input : each.inputs) {
            if (!conflicts.contains(input.txid) || !seen.insert(input.txid).second) continue;
            next.push_back(ledger.find(input.txid));
        }
    }
    return false;
}

}  // namespace petal::wallet
