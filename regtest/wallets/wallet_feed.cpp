#include "regtest/wallets/wallet_feed.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "chain/merkle_proof.h"

namespace petal::regtest::wallets {
namespace {

/// The number of blocks with transactions of the wallet in one database transaction.
constexpr std::size_t kBatch = 500;

/// The chain itself, which has verified all transactions in its mempool.
constexpr chain::TxSource kNode{1, 1};

bool spends_known(const wallet::Wallet& wallet, const chain::Transaction& transaction) {
    return std::ranges::any_of(transaction.inputs, [&](const chain::TxInput& input) {
        return wallet.has_transaction(input.prevout.txid);
    });
}

bool pays(const wallet::Wallet& wallet, const chain::Transaction& transaction) {
    return std::ranges::any_of(transaction.outputs, [&](const chain::TxOutput& output) {
        return wallet.find_path(output.script_pubkey).has_value();
    });
}

bool spends_one_of(std::span<const chain::UnconfirmedTransaction> parents,
                   const chain::Transaction& transaction) {
    return std::ranges::any_of(transaction.inputs, [&](const chain::TxInput& input) {
        return std::ranges::find(parents, input.prevout.txid,
                                 &chain::UnconfirmedTransaction::txid) != parents.end();
    });
}

/// The block with the transactions that may concern the wallet. Without transactions if there are
/// none.
/// found   the transactions found in earlier blocks, to which those of this block are added
chain::ProvenBlock search(const wallet::Wallet& wallet, WalletBlock block,
                          std::unordered_set<chain::Txid>& found) {
    chain::ProvenBlock proven;
    std::vector<bool> matches(block.txids.size(), false);
    for (std::size_t i = 0; i < block.transactions.size(); ++i) {
        const chain::Transaction& transaction = block.transactions[i];
        const bool spends_found =
            !found.empty() &&
            std::ranges::any_of(transaction.inputs, [&](const chain::TxInput& input) {
                return found.contains(input.prevout.txid);
            });
        matches[i] = spends_found || pays(wallet, transaction) || spends_known(wallet, transaction);
        if (matches[i]) found.insert(block.txids[i]);
    }
    if (std::ranges::find(matches, true) == matches.end()) return proven;
    auto branches = chain::merkle_branches(chain::make_merkle_proof(block.txids, matches));
    proven.block = block.ref;
    proven.header = block.header;
    proven.transaction_count = static_cast<std::uint32_t>(block.txids.size());
    for (std::size_t i = 0; i < matches.size(); ++i) {
        if (!matches[i]) continue;
        auto& branch = branches[proven.transactions.size()];
        proven.transactions.push_back({static_cast<std::uint32_t>(i), block.txids[i],
                                       std::move(block.transactions[i]), std::move(branch)});
    }
    return proven;
}

}  // namespace

void WalletFeed::begin_at_tip(wallet::Wallet& wallet, const WalletChain& chain) {
    searched_ = chain.tip();
    wallet.apply({}, chain::SyncState{searched_, {}});
    follow(wallet, chain);
}

void WalletFeed::begin(wallet::Wallet& wallet, WalletChain& chain) {
    searched_ = wallet.sync_state().synced;
    follow(wallet, chain);
    for (const chain::OwnTransaction& own : wallet.own_unconfirmed()) {
        // A refused payment stays in the wallet, like in Bitcoin Core.
        static_cast<void>(chain.submit(own.transaction));
    }
    follow(wallet, chain);
}

std::vector<chain::Txid> WalletFeed::follow(wallet::Wallet& wallet, const WalletChain& chain) {
    changed_.clear();
    // New addresses may have been paid by known transactions, whose outputs may be spent.
    const auto unsearched = wallet.take_unsearched_from();
    if (unsearched && searched_ && *unsearched <= searched_->height) {
        searched_ = chain.ref_at(std::max(*unsearched, 1U) - 1);
        revision_.reset();
    }
    const std::uint64_t revision = chain.revision();
    if (revision_ == revision) return {};
    const bool has_new_tip = searched_ != chain.tip();
    if (has_new_tip) follow_blocks(wallet, chain);
    // With the tip, the order of the mempool changes.
    follow_pending(wallet, chain, has_new_tip ? 0 : revision_.value_or(0));
    revision_ = revision;
    return std::exchange(changed_, {});
}

std::vector<chain::Txid> WalletFeed::search_again(wallet::Wallet& wallet, const WalletChain& chain,
                                                  std::uint32_t from) {
    if (searched_ && from <= searched_->height) {
        searched_ = chain.ref_at(std::max(from, 1U) - 1);
        wallet.rescan_above(*searched_);
    }
    revision_.reset();
    return follow(wallet, chain);
}

/// Undoes the blocks that left the active chain.
void WalletFeed::leave_fork(wallet::Wallet& wallet, const WalletChain& chain) {
    if (!searched_) return;
    const chain::BlockRef fork = chain.fork_point(searched_->hash).value_or(chain.ref_at(0));
    if (fork == *searched_) return;
    for (const chain::BlockRef& left : wallet.blocks_above(fork.height)) {
        const auto block = chain.find_block(left.hash);
        if (!block) continue;
        for (const chain::Txid& txid : block->txids) {
            if (wallet.has_transaction(txid)) changed_.push_back(txid);
        }
    }
    wallet.undo_to(fork);
    searched_ = fork;
}

/// Returns the height from which the search goes on if the wallet has new scripts.
std::optional<std::uint32_t> WalletFeed::apply(wallet::Wallet& wallet,
                                               std::span<const chain::ProvenBlock> blocks,
                                               const chain::BlockRef& searched) {
    const auto result = wallet.apply(blocks, chain::SyncState{searched, {}});
    for (const chain::ProvenBlock& block : blocks.first(result.applied)) {
        for (const auto& proven : block.transactions) {
            if (!wallet.has_transaction(proven.txid)) continue;
            pending_.erase(proven.txid);
            changed_.push_back(proven.txid);
        }
    }
    if (!result.grew) return std::nullopt;
    return blocks[result.applied - 1].block.height;
}

void WalletFeed::follow_blocks(wallet::Wallet& wallet, const WalletChain& chain) {
    leave_fork(wallet, chain);
    const chain::BlockRef tip = chain.tip();
    std::vector<chain::ProvenBlock> batch;
    std::unordered_set<chain::Txid> found;  // in the batch, which the wallet does not have yet
    std::uint32_t height = searched_ ? searched_->height + 1 : 0;
    while (height <= tip.height) {
        auto proven = search(wallet, chain.block_at(height), found);
        if (!proven.transactions.empty()) batch.push_back(std::move(proven));
        const bool is_complete = batch.size() >= kBatch || height == tip.height;
        const auto again = is_complete ? apply(wallet, batch, chain.ref_at(height)) : std::nullopt;
        if (is_complete) {
            batch.clear();
            found.clear();
        }
        height = again ? *again : height + 1;
    }
    // At a tip below the searched block, nothing was applied.
    if (searched_ == tip) wallet.apply({}, chain::SyncState{tip, {}});
    searched_ = tip;
}

/// The transactions that left the mempool without a block. No node shows these any more.
std::vector<chain::PresentSources> WalletFeed::forget_gone(const wallet::Wallet& wallet,
                                                           const WalletChain& chain) {
    std::vector<chain::PresentSources> gone;
    std::erase_if(pending_, [&](const chain::Txid& txid) {
        if (chain.is_pending(txid)) return false;
        if (wallet.has_transaction(txid)) gone.push_back({txid, {}});
        return true;
    });
    return gone;
}

void WalletFeed::follow_pending(wallet::Wallet& wallet, const WalletChain& chain,
                                std::uint64_t since) {
    auto sources = forget_gone(wallet, chain);
    std::vector<chain::UnconfirmedTransaction> received;
    bool grew = false;
    const auto pass_on = [&] {
        const chain::SyncState state{searched_, {}};
        if (!received.empty() || !sources.empty()) {
            grew = wallet.apply_unconfirmed(received, sources, state) || grew;
        }
        received.clear();
        sources.clear();
    };
    for (const PendingTransaction& pending : chain.pending_since(since)) {
        const chain::Transaction& transaction = *pending.transaction;
        if (pending_.contains(pending.txid)) continue;
        // The wallet must have the parents before it can tell whether the payment is its own.
        if (spends_one_of(received, transaction)) pass_on();
        const bool spends = spends_known(wallet, transaction);
        if (!spends && !pays(wallet, transaction)) continue;
        // A payment of the wallet's coins is the wallet's own, whoever has sent it to the node.
        const bool is_own = spends && wallet.keep_own_spend(transaction, chain.now());
        if (!is_own) received.push_back({pending.txid, transaction, chain.now()});
        sources.push_back({pending.txid, {kNode}});
        pending_.insert(pending.txid);
        changed_.push_back(pending.txid);
    }
    pass_on();
    std::erase_if(pending_, [&](const auto& txid) { return !wallet.has_transaction(txid); });
    std::erase_if(changed_, [&](const auto& txid) { return !wallet.has_transaction(txid); });
    if (grew) follow_pending(wallet, chain, 0);
}

}  // namespace petal::regtest::wallets
