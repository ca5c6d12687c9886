/// Wallets of the other types against each kind of server: coins, spends that nodes verify, and
/// spends that the wallet verifies.
#include <gtest/gtest.h>

#include "tests/integration/scenario.h"

namespace petal::test {
namespace {

using wallet::KeyChain;
using wallet::ScriptKind;

class ScenarioOfType : public Scenario {
protected:
    chain::Transaction spend_with_change(const std::vector<chain::Outpoint>& coins,
                                         std::uint32_t change) {
        const auto spent = static_cast<chain::Satoshis>(coins.size()) * kCoin;
        return spend(coins,
                     {{kCoin / 2, World::script()},
                      {spent - kCoin / 2 - 2'000, owner.script({KeyChain::change, change})}});
    }

    /// Where the node knows descriptors, it also checks their checksums.
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

INSTANTIATE_TEST_SUITE_P(Servers, ScenarioOfType,
                         testing::Values(Setting{NodeKind::embedded, ScriptKind::pkh},
                                         Setting{NodeKind::embedded, ScriptKind::sh_wpkh},
                                         Setting{NodeKind::embedded, ScriptKind::tr},
                                         Setting{NodeKind::bcoin, ScriptKind::pkh},
                                         Setting{NodeKind::bcoin, ScriptKind::sh_wpkh},
                                         // bcoin knows no taproot.
                                         Setting{NodeKind::bitcoind, ScriptKind::wpkh},
                                         Setting{NodeKind::bitcoind, ScriptKind::pkh},
                                         Setting{NodeKind::bitcoind, ScriptKind::sh_wpkh},
                                         Setting{NodeKind::bitcoind, ScriptKind::tr}),
                         suffix_of);

}  // namespace
}  // namespace petal::test
