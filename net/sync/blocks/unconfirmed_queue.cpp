#include "net/sync/blocks/unconfirmed_queue.h"

#include <algorithm>
#include <functional>
#include <iterator>
#include <unordered_set>

namespace petal::net {

// The watcher's own and strangers' alike.
UnconfirmedQueue::Verdict UnconfirmedQueue::add(chain::Transaction transaction,
                                                const chain::Txid& txid, const TxSource& source) {
    auto& tracked = memory_.unconfirmed;
    const UnconfirmedMatch* const known = tracked.find(txid);
    const bool is_new = known == nullptr;
    if (!memory_.applied || !(is_new || known->may_come_again())) return {};
    auto coins = explained_coins(transaction, txid);
    const auto is_spent = [this](const chain::TxInput& input) {
        return memory_.outpoints.is_spent(input.prevout);
    };
    if (!coins || std::ranges::any_of(transaction.inputs, is_spent)) return {};
    if (is_new && !tracked.has_room_for(transaction, coins->size(), source)) return {};
    auto is_judged =
        check_spends(transaction, std::bind_front(&UnconfirmedQueue::find_output, this));
    if (!is_judged) return {false, std::move(is_judged.error())};
    if (is_new) note_outputs(*coins);
    const auto answer = tracked.add(transaction, txid, *std::move(coins), source, *is_judged);
    if (answer == UnconfirmedMatches::Answer::no_room) return {};
    // One version from each network group, which bounds the batch.
    const chain::Bytes group(source.network_group.begin(), source.network_group.end());
    std::erase_if(unstored_, [&](const Unstored& other) {
        return other.transaction.txid == txid && other.network_group == group;
    });
    unstored_.push_back({{txid, std::move(transaction), source.time}, group});
    return {true, std::nullopt};
}

std::optional<chain::TxOutput> UnconfirmedQueue::find_output(
    const chain::Outpoint& outpoint) const {
    const auto output = memory_.outpoints.find_output(outpoint);
    return output ? output : memory_.unconfirmed.find_output(outpoint);
}

void UnconfirmedQueue::note_outputs(const std::vector<MatchedOutput>& outputs) {
    const auto spenders = memory_.unconfirmed.unjudged_spenders(outputs);
    unjudged_.insert(unjudged_.end(), spenders.begin(), spenders.end());
}

UnconfirmedQueue::Batch UnconfirmedQueue::take_batch() {
    Batch batch;
    std::unordered_set<chain::Txid> found;
    auto& tracked = memory_.unconfirmed;
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
        return memory_.outpoints.contains(input.prevout) ||
               memory_.unconfirmed.contains(input.prevout);
    };
    if (coins.empty() && std::ranges::none_of(transaction.inputs, is_in_filters)) return {};
    return coins;
}

void UnconfirmedQueue::remember_confirmed(const chain::ProvenBlock& block) {
    for (const chain::ProvenTransaction& proven : block.transactions) {
        if (proven.transaction.is_coinbase()) continue;
        auto coins = explained_coins(proven.transaction, proven.txid);
        if (!coins) continue;
        memory_.unconfirmed.add_confirmed(proven.transaction, proven.txid, *std::move(coins),
                                          block.block.height);
    }
}

}  // namespace petal::net
