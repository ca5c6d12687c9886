// Nodes for benchmarks, in a process of their own. Until standard input ends, they serve a regtest
// chain with payments to and spends from the wallet of a well-known mnemonic. The same options give
// the same chain.
//
//     petal_bench_node [--blocks N] [--transactions N] [--outputs N] [--payments N] [--coins N]
//                      [--nodes N] [--block-us N]
//
// Prints as one line of JSON on standard output where the nodes listen, what a wallet must find,
// and a filter that finds it.

#include <CLI/CLI.hpp>
#include <array>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <deque>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/network_params.h"
#include "chain/script/script.h"
#include "net/io/dial/endpoint.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/serve/regtest_server.h"
#include "tests/support/account_ring.h"
#include "tests/support/mnemonic.h"
#include "tests/support/unsigned_spend.h"
#include "wallet/descriptors/key_ring.h"
#include "wallet/keys/mnemonic.h"

namespace petal {
namespace {

constexpr chain::Satoshis kPayment = 100'000;
constexpr chain::Satoshis kFee = 1'000;
constexpr chain::Satoshis kFillerPayment = 10'000;

/// As for petal's own filters: the watched elements, half as much room again, and few false
/// positives.
constexpr double kFalsePositiveRate = 1e-5;

struct Options {
    std::uint32_t blocks = 20'000;
    std::uint32_t transactions = 20;  ///< in each block, besides the coinbase
    std::uint32_t outputs = 1;        ///< of each transaction that is not the wallet's, and change
    std::uint32_t payments = 200;     ///< in all blocks, how many transactions are the wallet's
    std::optional<std::uint32_t> coins;
    std::uint32_t nodes = 1;
    std::uint32_t block_us = 0;
};

struct WalletCoin {
    chain::Outpoint outpoint;
    chain::Satoshis value;
};

wallet::KeyRing ring_of(const char* mnemonic) {
    const auto coin_type = chain::find_network("regtest")->coin_type;
    const auto seed = wallet::Mnemonic::parse(mnemonic).value().seed("").value();
    const auto master = wallet::ExtendedPrivateKey::from_seed(seed.view()).value();
    const auto path = wallet::account_path({}, coin_type);
    const auto account = master.derive_path(path).value().public_key();
    wallet::KeyRing ring = test::account_ring(wallet::ScriptKind::wpkh, account, {});
    ring.extend();
    return ring;
}

/// Makes the chain block by block, with the wallet's transactions spread evenly over it. Unless the
/// number of coins is given, three of four pay the wallet, each to a new address, and one spends
/// its oldest coin with change to itself. Otherwise, this many coins are paid first, and then each
/// further payment is followed by a spend of the oldest coin without change.
class BenchChain {
public:
    explicit BenchChain(const Options& options)
        : options_(options), ring_(ring_of(test::kMnemonic)) {
        add_filler();  // the purse mines coins for itself first
        first_height_ = chain_.height();
        while (chain_.height() < options_.blocks) mine_next();
    }

    regtest::RegtestChain& chain() { return chain_; }

    /// The JSON fields with everything that a wallet must find.
    std::string truth() const {
        chain::Satoshis balance = 0;
        for (const auto& coin : coins_) balance += coin.value;
        return "\"mnemonic\":\"" + std::string(test::kMnemonic) +
               "\",\"height\":" + std::to_string(options_.blocks) +
               ",\"confirmed_sat\":" + std::to_string(balance) +
               ",\"utxos\":" + std::to_string(coins_.size()) +
               ",\"transactions\":" + std::to_string(made_) + ",\"heights\":[" + heights() + ']';
    }

    /// A filterload's payload that finds the wallet's transactions.
    chain::Bytes filter() const {
        std::size_t count = 0;
        for (const auto which : kChains) count += ring_.watched(which);
        bloom::BloomFilter filter(bloom::filter_size(count + count / 2, kFalsePositiveRate), 1,
                                  bloom::UpdateMode::all);
        for (const auto which : kChains) {
            for (std::uint32_t i = 0; i < ring_.watched(which); ++i) {
                filter.insert(chain::watch_element(ring_.script_at({which, i})));
            }
        }
        return filter.encode();
    }

private:
    /// The heights of the blocks with transactions of the wallet.
    std::string heights() const {
        std::string list;
        for (const auto height : heights_) {
            if (!list.empty()) list += ',';
            list += std::to_string(height);
        }
        return list;
    }

    static constexpr std::array kChains = {wallet::KeyChain::receive, wallet::KeyChain::change};

    void mine_next() {
        const auto made_before = made_;
        const auto height = chain_.height() + 1;
        // Relative to the remaining blocks only, because the purse cannot make the payments of the
        // first blocks at once.
        const auto due = std::uint64_t{options_.payments} * (height - first_height_) /
                         (options_.blocks - first_height_);
        // If there are no more payments than blocks - first_height_, a block never has two, so no
        // coin is spent in the block that creates it. If there are more, blocks have several.
        while (made_ < due) add_one_of_the_wallets();
        if (made_ > made_before) heights_.push_back(height);
        while (transactions_.size() < options_.transactions) add_filler();
        chain_.mine_block(std::exchange(transactions_, {}));
    }

    void add_one_of_the_wallets() {
        ++made_;
        if (options_.coins) {
            coins_.size() > *options_.coins ? add_spend(0) : add_payment();
        } else {
            made_ % 4 == 0 ? add_spend(coins_.front().value / 2) : add_payment();
        }
    }

    void add_payment() {
        transactions_.push_back(chain_.make_payment({{kPayment, next(wallet::KeyChain::receive)}}));
        coins_.push_back({{transactions_.back().txid(), 0}, kPayment});
    }

    void add_spend(chain::Satoshis change) {
        const auto spent = coins_.front();
        coins_.pop_front();
        const std::vector inputs{spent.outpoint};
        std::vector<chain::TxOutput> outputs{{spent.value - change - kFee, stranger()}};
        if (change > 0) outputs.push_back({change, next(wallet::KeyChain::change)});
        transactions_.push_back(test::make_spend(chain_, inputs, std::move(outputs)));
        if (change > 0) coins_.push_back({{transactions_.back().txid(), 1}, change});
    }

    void add_filler() {
        std::vector<chain::TxOutput> outputs;
        while (outputs.size() < options_.outputs) outputs.push_back({kFillerPayment, stranger()});
        transactions_.push_back(chain_.make_payment(std::move(outputs)));
    }

    chain::Bytes next(wallet::KeyChain which) {
        const wallet::KeyPath path{which, next_index_[static_cast<std::size_t>(which)]++};
        ring_.mark_handed_out(path);
        return ring_.script_at(path);
    }

    /// A P2WPKH script that belongs to no wallet, a different one at each call.
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

    Options options_;
    wallet::KeyRing ring_;
    regtest::RegtestChain chain_;
    std::vector<chain::Transaction> transactions_;
    std::deque<WalletCoin> coins_;
    std::array<std::uint32_t, 2> next_index_{};
    std::uint32_t first_height_ = 0;  ///< the height of the last block without our transactions
    std::uint32_t made_ = 0;
    std::vector<std::uint32_t> heights_;
    std::uint64_t strangers_ = 0;
};

/// Serves the chain on several ports from one thread, since slow nodes mostly wait.
class Servers {
public:
    Servers(regtest::RegtestChain& chain, const Options& options) {
        regtest::ServerOptions server;
        server.behaviour.block_time = std::chrono::microseconds{options.block_us};
        // Bitcoin Core writes each message separately, so clients have to cope with this.
        server.one_write_per_message = true;
        for (std::uint32_t i = 0; i < options.nodes; ++i) {
            servers_.push_back(std::make_unique<regtest::RegtestServer>(io_, chain, server));
        }
        thread_ = std::thread([this] { io_.run(); });
    }
    Servers(const Servers&) = delete;
    Servers& operator=(const Servers&) = delete;
    ~Servers() {
        boost::asio::post(io_, [this] {
            for (const auto& server : servers_) server->stop_listening();
        });
        thread_.join();
    }

    std::string endpoints() const {
        std::string list;
        for (const auto& server : servers_) {
            if (!list.empty()) list += ',';
            list += '"' + net::to_string({"127.0.0.1", server->port()}) + '"';
        }
        return "\"endpoints\":[" + list + ']';
    }

private:
    boost::asio::io_context io_{1};
    std::vector<std::unique_ptr<regtest::RegtestServer>> servers_;
    std::thread thread_;
};

int run(const Options& options) {
    BenchChain bench{options};
    const Servers servers{bench.chain(), options};
    std::printf("{%s,%s,\"filter\":\"%s\"}\n", servers.endpoints().c_str(), bench.truth().c_str(),
                chain::to_hex(bench.filter()).c_str());
    std::fflush(stdout);
    while (std::cin.get() != std::char_traits<char>::eof()) {
    }
    return 0;
}

}  // namespace
}  // namespace petal

int main(int argc, char** argv) {
    petal::Options options;
    CLI::App app{"Nodes for benchmarks"};
    app.add_option("--blocks", options.blocks, "how long the chain is");
    app.add_option("--transactions", options.transactions, "in each block, beside the coinbase");
    app.add_option("--outputs", options.outputs,
                   "of each transaction that is not the wallet's, besides the change");
    app.add_option("--payments", options.payments, "how many of them all are the wallet's");
    app.add_option("--coins", options.coins, "how many coins the wallet ends with");
    app.add_option("--nodes", options.nodes, "how many ports serve the chain");
    app.add_option("--block-us", options.block_us,
                   "how long a node takes for each block, in microseconds");
    CLI11_PARSE(app, argc, argv);
    try {
        return petal::run(options);
    } catch (const std::exception& failure) {
        std::fprintf(stderr, "error: %s\n", failure.what());
        return 1;
    }
}
