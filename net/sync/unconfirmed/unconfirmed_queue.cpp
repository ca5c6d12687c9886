#include "net/sync/unconfirmed/unconfirmed_queue.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_set>

namespace petal::net {

namespace {

// Bounds the time that the watcher takes for a batch. A version of a transaction with many
// conflicts takes milliseconds.
constexpr std::size_t kMaxVersions = 100;

}  // namespace

// The rules are the same for the wallet's own transactions and for others.
UnconfirmedQueue::Verdict UnconfirmedQueue::add(chain::Transaction transaction,
                                                const chain::Txid& txid,
                                                const FirstSeen& first_seen) {
    auto& tracked = checkpoint_.unconfirmed;
    const UnconfirmedMatch* const known = tracked.find(txid);
    const bool is_new = known == nullptr;
    if (!checkpoint_.applied) return {};
    if (!is_new && !known->may_come_again_from(net_group_id(first_seen.network_group))) return {};
    auto coins = explained_coins(transaction, txid);
    const auto is_spent = [this](const chain::TxInput& input) {
        return checkpoint_.outpoints.is_spent(input.prevout);
    };
    if (!coins || std::ranges::any_of(transaction.inputs, is_spent)) return {};
    const bool takes_room = is_new || known->is_undone();
    if (takes_room && !tracked.has_room_for(transaction, coins->size(), first_seen)) return {};
    if (!takes_room && !has_room_for_version(transaction)) return {};
    const auto is_judged =
        refused_.check(transaction, std::bind_front(&UnconfirmedQueue::find_output, this));
    if (!is_judged) return {false, is_new, is_judged.error()};
    if (is_new) add_found_outputs(*coins);
    const auto answer = tracked.add(transaction, txid, *std::move(coins), first_seen, *is_judged);
    if (answer == UnconfirmedMatches::AddResult::no_room) return {};
    // Keeps one version from each network group, which bounds the batch.
    const chain::Bytes group(first_seen.network_group.begin(), first_seen.network_group.end());
    std::erase_if(unstored_, [&](const Unstored& other) {
        return other.transaction.txid == txid && other.network_group == group;
    });
    if (!takes_room) ++versions_;
    unstored_.push_back({{txid, std::move(transaction), first_seen.time}, group});
    return {true, is_new, std::nullopt};
}

// For new transactions, has_room_for() bounds the bytes.
bool UnconfirmedQueue::has_room_for_version(const chain::Transaction& transaction) const {
    if (versions_ >= kMaxVersions) return false;
    std::size_t bytes = memory_bytes(transaction);
    for (const Unstored& other : unstored_) bytes += memory_bytes(other.transaction.transaction);
    return bytes <= 2 * kMaxUnconfirmedBytes;
}

std::optional<chain::TxOutput> UnconfirmedQueue::find_output(
    const chain::Outpoint& outpoint) const {
    const auto output = checkpoint_.outpoints.find_output(outpoint);
    return output ? output : checkpoint_.unconfirmed.find_output(outpoint);
}

void UnconfirmedQueue::add_found_outputs(const std::vector<MatchedOutput>& outputs) {
    const auto spenders = checkpoint_.unconfirmed.reopen_unjudged_spenders(outputs);
    unjudged_.insert(unjudged_.end(), spenders.begin(), spenders.end());
}

UnconfirmedQueue::Batch UnconfirmedQueue::take_batch() {
    Batch batch;
    versions_ = 0;
    std::unordered_set<chain::Txid> found;
    auto& tracked = checkpoint_.unconfirmed;
    for (auto& [transaction, network_group] : std::exchange(unstored_, {})) {
        const chain::Txid txid = transaction.txid;
        const UnconfirmedMatch* const match = tracked.find(txid);
        if (!(match && match->is_shown) && found.insert(txid).second) {
            std::ranges::copy(tracked.outpoints_of(txid), std::back_inserter(batch.found));
        }
        if (match && match->is_open()) batch.transactions.push_back(std::move(transaction));
    }
    tracked.mark_shown();
    return batch;
}

std::optional<std::vector<MatchedOutput>> UnconfirmedQueue::explained_coins(
    const chain::Transaction& transaction, const chain::Txid& txid) {
    auto coins = base_.coins_of(transaction, txid);
    const auto is_in_filters = [this](const chain::TxInput& input) {
        return checkpoint_.outpoints.contains(input.prevout) ||
               checkpoint_.unconfirmed.contains(input.prevout);
    };
    if (coins.empty() && std::ranges::none_of(transaction.inputs, is_in_filters)) return {};
    return coins;
}

void UnconfirmedQueue::remember_confirmed(const chain::ProvenBlock& block) {
    for (const chain::ProvenTransaction& proven : block.transactions) {
        if (proven.transaction.is_coinbase()) continue;
        // After a reorganisation, the transaction is still confirmed by the other block.
        if (checkpoint_.outpoints.is_repeated(proven, block.block.height)) continue;
        auto coins = explained_coins(proven.transaction, proven.txid);
        if (!coins) continue;
        checkpoint_.unconfirmed.add_confirmed(proven.transaction, proven.txid, *std::move(coins),
                                              block.block.height);
    }
}

}  // namespace petal::net
