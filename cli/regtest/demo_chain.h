/// The chain of the demo: payments of many users and of a wallet.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/chain/regtest_key.h"

namespace petal::cli {

/// Mines a regtest chain with about eight foreign payments a block. A wallet receives payments,
/// spends with and without change, and mines blocks. At the end, one payment to the wallet is
/// unconfirmed. All inputs and outputs are P2WPKH, and all signatures are real. The same arguments
/// make the same chain.
class DemoChain {
public:
    struct Keys {
        std::vector<regtest::RegtestKey> receive;  ///< at least 40
        std::vector<regtest::RegtestKey> change;   ///< at least 20
    };

    /// first_time   time of the first block, Unix seconds
    DemoChain(Keys wallet, std::int64_t first_time);
    DemoChain(const DemoChain&) = delete;
    DemoChain& operator=(const DemoChain&) = delete;

    std::uint32_t height() const { return chain_.height(); }
    /// Mines one block with foreign payments, and with a payment of the wallet if a payment is due.
    /// The wallet's payments are spread over a chain of `blocks` blocks.
    void mine_next(std::uint32_t blocks);
    /// Pays the wallet with a transaction that stays unconfirmed.
    void pay_unconfirmed();

    /// The size of all full blocks with the message headers: the download of a client without a
    /// filter.
    std::uint64_t block_bytes() const { return block_bytes_; }
    std::uint64_t transactions() const { return transactions_; }
    regtest::RegtestChain take() { return std::move(chain_); }

private:
    struct Coin {
        chain::Outpoint outpoint;
        chain::Satoshis value = 0;
        const regtest::RegtestKey* key = nullptr;
    };
    /// A key of the chain, and whether the key is the wallet's.
    struct KeyOwner {
        const regtest::RegtestKey* key = nullptr;
        bool is_wallets = false;
    };

    chain::Satoshis amount_between(chain::Satoshis least, chain::Satoshis most);
    const chain::Bytes& stranger();
    const chain::Bytes& next_receive() {
        return wallet_.receive[received_++ % wallet_.receive.size()].script();
    }
    const chain::Bytes& next_change() {
        return wallet_.change[changed_++ % wallet_.change.size()].script();
    }
    static chain::Transaction spend(const std::vector<Coin>& coins,
                                    std::vector<chain::TxOutput> outputs);
    Coin take_stranger_coin();
    chain::Transaction make_stranger_payment();
    chain::Transaction make_receipt(chain::Satoshis amount);
    chain::Transaction make_wallet_spend(bool with_change);
    void mine(std::vector<chain::Transaction> transactions, chain::ByteView coinbase_script);
    void collect_coins(const chain::Transaction& transaction);

    const Keys wallet_;
    std::vector<regtest::RegtestKey> strangers_;
    std::map<chain::Bytes, KeyOwner> owners_;  // by script
    regtest::RegtestChain chain_;
    std::mt19937 random_{20'090'103};
    std::deque<Coin> stranger_coins_;
    std::deque<Coin> wallet_coins_;
    std::size_t received_ = 0;
    std::size_t changed_ = 0;
    std::uint64_t block_bytes_ = 0;
    std::uint64_t transactions_ = 0;
};

}  // namespace petal::cli
