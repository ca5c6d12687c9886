#include "regtest/rpc/node_wallet_chain.h"

#include <algorithm>
#include <utility>

namespace petal::regtest::rpc {
namespace {

wallets::WalletBlock to_wallet_block(const Chainstate::Entry& entry) {
    RegtestBlock block = entry.block();
    return {{entry.height, entry.hash},
            block.header,
            std::move(block.transactions),
            std::move(block.txids)};
}

}  // namespace

std::uint64_t NodeWalletChain::revision() const {
    return chain_.history().revision();
}

std::int64_t NodeWalletChain::now() const {
    return settings_.now();
}

chain::BlockRef NodeWalletChain::tip() const {
    return ref_at(chain_.height());
}

wallets::WalletBlock NodeWalletChain::block_at(std::uint32_t height) const {
    return to_wallet_block(chain_.blocks().at(height));
}

chain::BlockRef NodeWalletChain::ref_at(std::uint32_t height) const {
    return {height, chain_.blocks().at(height).hash};
}

chain::BlockHeader NodeWalletChain::header_at(std::uint32_t height) const {
    return chain_.blocks().at(height).header;
}

chain::Transaction NodeWalletChain::transaction_at(std::uint32_t height,
                                                   std::size_t position) const {
    return chain_.blocks().at(height).transaction(position);
}

std::optional<chain::BlockRef> NodeWalletChain::fork_point(const chain::BlockHash& hash) const {
    const auto* const entry = chain_.blocks().find(hash);
    if (entry == nullptr) return std::nullopt;
    const auto& fork = chain_.blocks().fork_point(*entry);
    return chain::BlockRef{fork.height, fork.hash};
}

std::optional<wallets::WalletBlock> NodeWalletChain::find_block(
    const chain::BlockHash& hash) const {
    const auto* const entry = chain_.blocks().find(hash);
    return entry == nullptr ? std::nullopt : std::optional(to_wallet_block(*entry));
}

std::vector<wallets::PendingTransaction> NodeWalletChain::pending_since(
    std::uint64_t revision) const {
    const RegtestMempool& mempool = chain_.mempool();
    const auto& entries = mempool.entries();
    // Later arrivals are at the end.
    std::size_t first = entries.size();
    while (first > 0 && entries[first - 1].arrival.revision > revision) --first;
    std::vector<wallets::PendingTransaction> pending;
    for (std::size_t i = first; i < entries.size(); ++i) {
        pending.push_back({entries[i].txid, &mempool.transactions()[i]});
    }
    return pending;
}

bool NodeWalletChain::is_pending(const chain::Txid& txid) const {
    return chain_.mempool().find(txid).has_value();
}

std::optional<chain::TxOutput> NodeWalletChain::find_output(const chain::Outpoint& outpoint) const {
    return chain_.mempool().layer().output(outpoint);
}

std::optional<wallets::Ancestry> NodeWalletChain::ancestry(const chain::Txid& txid) const {
    const RegtestMempool& mempool = chain_.mempool();
    const auto position = mempool.find(txid);
    if (!position) return std::nullopt;
    wallets::Ancestry ancestry;
    for (const std::size_t one : mempool.with_ancestors({*position})) {
        const MempoolEntry& entry = mempool.entries()[one];
        ++ancestry.count;
        ancestry.size += entry.size;
        ancestry.fees += entry.fee;
    }
    return ancestry;
}

std::vector<chain::Txid> NodeWalletChain::pending_conflicts(
    const chain::Transaction& transaction) const {
    const RegtestMempool& mempool = chain_.mempool();
    std::vector<chain::Txid> conflicts;
    for (const std::size_t position : mempool.conflicts_of(transaction)) {
        conflicts.push_back(mempool.entries()[position].txid);
    }
    std::ranges::sort(conflicts);
    return conflicts;
}

chain::Satoshis NodeWalletChain::least_fee_rate() const {
    return settings_.policy.least_fee_rate;
}

chain::Expected<void, std::string> NodeWalletChain::submit(const chain::Transaction& transaction) {
    const auto accepted = chain_.offer(transaction, settings_.policy);
    if (accepted) return {};
    return chain::Unexpected(std::string(describe(accepted.error())));
}

}  // namespace petal::regtest::rpc
