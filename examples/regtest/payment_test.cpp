// GoogleTest: a regtest node within the test's process, new for each test. Link petal::net.
#include <gtest/gtest.h>

#include <petal/regtest/serve/embedded_node.h>

class PaymentTest : public testing::Test {
protected:
    static petal::regtest::RegtestChain chain() {
        petal::regtest::RegtestChain chain({1'600'000'000, petal::regtest::PurseKind::p2wpkh});
        chain.mine(120);
        return chain;
    }

    petal::regtest::EmbeddedNode node{{}, chain()};  // node.port() is for the wallet under test
};

TEST_F(PaymentTest, Confirms) {
    const auto script = petal::regtest::RegtestKey::of_number(7).script();
    const auto confirmed = node.with_chain([&](petal::regtest::RegtestChain& chain) {
        const auto txid = chain.pay(script, 50'000'000);
        chain.mine();
        return chain.block_at(chain.height()).txids.at(1) == txid;
    });
    EXPECT_TRUE(confirmed);
}
