/// A wallet with two coins, for tests of unconfirmed transactions.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "tests/wallet/wallet_fixture.h"

namespace petal::test {

/// When an unconfirmed transaction is seen, unless a test gives a time.
inline constexpr std::int64_t kSeenTime = 1'600'010'000;

/// A wallet with two coins of 700 satoshis, in two blocks.
class UnconfirmedScene : public WalletFixture {
protected:
    UnconfirmedScene() : coins{pay(700, 0, 1), pay(700, 1, 2)} {
        mine({coins[0]});
        mine({coins[1]});
    }

    bool see(const chain::Transaction& transaction, std::int64_t time = kSeenTime) {
        return test::see(*wallet, transaction, time);
    }
    bool knows(const chain::Transaction& transaction) const {
        return wallet->transaction(transaction.txid()).has_value();
    }
    chain::Transaction sweep(std::size_t coin, chain::Satoshis value = 600) const {
        return spend({output_of(coins.at(coin))}, {{value, foreign_script()}});
    }
    chain::Transaction sign(const chain::Transaction& transaction) const {
        return test::sign(transaction, coins);
    }

    /// The size of the file after the wallet is closed and the write-ahead log has been written
    /// back.
    std::uintmax_t file_size() {
        wallet.reset();
        const auto size = std::filesystem::file_size(file);
        wallet.emplace(wallet::Wallet::open(file, regtest_params(), wallet::Access::sync));
        return size;
    }

    std::vector<chain::Transaction> coins;
};

}  // namespace petal::test
