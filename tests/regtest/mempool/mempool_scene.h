/// A chain with coins for tests of the mempool, and transactions that spend the coins.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "regtest/chain/regtest_chain.h"
#include "regtest/mempool/acceptance.h"
#include "tests/support/signing.h"

namespace petal::regtest {

using chain::Bytes;
using chain::Transaction;

inline constexpr chain::Satoshis kCoin = 1'000'000;

inline Bytes owner() {
    return test::private_key(1);
}

inline Bytes receiver_script() {
    return test::p2wpkh_script_of(test::private_key(2));
}

inline const Bytes& own_script() {
    static const Bytes script = test::p2wpkh_script_of(owner());
    return script;
}

inline Transaction resigned(Transaction transaction) {
    test::sign_input(transaction, 0, owner(), {kCoin, own_script()});
    return transaction;
}

/// A chain with a coin for each script in the last block.
class MempoolScene {
public:
    explicit MempoolScene(const std::vector<Bytes>& scripts) {
        std::vector<chain::TxOutput> outputs;
        for (const Bytes& script : scripts) outputs.push_back({kCoin, script});
        const Transaction funding = chain_.make_payment(std::move(outputs));
        txid_ = funding.txid();
        chain_.mine_block({funding});
    }

    RegtestChain& chain() { return chain_; }

    /// Spends a coin to the receiver, without a signature.
    Transaction spend(std::uint32_t coin, chain::Satoshis fee) const {
        Transaction transaction;
        transaction.inputs.push_back({{txid_, coin}, {}, 0xfffffffd, {}});
        transaction.outputs = {{kCoin - fee, receiver_script()}};
        return transaction;
    }
    Transaction signed_spend(std::uint32_t coin, const Bytes& script,
                             chain::Satoshis fee = 1'000) const {
        Transaction transaction = spend(coin, fee);
        test::sign_input(transaction, 0, owner(), {kCoin, script});
        return transaction;
    }
    /// Why the mempool refuses the transaction. Empty if the mempool accepts the transaction.
    std::string refusal(const Transaction& transaction,
                        TransactionChecks checks = TransactionChecks::all) {
        const auto result = chain_.offer(transaction, {checks, 100});
        return result ? "" : describe(result.error());
    }

private:
    RegtestChain chain_;
    chain::Txid txid_;
};

/// A signed transaction that spends outputs of own_script().
inline Transaction signed_child(
    const std::vector<std::pair<chain::Outpoint, chain::Satoshis>>& spent,
    std::vector<chain::TxOutput> outputs, std::int32_t version = 2) {
    Transaction transaction;
    transaction.version = version;
    for (const auto& [outpoint, value] : spent) {
        transaction.inputs.push_back({outpoint, {}, 0xfffffffd, {}});
    }
    transaction.outputs = std::move(outputs);
    for (std::size_t i = 0; i < spent.size(); ++i) {
        test::sign_input(transaction, i, owner(), {spent[i].second, own_script()});
    }
    return transaction;
}

/// Submits a parent with two outputs of kHalf each.
inline constexpr chain::Satoshis kHalf = kCoin / 2 - 500;
inline chain::Txid submit_parent(MempoolScene& scene, std::uint32_t coin, std::int32_t version) {
    Transaction parent = scene.spend(coin, 0);
    parent.version = version;
    parent.outputs = {{kHalf, own_script()}, {kHalf, own_script()}};
    parent = resigned(std::move(parent));
    EXPECT_EQ(scene.refusal(parent), "");
    return parent.txid();
}

}  // namespace petal::regtest
