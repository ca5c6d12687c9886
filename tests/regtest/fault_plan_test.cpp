#include "regtest/fault_plan.h"

#include <gtest/gtest.h>

#include <array>

#include "tests/regtest/regtest_peer.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

/// A fault that applies to transactions which pay or spend one script, on a chain that grows.
class FaultsOfAScript : public testing::Test {
protected:
    FaultsOfAScript() { chain.pay(script(9), 1'000); }

    /// Whether the fault applies to a transaction that spends an output of `payment`.
    bool strikes_at_spend_of(const chain::Txid& payment) {
        const std::array coins{chain::Outpoint{payment, 0}};
        const auto spend = test::make_spend(chain, coins, {{500, script(9)}});
        return plan.strike(FaultKind::omit_match, spend, spend.txid()) != nullptr;
    }

    RegtestChain chain;
    FaultPlan plan{chain, {{.kind = FaultKind::omit_match, .script = script(1)}}};
};

TEST_F(FaultsOfAScript, StrikeWhenTheScriptIsPaidOrSpent) {
    const auto payment = chain.make_payment({{1'000, script(1)}});
    EXPECT_TRUE(plan.strike(FaultKind::omit_match, payment, payment.txid()));
    chain.mine_block({payment});
    const auto other = chain.pay(script(2), 1'000);
    chain.mine(2);
    EXPECT_TRUE(strikes_at_spend_of(payment.txid()));
    EXPECT_FALSE(strikes_at_spend_of(other));
}

TEST_F(FaultsOfAScript, StrikeAtSpendsOfLaterPayments) {
    const auto first = chain.pay(script(1), 1'000);
    chain.mine();
    EXPECT_TRUE(strikes_at_spend_of(first));
    const auto second = chain.pay(script(1), 2'000);
    chain.mine(3);
    EXPECT_TRUE(strikes_at_spend_of(second));
    EXPECT_TRUE(strikes_at_spend_of(first)) << "the fault still applies";
}

TEST_F(FaultsOfAScript, StrikeAtSpendsOfPaymentsInAnotherBranch) {
    const auto other = chain.pay(script(2), 1'000);
    chain.mine(3);
    EXPECT_FALSE(strikes_at_spend_of(other));
    const auto payment = chain.make_payment({{1'000, script(1)}});
    chain.reorganise_with(chain.height() - 2, {payment});
    EXPECT_TRUE(strikes_at_spend_of(payment.txid()));
}

}  // namespace
}  // namespace petal::regtest
