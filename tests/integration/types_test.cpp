/// Wallets of each type with each kind of server: coins, spends that nodes verify, and spends that
/// the wallet verifies.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <random>
#include <utility>
#include <vector>

#include "tests/integration/scenario.h"

namespace petal::test {
namespace {

using wallet::KeyChain;

class ScenarioOfType : public Scenario {
protected:
    chain::Transaction spend_with_change(const std::vector<chain::Outpoint>& coins,
                                         std::uint32_t change) {
        const auto spent = static_cast<chain::Satoshis>(coins.size()) * kCoin;
        return spend(coins,
                     {{kCoin / 2, World::script()},
                      {spent - kCoin / 2 - 2'000, owner.script({KeyChain::change, change})}});
    }

    /// A node that supports descriptors also checks their checksums.
    void expect_that_the_node_derives_the_same_addresses() const {
        constexpr std::uint32_t kAddresses = 20;
        const auto wallet = client.open();
        const auto descriptors = wallet.info().descriptors;
        for (const KeyChain key_chain : wallet::kKeyChains) {
            const auto derived = server->derive_addresses(
                descriptors.at(static_cast<std::size_t>(key_chain)), kAddresses);
            for (std::uint32_t index = 0; index < derived.size(); ++index) {
                EXPECT_EQ(derived[index], wallet.address_at({key_chain, index}));
            }
            EXPECT_EQ(derived.size(), GetParam().node == NodeKind::bitcoind ? kAddresses : 0);
        }
    }
};

TEST_P(ScenarioOfType, KnowsItsCoinsAndTheirSpendsInBlocksAndBefore) {
    expect_that_the_node_derives_the_same_addresses();
    const std::vector payments{pay(0), pay(1), pay(2), pay(24), pay(25)};
    mine({payments[0], payments[1]});
    mine({payments[2], payments[3], payments[4]});
    sync_and_expect_truth();
    EXPECT_EQ(TrueLedger(*server, owner).coins().size(), 5U);

    mine({spend_with_change({{payments[0].txid(), 0}}, 0)});
    mine({spend_with_change({{payments[1].txid(), 0}, {payments[2].txid(), 0}}, 1)});
    sync_and_expect_truth();
    Client newcomer({20, 30}, GetParam().type);
    newcomer.sync({server->endpoint()});
    TrueLedger(*server, owner).expect_equals(newcomer.open());

    const auto incoming = pay(3);
    const auto spent = spend_with_change({{payments[3].txid(), 0}, {payments[4].txid(), 0}}, 2);
    server->submit(incoming);
    server->submit(spent);
    listen_until_seen(2);
    TrueLedger(*server, owner, {incoming, spent}).expect_equals(client.open());
    mine({incoming, spent});
    sync_and_expect_truth();
}

/// Random payments to and by the owner, in blocks and in reorganisations.
class RandomHistory {
public:
    RandomHistory(FullNode& node, World& world, const Owner& owner, std::uint64_t seed)
        : node_(node), world_(world), owner_(owner), random_(seed) {}

    /// Mines one block, which may be empty, or reorganises and confirms the transactions again.
    void go_on() {
        if (pick(8) == 0) return reorganise(pick(3) + 1);
        std::vector<chain::Transaction> block;
        for (std::uint32_t left = pick(4); left > 0; --left) {
            block.push_back(coins_.empty() || pick(2) == 0 ? receipt() : payment());
        }
        node_.mine(std::move(block), World::script());
    }

private:
    std::uint32_t pick(std::uint32_t below) {
        return static_cast<std::uint32_t>(random_() % below);
    }

    /// An output to an address within the gap limit.
    chain::TxOutput own_output(chain::Satoshis amount) {
        const KeyChain key_chain = wallet::kKeyChains[pick(2)];
        std::uint32_t& used_end = used_end_[static_cast<std::size_t>(key_chain)];
        const std::uint32_t index = pick(std::min(used_end + 20, 600U));
        used_end = std::max(used_end, index + 1);
        return {amount, owner_.script({key_chain, index})};
    }

    chain::Transaction receipt() {
        std::vector<chain::TxOutput> outputs;
        for (std::uint32_t left = pick(3) + 1; left > 0; --left) {
            outputs.push_back(own_output(10'000 + pick(90'000)));
        }
        return noted(world_.pay(std::move(outputs)));
    }

    /// Spends up to three coins, which may be of the same block.
    chain::Transaction payment() {
        chain::Transaction transaction;
        std::map<chain::Outpoint, chain::TxOutput> spent;
        chain::Satoshis left = -1'000;  // the fee
        for (std::uint32_t inputs = pick(3) + 1; inputs > 0 && !coins_.empty(); --inputs) {
            const auto coin =
                std::next(coins_.begin(), pick(static_cast<std::uint32_t>(coins_.size())));
            transaction.inputs.push_back({coin->first, {}, 0xfffffffd, {}});
            left += coin->second.value;
            spent.insert(coins_.extract(coin));
        }
        const chain::Satoshis paid = left / (pick(3) + 1);
        transaction.outputs.push_back({paid, World::script()});
        if (left - paid > 1'000) transaction.outputs.push_back(own_output(left - paid));
        owner_.sign(transaction, spent);
        return noted(std::move(transaction));
    }

    chain::Transaction noted(chain::Transaction transaction) {
        const chain::Txid txid = transaction.txid();
        for (std::uint32_t i = 0; i < transaction.outputs.size(); ++i) {
            const chain::TxOutput& output = transaction.outputs[i];
            if (owner_.find(output.script_pubkey)) coins_[{txid, i}] = output;
        }
        return transaction;
    }

    void reorganise(std::uint32_t depth) {
        const std::uint32_t fork = node_.height() - depth;
        std::vector<chain::Transaction> dropped;
        for (std::uint32_t height = fork + 1; height <= node_.height(); ++height) {
            const auto& block = node_.blocks()[height].transactions;
            dropped.insert(dropped.end(), block.begin() + 1, block.end());
        }
        node_.reorganise(fork);
        node_.mine(std::move(dropped), World::script());
    }

    FullNode& node_;
    World& world_;
    const Owner& owner_;
    std::mt19937_64 random_;
    std::map<chain::Outpoint, chain::TxOutput> coins_;
    std::array<std::uint32_t, 2> used_end_{};
};

TEST_P(ScenarioOfType, HasTheLedgerOfARandomHistory) {
    // In each history, which continues with the wallet of the histories before.
    constexpr int kBlocks = 40;
    for (const std::uint64_t seed : {20'261'125U, 1U, 2U}) {
        SCOPED_TRACE(seed);
        RandomHistory history(*server, *world, owner, seed);
        for (int i = 1; i <= kBlocks; ++i) {
            history.go_on();
            if (i % 7 == 0) sync_and_expect_truth();
        }
    }
    sync_and_expect_truth();
    EXPECT_GT(TrueLedger(*server, owner).history().size(), std::size_t{3 * kBlocks / 2});
    Client newcomer({20, 30}, GetParam().type);
    newcomer.sync({server->endpoint()});
    TrueLedger(*server, owner).expect_equals(newcomer.open());
}

INSTANTIATE_TEST_SUITE_P(Servers, ScenarioOfType, testing::ValuesIn(kServersOfEachType), suffix_of);

}  // namespace
}  // namespace petal::test
