// The report of `filter inspect --wallet-filter` on a wallet over weeks, and the filters that its
// peers receive.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/hash.h"
#include "chain/script/script.h"
#include "net/sync/filters/sync_checkpoint.h"
#include "net/sync/sync_engine.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/cli/scene.h"
#include "tests/support/simulated_network.h"
#include "tests/support/unsigned_spend.h"
#include "wallet/descriptors/address.h"
#include "wallet/wallet.h"

namespace petal::cli {
namespace {

using test::Scene;
using wallet::KeyChain;

constexpr std::uint32_t kWeeks = 8;
constexpr std::uint32_t kRestoredInWeek = 2;
constexpr std::uint32_t kOutOfAddressesInWeek = 5;
constexpr double kRate = 2.5e-4;
/// The matches among some 240,000 addresses that are paid in a week (more are on mainnet). This
/// chain has only these, because the others make no difference.
constexpr std::uint32_t kMatchingStrangersInAWeek = 60;

bloom::BloomFilter filter_of(const Json& seen) {
    const std::string filterload = seen.at("filterload");
    return bloom::BloomFilter::decode(chain::from_hex(filterload).value()).value();
}

bool holds_all_bits_of(const bloom::BloomFilter& larger, const bloom::BloomFilter& smaller) {
    return std::ranges::equal(larger.bytes(), smaller.bytes(),
                              [](auto a, auto b) { return (a & b) == b; });
}

/// A wallet is paid and spends every week, on a chain on which strangers are paid, too. Each week,
/// one process inspects the filter and another syncs.
class WalletFilesOverWeeks : public testing::Test {
protected:
    WalletFilesOverWeeks() {
        restore();
        chain_.mine(110);
        base_.emplace(filter_of(inspect()));
    }

    /// The same mnemonic on another machine, which knows nothing of the syncs so far.
    void restore() {
        scene_.emplace();
        const std::string words = scene_->write("words.txt", test::kMnemonic);
        ASSERT_EQ(scene_->run({"restore", "--mnemonic-file", words}).status, ExitStatus::done);
        headers_.emplace(*chain::find_network("regtest"));
    }

    wallet::Wallet open(wallet::Access access) const {
        return wallet::Wallet::open(scene_->path("regtest/wallets/default.db"),
                                    *chain::find_network("regtest"), access);
    }

    bool is_new() const { return !open(wallet::Access::read).sync_state().synced; }

    /// The first inspection names the privacy profile of the first sync.
    Json inspect() const {
        std::vector<std::string> arguments{"filter", "inspect", "--wallet-filter", "--json"};
        if (is_new()) arguments.insert(arguments.end(), {"--privacy", "private"});
        return scene_->run(std::move(arguments)).json();
    }

    void live_a_week(std::uint32_t week) {
        for (std::uint32_t day = 0; day < 7; ++day) {
            std::vector<chain::Transaction> block;
            if (day == 1) block.push_back(strangers_payment(kMatchingStrangersInAWeek));
            if (day == 3) block.push_back(pay(next_script()));
            if (day == 5 && week == kOutOfAddressesInWeek) block.push_back(pay(last_script()));
            if (day == 6 && week % 4 == 3) block.push_back(spend_two_coins());
            chain_.mine_block(std::move(block));
        }
    }

    /// Syncs from this many new peers, and returns the first filter that they are sent.
    std::string sync(std::uint32_t peers) {
        wallet::Wallet wallet = open(wallet::Access::sync);
        net::SyncOptions options;
        if (!wallet.sync_state().synced) options.false_positive_rate = kRate;
        options.expected_peers = peers;
        options.random_seed = chain_.height();
        net::SyncEngine engine(*headers_, wallet, options);
        test::SimulatedNetwork network(engine);
        std::string first;
        network.on_sent = [&first](const net::Message& message) {
            const auto* load = std::get_if<net::FilterLoad>(&message);
            if (load && first.empty()) first = chain::to_hex(load->payload);
        };
        for (std::uint32_t i = 0; i < peers; ++i) network.connect(chain_);
        EXPECT_TRUE(network.run());
        return first;
    }

    /// The total of the unspent outputs on the chain that pay the wallet.
    chain::Satoshis true_balance() const {
        const wallet::Wallet wallet = open(wallet::Access::read);
        chain::Satoshis sum = 0;
        for (const KeyChain chain : wallet::kKeyChains) {
            for (const auto& entry : wallet.addresses(chain, 0)) {
                for (const auto& [outpoint, coin] :
                     chain_.blocks().coins().of_script(script_of(entry))) {
                    sum += coin.value;
                }
            }
        }
        return sum;
    }

    std::optional<Scene> scene_;

private:
    static chain::Bytes script_of(const wallet::AddressEntry& entry) {
        return wallet::parse_address(entry.address, *chain::find_network("regtest")).value();
    }

    chain::Bytes next_script() {
        return script_of(open(wallet::Access::sync).receive_address(/*hand_out=*/true));
    }

    chain::Bytes last_script() const {
        return script_of(open(wallet::Access::read).addresses(KeyChain::receive, 1'000).back());
    }

    chain::Transaction strangers_payment(std::uint32_t count) {
        std::vector<chain::TxOutput> outputs;
        while (outputs.size() < count) {
            chain::Hash160 stranger{};
            std::memcpy(stranger.data(), &strangers_, sizeof strangers_);
            ++strangers_;
            if (base_->contains(stranger))
                outputs.push_back({1'000, chain::p2wpkh_script(stranger)});
        }
        return chain_.make_payment(outputs);
    }

    chain::Transaction pay(chain::Bytes script) {
        return chain_.make_payment({{10'000, std::move(script)}});
    }

    /// Spends two coins to a stranger and to a change address.
    chain::Transaction spend_two_coins() {
        const wallet::Wallet wallet = open(wallet::Access::read);
        const auto coins = wallet.coins();
        const auto change = wallet.addresses(KeyChain::change, 1).back();
        return test::make_spend(
            chain_, std::vector{coins.at(0).outpoint, coins.at(1).outpoint},
            {{9'000, chain::p2wpkh_script(chain::Hash160{7})}, {9'000, script_of(change)}});
    }

    regtest::RegtestChain chain_;
    std::optional<chain::HeaderChain> headers_;
    std::optional<bloom::BloomFilter> base_;
    std::uint32_t strangers_ = 0;
};

std::optional<Json> coins_pair(const Json& seen) {
    for (const Json& pair : seen["measures"]["evidence"]["pairs"]) {
        if (pair["pair"] == "address-and-coin") return pair;
    }
    return std::nullopt;
}

TEST_F(WalletFilesOverWeeks, KeepsItsGradeAndItsBase) {
    const Json first = inspect();
    for (std::uint32_t week = 0; week < kWeeks; ++week) {
        SCOPED_TRACE("week " + std::to_string(week));
        live_a_week(week);
        if (week == kRestoredInWeek) {
            restore();
            EXPECT_EQ(inspect()["filterload"], first["filterload"]);
        }
        const Json seen = inspect();
        EXPECT_EQ(seen["verdict"]["grade"], "limited") << seen["verdict"].dump(2);
        for (const auto* same : {"bytes", "hash_functions", "tweak", "flags"}) {
            EXPECT_EQ(seen[same], first[same]) << same;
        }
        EXPECT_TRUE(holds_all_bits_of(filter_of(seen), filter_of(first)));
        EXPECT_EQ(seen["filterload"], sync(1 + week % 3))
            << "peers get the filter that was inspected";

        const std::optional<Json> pair = coins_pair(inspect());
        ASSERT_TRUE(pair);
        EXPECT_TRUE((*pair)["inserted"]);
        EXPECT_GE((*pair)["strangers"], kMatchingStrangersInAWeek);
    }
    EXPECT_EQ(open(wallet::Access::read).balance().total(), true_balance());
}

// Three kinds of outpoints are not counted:
// - outpoints that a stranger's unconfirmed payment spends: their addresses may not match the
// filter
// - outpoints that a stranger's unconfirmed payment creates: the payment may be fabricated
// - spent outpoints
TEST_F(WalletFilesOverWeeks, CountsAsStrangersOnlyTheirUnspentCoins) {
    live_a_week(0);
    sync(1);
    const std::size_t strangers = (*coins_pair(inspect()))["strangers"];
    wallet::Wallet wallet = open(wallet::Access::sync);
    chain::SyncState state = wallet.sync_state();
    net::SyncCheckpoint memory = net::decode_sync_checkpoint(state.sync_checkpoint).value();
    const chain::Outpoint own = wallet.coins().at(0).outpoint;
    chain::Transaction spend;
    for (const chain::Outpoint& outpoint : memory.outpoints.unspent()) {
        if (outpoint != own && spend.inputs.size() < 3) {
            spend.inputs.emplace_back().prevout = outpoint;
        }
    }
    ASSERT_EQ(spend.inputs.size(), 3U);
    chain::Transaction pending;
    pending.inputs.resize(1);
    memory.unconfirmed.add(pending, pending.txid(), {net::MatchedOutput{{pending.txid(), 0}}}, {});
    memory.unconfirmed.mark_shown();
    chain::ProvenBlock block;
    block.block = *state.synced;
    block.transactions.push_back({1, spend.txid(), spend});
    memory.outpoints.on_block(block, block.block.height);
    wallet.apply({}, {state.synced, memory.encode()});
    EXPECT_EQ((*coins_pair(inspect()))["strangers"], strangers - 3);
}

}  // namespace
}  // namespace petal::cli
