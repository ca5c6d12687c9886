// A node for benchmarks, as a process of its own: serves a regtest chain that pays, and spends
// from, the wallet of a well-known mnemonic, until its standard input ends.
//
//     petal_bench_node [BLOCKS [TRANSACTIONS_PER_BLOCK [WALLET_TRANSACTIONS]]]
//
// Says on standard output, as one line of JSON, where it listens and what a wallet must find.

#include <array>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "net/io/embedded_node.h"
#include "net/regtest/regtest_chain.h"
#include "wallet/key_ring.h"
#include "wallet/mnemonic.h"

namespace petal {
namespace {

// The first of BIP39's vectors.
constexpr const char* kMnemonic =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";
constexpr chain::Satoshis kPayment = 100'000;
constexpr chain::Satoshis kFee = 1'000;
constexpr chain::Satoshis kFillerPayment = 10'000;

struct Size {
    std::uint32_t blocks = 20'000;
    std::uint32_t transactions_per_block = 20;
    std::uint32_t wallet_transactions = 200;
};

struct WalletCoin {
    chain::Outpoint outpoint;
    chain::Satoshis value;
};

wallet::KeyRing ring_of(const char* mnemonic) {
    const auto coin_type = chain::find_network("regtest")->coin_type;
    const auto seed = wallet::Mnemonic::parse(mnemonic).value().seed("").value();
    const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view()).value();
    const auto path = wallet::account_path(wallet::ScriptKind::wpkh, coin_type);
    const auto account = master.derive_path(path).value().public_key();
    wallet::KeyRing ring{wallet::ScriptKind::wpkh, account, wallet::LookAhead{}};
    ring.extend();
    return ring;
}

/// Makes the chain block by block. Every hundredth block or so holds one transaction of the
/// wallet's: of four, three pay it, each to a new address, and one spends its oldest coin with
/// change to itself.
class BenchChain {
public:
    explicit BenchChain(const Size& size) : size_(size), ring_(ring_of(kMnemonic)) {
        add_filler();  // for which the chain's purse mines itself coins
        while (chain_.height() < size_.blocks) mine_next();
    }

    net::RegtestChain take() { return std::move(chain_); }

    void print_truth(const net::Endpoint& endpoint) const {
        chain::Satoshis balance = 0;
        for (const auto& coin : coins_) balance += coin.value;
        std::printf(
            "{\"endpoint\":\"%s\",\"mnemonic\":\"%s\",\"height\":%u,\"confirmed_sat\":%lld,"
            "\"utxos\":%zu,\"transactions\":%u}\n",
            net::to_string(endpoint).c_str(), kMnemonic, size_.blocks,
            static_cast<long long>(balance), coins_.size(), made_);
        std::fflush(stdout);
    }

private:
    void mine_next() {
        const auto height = chain_.height() + 1;
        const auto due = std::uint64_t{size_.wallet_transactions} * height / size_.blocks;
        if (made_ < due) add_one_of_the_wallets();
        while (transactions_.size() < size_.transactions_per_block) add_filler();
        chain_.mine_block(std::exchange(transactions_, {}));
    }

    void add_one_of_the_wallets() {
        ++made_;
        if (made_ % 4 == 0) {
            const auto spent = coins_.front();
            coins_.pop_front();
            const auto change = spent.value / 2;
            const std::vector inputs{spent.outpoint};
            transactions_.push_back(
                chain_.make_spend(inputs, {{spent.value - change - kFee, stranger()},
                                           {change, next(wallet::KeyChain::change)}}));
            coins_.push_back({{transactions_.back().txid(), 1}, change});
        } else {
            transactions_.push_back(
                chain_.make_payment({{kPayment, next(wallet::KeyChain::receive)}}));
            coins_.push_back({{transactions_.back().txid(), 0}, kPayment});
        }
    }

    void add_filler() {
        transactions_.push_back(chain_.make_payment({{kFillerPayment, stranger()}}));
    }

    chain::Bytes next(wallet::KeyChain which) {
        auto& index = next_index_[static_cast<std::size_t>(which)];
        return ring_.script_at({which, index++});
    }

    /// A P2WPKH script that is no wallet's, another each time.
    chain::Bytes stranger() {
        chain::Bytes script(22);
        script[1] = 20;
        std::uint64_t state = ++strangers_;
        for (std::size_t i = 2; i < script.size(); ++i) {
            state = state * 6'364'136'223'846'793'005U + 1'442'695'040'888'963'407U;
            script[i] = static_cast<chain::Byte>(state >> 56);
        }
        return script;
    }

    Size size_;
    wallet::KeyRing ring_;
    net::RegtestChain chain_;
    std::vector<chain::Transaction> transactions_;
    std::deque<WalletCoin> coins_;
    std::array<std::uint32_t, 2> next_index_{};
    std::uint32_t made_ = 0;
    std::uint64_t strangers_ = 0;
};

std::uint32_t number(const char* text) {
    return static_cast<std::uint32_t>(std::stoul(text));
}

int run(int argc, char** argv) {
    Size size;
    if (argc > 1) size.blocks = number(argv[1]);
    if (argc > 2) size.transactions_per_block = number(argv[2]);
    if (argc > 3) size.wallet_transactions = number(argv[3]);

    BenchChain bench{size};
    net::ServerOptions options;
    // As Bitcoin Core writes: that is what clients have to cope with.
    options.one_write_per_message = true;
    const net::EmbeddedNode node{options, bench.take()};
    bench.print_truth(node.endpoint());
    while (std::cin.get() != std::char_traits<char>::eof()) {
    }
    return 0;
}

}  // namespace
}  // namespace petal

int main(int argc, char** argv) {
    try {
        return petal::run(argc, argv);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "error: %s\n", failure.what());
        return 1;
    }
}
