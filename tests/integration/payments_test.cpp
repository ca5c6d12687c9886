// Payments that the wallet builds and signs. Each kind of node must accept, mine and verify them.
#include <gtest/gtest.h>

#include <random>

#include "chain/script/script.h"
#include "tests/integration/scenario.h"
#include "wallet/fee_bumper.h"
#include "wallet/spending/payment.h"

namespace petal::test {
namespace {

class PaymentScenario : public Scenario {
protected:
    wallet::PaymentRequest request_of(chain::Satoshis amount) const {
        wallet::PaymentRequest request;
        request.recipients = {{World::script(), amount}};
        request.fee_rate = wallet::FeeRate{2'000};
        request.tip_height = server->height();
        return request;
    }

    wallet::Payment build(const wallet::Wallet& wallet, const wallet::PaymentRequest& request,
                          const std::vector<wallet::InputCoin>& coins) {
        auto payment = wallet::build_payment(request, coins, [this] { return random_(); }).value();
        wallet.sign(payment.transaction, payment.coins, wallet.secret(""), {});
        return payment;
    }

    /// Builds, signs and keeps the payment, and submits it to the node's mempool.
    wallet::Payment submit_payment(wallet::PaymentRequest request) {
        auto wallet = client.open(wallet::Access::change);
        request.change = wallet.change_for(request.recipients);
        auto payment = build(wallet, request, wallet.spendable_coins().coins);
        EXPECT_TRUE(wallet.keep_payment(payment, 1));
        server->submit(payment.transaction);
        wallet.mark_shown(payment.transaction.txid());
        return payment;
    }

    /// submit_payment(), then mines the payment and syncs.
    wallet::Payment make_payment(wallet::PaymentRequest request) {
        wallet::Payment payment = submit_payment(std::move(request));
        mine({payment.transaction});
        sync_and_expect_truth();
        return payment;
    }

    /// Replaces an unconfirmed payment (BIP125), also in the node's mempool if the node supports
    /// it.
    wallet::Payment replace(const wallet::Payment& old) {
        const chain::Txid txid = old.transaction.txid();
        auto wallet = client.open(wallet::Access::change);
        auto request = wallet::FeeBumper(wallet).replacement_of(txid).value();
        request.fee_rate = wallet::FeeRate{5'000};
        auto payment = build(wallet, request, wallet.spendable_coins().coins);
        EXPECT_TRUE(wallet::FeeBumper(wallet).keep_replacement(payment, txid, 1));
        if (server->replaces_in_mempool()) {
            server->submit(payment.transaction);
            wallet.mark_shown(payment.transaction.txid());
        }
        return payment;
    }

    /// Pays for an unconfirmed receipt with a child, also in the node's mempool.
    wallet::Payment pay_for(const chain::Transaction& receipt) {
        auto wallet = client.open(wallet::Access::change);
        auto child = wallet::FeeBumper(wallet).child_of(receipt.txid()).value();
        child.request.fee_rate = wallet::FeeRate{20'000};
        auto payment = build(wallet, child.request, child.coins);
        EXPECT_TRUE(wallet.keep_payment(payment, 1));
        server->submit(payment.transaction);
        wallet.mark_shown(payment.transaction.txid());
        return payment;
    }

private:
    std::mt19937_64 random_{20'261'123};
};

/// A node verifies the signatures of each type.
class PaymentOfType : public PaymentScenario {};

TEST_P(PaymentOfType, IsTakenAndMined) {
    mine({pay(0), pay(1), pay(2)});
    mine({pay(2), pay(3)});
    sync_and_expect_truth();

    const auto paid = make_payment(request_of(kCoin + kCoin / 2));
    EXPECT_TRUE(paid.change_index);
    EXPECT_GE(paid.coins.size(), 2U);

    wallet::PaymentRequest subtracting = request_of(kCoin / 2);
    subtracting.recipients_pay_fee = true;
    const auto subtracted = make_payment(subtracting);
    EXPECT_EQ(subtracted.paid(), kCoin / 2 - subtracted.fee);

    wallet::PaymentRequest all = request_of(0);
    all.recipients.front().takes_rest = true;
    make_payment(all);
    EXPECT_EQ(client.open().balance().total(), 0);
}

TEST_P(PaymentScenario, AreReplacedFromChangeAndFromFurtherCoins) {
    mine({pay(0), pay(1)});
    sync_and_expect_truth();
    const auto old = submit_payment(request_of(kCoin / 2));
    ASSERT_TRUE(old.change_index);
    const auto replacement = replace(old);
    EXPECT_EQ(replacement.coins.size(), old.coins.size());
    mine({replacement.transaction});
    sync();
    std::vector<Replaced> replaced{{old.transaction, replacement.transaction.txid()}};
    TrueLedger(*server, owner, {}, replaced).expect_equals(client.open());

    wallet::PaymentRequest all = request_of(0);
    all.recipients.front().takes_rest = true;
    const auto changeless = submit_payment(all);
    mine({pay(2)});
    sync();
    const auto larger = replace(changeless);
    EXPECT_EQ(larger.coins.size(), changeless.coins.size() + 1);
    EXPECT_EQ(larger.paid(), changeless.paid());
    mine({larger.transaction});
    sync();
    replaced.push_back({changeless.transaction, larger.transaction.txid()});
    TrueLedger(*server, owner, {}, replaced).expect_equals(client.open());
}

TEST_P(PaymentScenario, PayForReceiptsByAChild) {
    mine({pay(0)});
    sync_and_expect_truth();
    const auto receipt = pay(1);
    server->submit(receipt);
    listen_until_seen(1);
    const auto child = pay_for(receipt);
    EXPECT_EQ(child.coins.front().outpoint.txid, receipt.txid());
    mine({receipt, child.transaction});
    sync_and_expect_truth();
}

TEST_P(PaymentScenario, PayAddressesOfEveryType) {
    mine({pay(0), pay(1), pay(2), pay(3)});
    sync_and_expect_truth();
    const chain::Bytes program(32, 7);
    std::vector<chain::Bytes> scripts{
        chain::p2pkh_script({7}), chain::p2sh_script({7}), chain::p2wpkh_script({7}),
        chain::witness_program_script(0, program), chain::witness_program_script(1, program)};
    // For bcoin, an output with a later witness version is not standard.
    if (GetParam().node != NodeKind::bcoin) {
        scripts.push_back(chain::witness_program_script(16, program));
    }
    wallet::PaymentRequest request = request_of(kCoin);
    for (const chain::Bytes& script : scripts) request.recipients.push_back({script, kCoin / 4});
    const auto paid = make_payment(request);
    EXPECT_EQ(paid.transaction.outputs.size(), scripts.size() + 2);
}

INSTANTIATE_TEST_SUITE_P(Servers, PaymentScenario, testing::ValuesIn(kServers), suffix_of);
INSTANTIATE_TEST_SUITE_P(Servers, PaymentOfType, testing::ValuesIn(kServersOfEachType), suffix_of);

}  // namespace
}  // namespace petal::test
