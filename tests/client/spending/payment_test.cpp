// A payment from the choice of its fee rate to its announcement.
#include <gtest/gtest.h>

#include <fstream>
#include <optional>

#include "client/spending/announcement.h"
#include "client/spending/fee_choice.h"
#include "client/spending/payment_plan.h"
#include "client/sync/single_sync.h"
#include "net/io/clocks.h"
#include "regtest/serve/embedded_node.h"
#include "tests/client/wallet_folder.h"
#include "wallet/descriptors/address.h"

namespace petal::client {
namespace {

constexpr chain::Satoshis kCoin = 1'000'000;
const wallet::FeeRate kRate{2'000};

/// A wallet with a confirmed coin, synced from a node.
class Payment : public testing::Test {
protected:
    Payment() {
        folder_.create("some");
        const std::string address = open().receive_address(false).address;
        const auto script = wallet::parse_address(address, data().network()).value();
        node_.with_chain([&](regtest::RegtestChain& chain) {
            chain.mine(110);
            chain.mine_block({chain.make_payment({{kCoin, script}})});
        });
        connection_.connect = {node_.endpoint()};
        sync();
    }

    void sync() {
        WalletSyncOptions options;
        options.connection = connection_;
        EXPECT_EQ(SingleSync(options, data(), "some").run().end, SyncEnd::done);
    }
    const DataFolder& data() const { return folder_.data(); }
    wallet::Wallet open() const { return folder_.open("some", wallet::Access::change); }
    /// An order of a payment to somebody else.
    PaymentOrder order(chain::Satoshis amount) const {
        // BIP173's P2WPKH address on regtest
        const auto payee =
            wallet::parse_address("bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080", data().network());
        return {{{*payee, amount}}, kRate, false, {}};
    }
    /// Builds, signs and stores the payment.
    chain::Transaction pay(wallet::Wallet& wallet, const PaymentOrder& order) const {
        auto payment = plan_payment(order, wallet, data()).value().build();
        sign_payment(*payment, payment->change_index, wallet, wallet.secret(""));
        EXPECT_TRUE(wallet.keep_payment(*payment, net::unix_time_now()));
        return payment->transaction;
    }
    bool node_has(const chain::Txid& txid) {
        return node_.with_chain(
            [&](regtest::RegtestChain& chain) { return chain.mempool().find(txid).has_value(); });
    }

    test::WalletFolder folder_;
    regtest::EmbeddedNode node_;
    ConnectionOptions connection_;
};

TEST_F(Payment, IsAnnouncedWithTheAncestorsThatNoNodeHas) {
    wallet::Wallet wallet = open();
    const chain::Transaction parent = pay(wallet, order(100'000));
    wallet.mark_shown(parent.txid());
    const chain::Transaction child = pay(wallet, order(200'000));
    auto ancestors = unconfirmed_ancestors(wallet, child);
    ASSERT_EQ(ancestors.size(), 1U);
    EXPECT_EQ(ancestors[0].transaction.txid(), parent.txid());
    EXPECT_TRUE(unconfirmed_ancestors(wallet, parent).empty());

    const auto result =
        announce({child, std::nullopt}, std::move(ancestors), connection_, data(), "some");
    EXPECT_TRUE(net::has_spread(result.report.outcome));
    EXPECT_EQ(result.report.announced_to_filter_peers, 1U) << "the only node has the filter";
    EXPECT_TRUE(node_has(parent.txid()));
    EXPECT_TRUE(node_has(child.txid()));
}

TEST_F(Payment, IsAnnouncedAlthoughFilterHostsAreUnread) {
    const auto hosts = data().wallet_file("some").string() + ".filter-hosts";
    std::filesystem::remove(hosts);
    std::filesystem::create_directory(hosts);
    int told = 0;
    AnnouncementEvents events;
    events.on_unread_filter_hosts = [&told] { ++told; };
    wallet::Wallet wallet = open();
    const auto result = announce({pay(wallet, order(100'000)), std::nullopt}, {}, connection_,
                                 data(), "some", events);
    EXPECT_TRUE(net::has_spread(result.report.outcome));
    EXPECT_EQ(told, 1);
}

TEST_F(Payment, IsStoredBeforeItIsAnnouncedAndNotedAfterwards) {
    wallet::Wallet wallet = open();
    auto payment = plan_payment(order(100'000), wallet, data()).value().build();
    sign_payment(*payment, payment->change_index, wallet, wallet.secret(""));
    const chain::Txid txid = payment->transaction.txid();
    int opened = 0;
    AnnouncementEvents events;
    events.on_progress = [&](const net::BroadcastReport&) {
        EXPECT_TRUE(open().transaction(txid)) << "stored, and not locked";
        ++opened;
    };
    const KeepPayment keep = [&](wallet::Wallet& keeper, const wallet::Payment& kept) {
        EXPECT_FALSE(node_has(txid));
        return keeper.keep_payment(kept, net::unix_time_now());
    };
    const auto result =
        deliver_payment(std::move(wallet), *payment, keep, connection_, data(), "some", events);
    ASSERT_TRUE(result);
    EXPECT_TRUE(net::has_spread(result->report.outcome));
    EXPECT_TRUE(node_has(txid));
    EXPECT_GT(opened, 0);
    EXPECT_TRUE(open().spendable_coins().unshown_payments.empty()) << "its change can be spent";
}

TEST_F(Payment, IsNotAnnouncedIfItIsNotStored) {
    wallet::Wallet wallet = open();
    auto payment = plan_payment(order(100'000), wallet, data()).value().build();
    sign_payment(*payment, payment->change_index, wallet, wallet.secret(""));
    const KeepPayment refuse = [](wallet::Wallet&, const wallet::Payment&) { return false; };
    EXPECT_FALSE(deliver_payment(std::move(wallet), *payment, refuse, connection_, data(), "some"));
    EXPECT_FALSE(node_has(payment->transaction.txid()));
    EXPECT_TRUE(deliver_payment(open(), *payment, /*keep=*/{}, connection_, data(), "some"));
    EXPECT_TRUE(node_has(payment->transaction.txid()));
    EXPECT_TRUE(open().transaction(payment->transaction.txid()));
}

TEST_F(Payment, SpendsExactlyTheNamedCoins) {
    const wallet::Wallet wallet = open();
    PaymentOrder named = order(100'000);
    const chain::Outpoint coin = wallet.coins().at(0).outpoint;
    named.coins = {coin};
    const auto plan = plan_payment(named, wallet, data());
    ASSERT_TRUE(plan);
    EXPECT_TRUE(plan->request.spends_all_given);
    EXPECT_EQ(plan->build()->coins.at(0).outpoint, coin);
    named.coins.push_back({coin.txid, coin.index + 100});
    const auto refused = plan_payment(named, wallet, data());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().kind, CoinFault::Kind::not_spendable);
    EXPECT_EQ(refused.error().outpoint, named.coins[1]);
}

TEST_F(Payment, CannotSpendMoreThanThereIs) {
    const auto payment = plan_payment(order(kCoin), open(), data()).value().build();
    ASSERT_FALSE(payment);
    EXPECT_EQ(payment.error().error, wallet::PaymentError::insufficient_funds);
}

// Bitcoin Core: MAX_ANTI_FEE_SNIPING_TIP_AGE
TEST_F(Payment, HasNoLockTimeOfAnOldBlock) {
    EXPECT_EQ(recent_height(open(), data()), std::nullopt) << "the chain is of 2011";
    folder_.create("new", 1);
    EXPECT_EQ(recent_height(folder_.open("new", wallet::Access::read), data()), std::nullopt);
}

TEST_F(Payment, HasTheDefaultRateOrThatOfThePeers) {
    const wallet::Wallet wallet = open();
    const auto usual = choose_rate(wallet, true, data());
    ASSERT_TRUE(usual);
    EXPECT_EQ(usual->source, RateSource::default_rate);
    std::ofstream(data().fee_floor_file())
        << "{\"time\":" << net::unix_time_now() << ",\"sat_per_kvb\":9000}";
    const auto raised = choose_rate(wallet, true, data());
    EXPECT_EQ(raised->source, RateSource::peers);
    EXPECT_EQ(raised->rate, wallet::FeeRate{9'000});
}

TEST_F(Payment, IsReplacedAtAHigherRateThatPeersRelay) {
    wallet::ReplacedPayment replaced;
    replaced.package_rate = wallet::FeeRate{8'000};
    const ChosenRate step = replacement_rate(replaced, data());
    EXPECT_EQ(step.rate, wallet::FeeRate{9'000});
    EXPECT_EQ(step.source, RateSource::replaced);
    replaced.package_rate = wallet::FeeRate{wallet::FeeRate::kMaxSatPerKvb};
    EXPECT_EQ(replacement_rate(replaced, data()).rate, replaced.package_rate);

    std::ofstream(data().fee_floor_file())
        << "{\"time\":" << net::unix_time_now() << ",\"sat_per_kvb\":9500}";
    replaced.package_rate = wallet::FeeRate{8'000};
    EXPECT_EQ(replacement_rate(replaced, data()).rate, wallet::FeeRate{9'500});
    EXPECT_EQ(replacement_rate(replaced, data()).source, RateSource::peers);
    replaced.package_rate = wallet::FeeRate{9'000};
    EXPECT_EQ(replacement_rate(replaced, data()).source, RateSource::replaced);
}

TEST_F(Payment, HasNoRateOnMainnetWithoutAConfirmedPayment) {
    const DataFolder mainnet(data().root(), std::make_shared<const chain::NetworkParams>(
                                                *chain::find_network("mainnet")));
    EXPECT_EQ(choose_rate(open(), true, mainnet).has_value(), false);
}

}  // namespace
}  // namespace petal::client
