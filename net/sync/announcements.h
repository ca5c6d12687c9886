/// How many peers have told of a transaction that no block confirms yet.
#pragma once

#include <cstddef>
#include <deque>
#include <set>
#include <unordered_map>

#include "chain/transaction.h"
#include "net/sync/commands.h"

namespace petal::net {

/// Remembers who announced which transaction. One peer can show anything; what several tell of has
/// reached the network. Only the latest are remembered.
class Announcements {
public:
    static constexpr std::size_t kMaxTransactions = 10'000;

    void note(const chain::Txid& txid, PeerId peer) {
        const auto [entry, is_new] = peers_.try_emplace(txid);
        entry->second.insert(peer);
        if (!is_new) return;
        order_.push_back(txid);
        if (order_.size() <= kMaxTransactions) return;
        peers_.erase(order_.front());
        order_.pop_front();
    }

    /// How many connections have announced it; 0 where none has, or that was long ago.
    std::size_t count(const chain::Txid& txid) const {
        const auto entry = peers_.find(txid);
        return entry == peers_.end() ? 0 : entry->second.size();
    }

private:
    std::unordered_map<chain::Txid, std::set<PeerId>> peers_;
    std::deque<chain::Txid> order_;  // in which they came
};

}  // namespace petal::net
