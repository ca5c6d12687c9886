// Payments that the wallet builds and signs, which nodes take, mine and verify: of every type,
// against each kind of server.
#include <gtest/gtest.h>

#include <random>

#include "tests/integration/scenario.h"
#include "wallet/spending/payment.h"

namespace petal::test {
namespace {

using wallet::ScriptKind;

class PaymentScenario : public Scenario {
protected:
    wallet::PaymentRequest request_of(chain::Satoshis amount) const {
        wallet::PaymentRequest request;
        request.recipients = {{World::script(), amount}};
        request.fee_rate = wallet::FeeRate{2'000};
        request.tip_height = server->height();
        return request;
    }

    /// Builds, signs and keeps it, hands it to the node's mempool, mines it, and syncs.
    wallet::Payment make_payment(wallet::PaymentRequest request) {
        wallet::Payment payment;
        {
            auto wallet = client.open(wallet::Access::change);
            request.change = wallet.change_for({});
            const auto coins = wallet.spendable_coins().coins;
            payment = wallet::build_payment(request, coins, [this] { return random_(); }).value();
            wallet.sign(payment.transaction, payment.coins, wallet.seed(""), {});
            EXPECT_TRUE(wallet.keep_payment(payment.transaction, 1));
        }
        server->submit(payment.transaction);
        mine({payment.transaction});
        sync_and_expect_truth();
        return payment;
    }

private:
    std::mt19937_64 random_{20'261'123};
};

TEST_P(PaymentScenario, AreTakenAndMined) {
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

INSTANTIATE_TEST_SUITE_P(Servers, PaymentScenario,
                         testing::Values(Setting{NodeKind::embedded, ScriptKind::wpkh},
                                         Setting{NodeKind::embedded, ScriptKind::pkh},
                                         Setting{NodeKind::embedded, ScriptKind::sh_wpkh},
                                         Setting{NodeKind::embedded, ScriptKind::tr},
                                         Setting{NodeKind::bcoin, ScriptKind::wpkh},
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
