#include "tests/support/random_history.h"

#include <algorithm>
#include <random>
#include <set>
#include <tuple>
#include <utility>

namespace petal::test {

namespace {

constexpr std::uint32_t kShallow = 8;
/// A depth that undoes spends that count as settled (chain::kReorganisationReach).
constexpr std::uint32_t kDeep = 160;

/// A foreign script with spends that a wallet can't verify. Otherwise the wallet would refuse the
/// unsigned spends of known outputs.
chain::Bytes unverified_script(std::uint32_t number) {
    chain::Bytes script{0x51, 0x04};  // OP_1, a push of four bytes
    for (std::size_t i = 0; i < 4; ++i) {
        script.push_back(static_cast<chain::Byte>(number >> (8 * i)));
    }
    return script;
}

}  // namespace

using chain::Outpoint;
using chain::Transaction;

void RandomHistory::step() {
    time_ += 150;  // blocks are 600 s apart, and about one step in four mines a block
    switch (below(20)) {
        case 0:
            reorganise(kShallow);
            break;
        case 1:
            if (!chain_.blocks().empty()) {
                const auto count = static_cast<std::uint32_t>(chain_.blocks().size());
                listener_.on_block(chain_.at(1 + below(count)));
            }
            break;
        case 2:
            switch (below(4)) {
                case 0:
                    for (std::uint32_t i = 0; i < 70; ++i) listener_.on_block(chain_.mine());
                    break;
                case 1:
                    reorganise(kDeep);
                    break;
                default:
                    follow_hostile_miner();
            }
            break;
        default:
            if (one_in(3)) {
                mine_block();
            } else {
                announce();
            }
    }
}

void RandomHistory::announce() {
    if (known_.empty() || !one_in(3)) known_.push_back(make_transaction());
    // The transaction that arrives is not always the latest, because transactions may overtake each
    // other.
    listener_.on_unconfirmed(one_in(2) ? known_.back() : choose_known(), time_);
}

void RandomHistory::mine_block() {
    std::vector<Transaction> block;
    if (one_in(3)) {
        // Drawn in a statement of its own, because the order of evaluation of arguments differs
        // between compilers.
        const std::uint32_t salt = below(1'000);
        block.push_back(coinbase(chain_.next_height(), choose_payments(), salt));
    }
    const std::uint32_t tries = below(6);
    for (std::uint32_t i = 0; i < tries; ++i) {
        const bool known = !known_.empty() && !one_in(3);
        Transaction transaction = known ? choose_known() : make_transaction();
        if (!fits(transaction, block)) continue;
        if (!known) known_.push_back(transaction);
        block.push_back(std::move(transaction));
    }
    if (!block.empty() && block.front().is_coinbase()) known_.push_back(block.front());
    listener_.on_block(chain_.mine(block));
}

void RandomHistory::reorganise(std::uint32_t max_depth) {
    const std::uint32_t height = chain_.tip().height;
    const std::uint32_t depth = std::min(1 + below(max_depth), height);
    if (depth == 0) return;
    listener_.on_undo(chain_.cut(height - depth));
    for (std::uint32_t i = 0; i <= depth; ++i) {
        if (i <= kShallow) {
            mine_block();
        } else {
            listener_.on_block(chain_.mine());
        }
    }
}

void RandomHistory::follow_hostile_miner() {
    if (chain_.blocks().empty()) return;
    const std::uint32_t depth = std::min(below(3), chain_.tip().height);
    const std::vector<chain::ProvenBlock> honest(chain_.blocks().end() - depth,
                                                 chain_.blocks().end());
    const std::uint32_t count = depth + 1 + below(2);
    listener_.begin_hostile_branch();
    const chain::BlockRef fork = chain_.cut(chain_.tip().height - depth);
    if (depth > 0) listener_.on_undo(fork);
    std::vector<Transaction> invented;
    std::vector<Transaction> repeated;
    for (std::uint32_t i = 0; i < count; ++i) {
        listener_.on_block(chain_.mine(make_up_block(invented, repeated)));
    }
    listener_.on_undo(chain_.cut(fork.height));
    listener_.end_hostile_branch();
    chain_.put_back(honest);
    for (const chain::ProvenBlock& block : honest) listener_.on_block(block);
    // A sync asks for the mempools after an undo.
    for (const Transaction& transaction : repeated) {
        if (!is_confirmed(transaction.txid())) listener_.on_unconfirmed(transaction, time_);
    }
}

/// invented, repeated   by the miner so far. The transactions of this block are added
std::vector<Transaction> RandomHistory::make_up_block(std::vector<Transaction>& invented,
                                                      std::vector<Transaction>& repeated) {
    std::vector<Transaction> block;
    const std::uint32_t count = below(7);
    for (std::uint32_t i = 0; i < count; ++i) {
        if (!known_.empty() && !one_in(3)) {
            const Transaction& known = choose_known();
            const chain::Txid txid = known.txid();
            const bool is_of_chain = is_confirmed(txid);
            if (!is_of_chain && !listener_.may_repeat(txid)) continue;
            if (!is_of_chain) repeated.push_back(known);
            block.push_back(known);
        } else if (!invented.empty() && one_in(4)) {
            block.push_back(invented[below(static_cast<std::uint32_t>(invented.size()))]);
        } else {
            invented.push_back(invent(invented));
            block.push_back(invented.back());
        }
    }
    // Children before parents.
    for (std::uint32_t i = 1; i < block.size(); ++i) std::swap(block[i], block[below(i + 1)]);
    return block;
}

/// A transaction without a signature.
Transaction RandomHistory::invent(const std::vector<Transaction>& invented) {
    std::set<Outpoint> inputs;
    const std::uint32_t count = 1 + below(3);
    for (std::uint32_t i = 0; i < count; ++i) {
        const bool is_child = !invented.empty() && one_in(3);
        inputs.insert(is_child ? output_of(invented.back()) : choose_coin());
    }
    return spend({inputs.begin(), inputs.end()}, choose_payments());
}

bool RandomHistory::is_confirmed(const chain::Txid& txid) const {
    return std::ranges::any_of(chain_.blocks(), [&](const chain::ProvenBlock& block) {
        return std::ranges::any_of(block.transactions,
                                   [&](const auto& proven) { return proven.txid == txid; });
    });
}

Transaction RandomHistory::make_transaction() {
    std::set<Outpoint> inputs;
    const std::uint32_t count = 1 + below(3);
    for (std::uint32_t i = 0; i < count; ++i) inputs.insert(choose_coin());
    auto transaction = spend({inputs.begin(), inputs.end()}, choose_payments());
    return sign_ ? sign_(std::move(transaction), known_) : transaction;
}

/// An output of any known transaction, spent or unspent, or an unknown output.
Outpoint RandomHistory::choose_coin() {
    if (!known_.empty() && !one_in(4)) {
        const Transaction& transaction = choose_known();
        const auto outputs = static_cast<std::uint32_t>(transaction.outputs.size());
        return output_of(transaction, below(outputs));
    }
    if (next_foreign_coin_ > 0 && one_in(4)) return foreign_coin(below(next_foreign_coin_));
    return foreign_coin(next_foreign_coin_++);
}

std::vector<Payment> RandomHistory::choose_payments() {
    std::vector<Payment> payments;
    const std::uint32_t count = 1 + below(3);
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto chain = wallet::kKeyChains[below(2)];
        const bool own = one_in(2);
        payments.push_back(
            {1 + below(100'000'000), own ? own_script_({chain, below(listener_.reach(chain))})
                                         : unverified_script(below(1'000'000))});
    }
    return payments;
}

/// A known transaction. Later transactions are chosen more often.
const Transaction& RandomHistory::choose_known() {
    const auto count = static_cast<std::uint32_t>(known_.size());
    return known_[count - 1 - below(one_in(2) ? std::min(count, 6U) : count)];
}

bool RandomHistory::fits(const Transaction& transaction,
                         const std::vector<Transaction>& before) const {
    if (transaction.is_coinbase()) return false;
    std::set<chain::Txid> there;
    std::set<Outpoint> spent;
    const auto count_in = [&](const chain::Txid& txid, const Transaction& other) {
        there.insert(txid);
        for (const auto& input : other.inputs) spent.insert(input.prevout);
    };
    for (const auto& block : chain_.blocks()) {
        for (const auto& proven : block.transactions) count_in(proven.txid, proven.transaction);
    }
    for (const Transaction& other : before) count_in(other.txid(), other);
    if (there.contains(transaction.txid())) return false;
    return std::all_of(
        transaction.inputs.begin(), transaction.inputs.end(), [&](const auto& input) {
            const bool foreign = input.prevout.txid.bytes[0] == 0xee && input.prevout.index == 0;
            const bool exists =
                there.contains(input.prevout.txid) || (foreign && input.prevout.txid.bytes[1] == 0);
            return exists && !spent.contains(input.prevout);
        });
}

std::vector<wallet::HistoryEntry> without_seen_times(std::vector<wallet::HistoryEntry> history) {
    for (wallet::HistoryEntry& entry : history) {
        if (!entry.height) entry.time = 0;
    }
    std::ranges::sort(history, {}, [](const wallet::HistoryEntry& entry) {
        return std::tuple(entry.height.value_or(0), entry.txid);
    });
    return history;
}

RandomHistory::Choice random_choice(std::uint64_t seed) {
    return [random = std::mt19937_64(seed)](std::uint32_t below) mutable {
        return static_cast<std::uint32_t>(random() % below);
    };
}

}  // namespace petal::test
