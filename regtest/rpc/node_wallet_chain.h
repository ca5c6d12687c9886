/// The chain of a regtest node, as wallets see it.
#pragma once

#include "regtest/chain/regtest_chain.h"
#include "regtest/rpc/rpc_node.h"
#include "regtest/wallets/wallet_chain.h"

namespace petal::regtest::rpc {

class NodeWalletChain : public wallets::WalletChain {
public:
    /// Both arguments must outlive this object.
    NodeWalletChain(RegtestChain& chain, const NodeSettings& settings)
        : chain_(chain), settings_(settings) {}

    std::uint64_t revision() const override;
    std::int64_t now() const override;
    chain::BlockRef tip() const override;
    wallets::WalletBlock block_at(std::uint32_t height) const override;
    chain::BlockRef ref_at(std::uint32_t height) const override;
    chain::BlockHeader header_at(std::uint32_t height) const override;
    chain::Transaction transaction_at(std::uint32_t height, std::size_t position) const override;
    std::optional<chain::BlockRef> fork_point(const chain::BlockHash& hash) const override;
    std::optional<wallets::WalletBlock> find_block(const chain::BlockHash& hash) const override;
    std::vector<wallets::PendingTransaction> pending_since(std::uint64_t revision) const override;
    bool is_pending(const chain::Txid& txid) const override;
    std::optional<chain::TxOutput> find_output(const chain::Outpoint& outpoint) const override;
    std::optional<wallets::Ancestry> ancestry(const chain::Txid& txid) const override;
    std::vector<chain::Txid> pending_conflicts(
        const chain::Transaction& transaction) const override;
    chain::Satoshis least_fee_rate() const override;
    chain::Expected<void, std::string> submit(const chain::Transaction& transaction) override;

private:
    RegtestChain& chain_;
    const NodeSettings& settings_;
};

}  // namespace petal::regtest::rpc
