/// Chains, transactions and folders for tests of ledgers and wallets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chain/watcher.h"
#include "tests/support/temporary_folder.h"
#include "wallet/keys/key_path.h"
#include "wallet/ledger/ledger_transaction.h"

namespace petal::test {

/// One output.
struct Payment {
    chain::Satoshis value = 0;
    chain::Bytes script_pubkey;
};

/// A foreign script, a different one for each `number`.
chain::Bytes foreign_script(std::uint32_t number = 0);

/// An output of an unknown transaction.
chain::Outpoint foreign_coin(std::uint32_t number);

chain::Transaction spend(const std::vector<chain::Outpoint>& inputs,
                         const std::vector<Payment>& payments);

/// A coinbase. The txid differs for each height and salt.
chain::Transaction coinbase(std::uint32_t height, const std::vector<Payment>& payments,
                            std::uint32_t salt = 0);

chain::Outpoint output_of(const chain::Transaction& transaction, std::uint32_t index = 0);

/// A script of the owner of a ledger. The script has no key, because a ledger needs no keys.
chain::Bytes own_script(std::uint32_t index, wallet::KeyChain chain = wallet::KeyChain::receive);

/// The path of an own_script(). Empty for any other script.
std::optional<wallet::KeyPath> owner_of(chain::ByteView script);

/// The outputs that pay an own_script().
std::vector<wallet::Credit> credits_in(const chain::Transaction& transaction);

/// Consecutive blocks without proof of work, the first at `first_height`.
class SceneChain {
public:
    explicit SceneChain(std::uint32_t first_height = 1);

    /// Mines a block of these transactions. The block has no coinbase unless the transactions
    /// include a coinbase.
    const chain::ProvenBlock& mine(const std::vector<chain::Transaction>& transactions = {});
    /// Mines this many empty blocks.
    void mine_empty(std::uint32_t count);

    /// Removes the blocks above `height`. Blocks mined later differ from the removed blocks.
    /// Returns the block at `height`.
    chain::BlockRef cut(std::uint32_t height);
    /// Adds blocks that cut() has removed, the first block on the tip.
    void put_back(const std::vector<chain::ProvenBlock>& blocks);

    const std::vector<chain::ProvenBlock>& blocks() const { return blocks_; }
    const chain::ProvenBlock& at(std::uint32_t height) const { return blocks_.at(height - first_); }
    std::uint32_t next_height() const {
        return first_ + static_cast<std::uint32_t>(blocks_.size());
    }
    /// The block before the first block of the chain.
    chain::BlockRef root() const { return {first_ - 1, {}}; }
    chain::BlockRef tip() const { return blocks_.empty() ? root() : blocks_.back().block; }

    /// The time in the header of the block at `height`.
    static std::uint32_t time_at(std::uint32_t height) { return 1'600'000'000 + 600 * height; }

private:
    std::uint32_t first_;
    std::uint32_t branch_ = 0;
    std::vector<chain::ProvenBlock> blocks_;
};

}  // namespace petal::test
