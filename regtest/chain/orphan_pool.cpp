#include "regtest/chain/orphan_pool.h"

#include <algorithm>
#include <map>
#include <set>
#include <unordered_set>
#include <utility>

namespace petal::regtest {
namespace {

/// The number of recent blocks to search for a transaction with missing inputs, about a day. Any
/// peer can trigger the search with each message.
constexpr std::uint32_t kRecentBlocks = 144;

/// Whether one of the latest blocks has the transaction.
bool is_in_recent_block(const RegtestChain& chain, const chain::Txid& txid) {
    const std::uint32_t first = chain.height() - std::min(chain.height(), kRecentBlocks - 1);
    for (std::uint32_t height = first; height <= chain.height(); ++height) {
        const auto& txids = chain.blocks().at(height).txids;
        if (std::ranges::find(txids, txid) != txids.end()) return true;
    }
    return false;
}

/// The blocks that joined the active chain since `earlier` was its tip.
std::vector<const Chainstate::Entry*> blocks_since(const Chainstate& blocks,
                                                   const chain::BlockHash& earlier) {
    std::vector<const Chainstate::Entry*> found;
    const auto* const fork = &blocks.fork_point(*blocks.find(earlier));
    for (const auto* at = &blocks.tip(); at != fork; at = at->parent) found.push_back(at);
    return found;
}

}  // namespace

OrphanPool::Outcome OrphanPool::offer(const chain::Transaction& transaction, ConnectionId peer,
                                      const MempoolPolicy& policy) {
    const chain::Wtxid wtxid = transaction.wtxid();
    if (chain_.mempool().find(wtxid)) return {};
    const auto taken = chain_.offer(transaction, policy);
    const auto kept = find(wtxid);
    if (taken) {
        if (kept != orphans_.end()) kept->peers.clear();
        offer_children_of({*taken}, policy);
        return {true, {}};
    }
    if (taken.error().reason != RejectReason::missing_input) return {};
    if (kept != orphans_.end()) {
        add_peer(*kept, peer);
    } else {
        // All outputs of the transaction are spent. Otherwise the chain would have refused it as
        // known.
        if (is_in_recent_block(chain_, transaction.txid())) return {};
        keep({transaction, wtxid, transaction.weight(), {peer}});
    }
    return {false, missing_parents_of(transaction)};
}

std::optional<std::vector<chain::Txid>> OrphanPool::announce(const chain::Hash256& hash,
                                                             ConnectionId peer) {
    const auto orphan = find({hash.bytes});
    if (orphan == orphans_.end()) return std::nullopt;
    add_peer(*orphan, peer);
    return missing_parents_of(orphan->transaction);
}

void OrphanPool::catch_up(const MempoolPolicy& policy) {
    const auto& submitted = chain_.history().submitted();
    const std::size_t seen = std::exchange(submissions_seen_, submitted.size());
    const chain::BlockHash earlier = std::exchange(tip_, chain_.tip());
    if (orphans_.empty()) return;
    std::vector<chain::Txid> accepted(submitted.begin() + static_cast<std::ptrdiff_t>(seen),
                                      submitted.end());
    std::unordered_set<chain::Outpoint> spent;
    for (const auto* block : blocks_since(chain_.blocks(), earlier)) {
        accepted.insert(accepted.end(), block->txids.begin(), block->txids.end());
        for (const auto& transaction : block->transaction_views()) {
            spent.insert(transaction.spent.begin(), transaction.spent.end());
        }
    }
    const auto is_spent = [&spent](const auto& input) { return spent.contains(input.prevout); };
    for (Orphan& orphan : orphans_) {
        if (std::ranges::any_of(orphan.transaction.inputs, is_spent)) orphan.peers.clear();
    }
    offer_children_of(std::move(accepted), policy);
}

void OrphanPool::forget_peer(ConnectionId peer) {
    for (Orphan& orphan : orphans_) std::erase(orphan.peers, peer);
    drop_orphans_without_peer();
}

std::deque<OrphanPool::Orphan>::iterator OrphanPool::find(const chain::Wtxid& wtxid) {
    return std::ranges::find(orphans_, wtxid, &Orphan::wtxid);
}

/// A parent that is itself an orphan is recognised by txid only if it has no witness: an orphan
/// with a witness may be a modified copy of the parent.
std::vector<chain::Txid> OrphanPool::missing_parents_of(const chain::Transaction& transaction) {
    std::vector<chain::Txid> parents;
    std::set<chain::Txid> seen;  // no hash table, as in offer_children_of()
    for (const auto& input : transaction.inputs) {
        const chain::Txid& parent = input.prevout.txid;
        if (!seen.insert(parent).second) continue;
        const bool is_missing = !chain_.mempool().layer().coin(input.prevout) &&
                                !chain_.mempool().find(parent) &&
                                find({parent.bytes}) == orphans_.end();
        if (is_missing) parents.push_back(parent);
    }
    return parents;
}

void OrphanPool::add_peer(Orphan& orphan, ConnectionId peer) {
    const auto& peers = orphan.peers;
    if (std::ranges::find(peers, peer) == peers.end()) orphan.peers.push_back(peer);
}

void OrphanPool::drop_orphans_without_peer() {
    std::erase_if(orphans_, [this](const Orphan& orphan) {
        if (orphan.peers.empty()) weight_ -= orphan.weight;
        return orphan.peers.empty();
    });
}

void OrphanPool::keep(Orphan orphan) {
    if (orphan.weight > kMaxWeight) return;
    weight_ += orphan.weight;
    orphans_.push_back(std::move(orphan));
    while (orphans_.size() > kMaxOrphans || weight_ > kMaxWeight) {
        const ConnectionId largest = largest_peer();
        const auto oldest = std::ranges::find_if(orphans_, [largest](const Orphan& other) {
            return std::ranges::find(other.peers, largest) != other.peers.end();
        });
        std::erase(oldest->peers, largest);
        drop_orphans_without_peer();
    }
}

/// The peer whose orphans take the largest share of the limits, by number or weight.
OrphanPool::ConnectionId OrphanPool::largest_peer() const {
    std::map<ConnectionId, std::pair<std::size_t, std::size_t>> usage;  // number and weight
    for (const Orphan& orphan : orphans_) {
        for (const ConnectionId peer : orphan.peers) {
            ++usage[peer].first;
            usage[peer].second += orphan.weight;
        }
    }
    const auto share = [](const auto& entry) {
        return std::max(entry.second.first * kMaxWeight, entry.second.second * kMaxOrphans);
    };
    return std::ranges::max_element(usage, {}, share)->first;
}

/// Offers each child once, for all parents accepted together. The outpoints that orphans spend are
/// not put into a hash table, because peers choose them, and could make all of them collide.
void OrphanPool::offer_children_of(std::vector<chain::Txid> accepted, const MempoolPolicy& policy) {
    while (!accepted.empty()) {
        auto parents = std::exchange(accepted, {});
        std::ranges::sort(parents);
        const auto spends_parent = [&parents](const auto& input) {
            return std::ranges::binary_search(parents, input.prevout.txid);
        };
        for (Orphan& orphan : orphans_) {
            if (orphan.peers.empty()) continue;
            if (std::ranges::none_of(orphan.transaction.inputs, spends_parent)) continue;
            const auto result = chain_.offer(orphan.transaction, policy);
            if (result) accepted.push_back(*result);
            const bool waits = !result && result.error().reason == RejectReason::missing_input;
            if (!waits) orphan.peers.clear();
        }
    }
    drop_orphans_without_peer();
}

}  // namespace petal::regtest
