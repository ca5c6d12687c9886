#include <gtest/gtest.h>

#include <chrono>
#include <functional>
#include <future>

#include "cli/options/option_values.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using test::Outcome;
using test::Scene;

constexpr chain::Satoshis kPayment = 100'000'000;

/// A data folder with a wallet, and a node whose block 150 pays its first address 1 BTC.
class WaitCommand : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(scene_.run({"create"}).status, ExitStatus::done);
        address_ = scene_.run({"receive", "--new", "--json"}).json().at("address");
        node_.with_chain([](regtest::RegtestChain& chain) { chain.mine(148); });
        pay();  // the first payment of a chain mines one more block
        ASSERT_EQ(node_.with_chain([](regtest::RegtestChain& chain) { return chain.height(); }),
                  150U);
    }

    /// Mines a block that pays the address 1 BTC.
    void pay() {
        const auto script = *wallet::parse_address(address_, *chain::find_network("regtest"));
        node_.with_chain([&](regtest::RegtestChain& chain) {
            chain.mine_block({chain.make_payment({{kPayment, script}})});
        });
    }

    std::uint32_t mine_one() {
        return node_.with_chain([](regtest::RegtestChain& chain) {
            chain.mine(1);
            return chain.height();
        });
    }

    Outcome wait(std::vector<std::string> options) const {
        options.insert(options.begin(), {"wait", "--json", "--connect", endpoint_});
        return scene_.run(options);
    }

    std::string last_txid() const { return last_transaction().at("txid"); }
    Json last_transaction() const {
        return scene_.run({"history", "--json"}).json().at("transactions")[0];
    }

    /// Runs `petal wait`, and calls `happen` once it has synced one more block and goes on waiting.
    Outcome wait_meanwhile(std::vector<std::string> options, const std::function<void()>& happen) {
        options.insert(options.end(), {"--timeout", "60"});
        const std::uint32_t height = mine_one();
        auto waiting = std::async(std::launch::async, [this, &options] { return wait(options); });
        const auto has_ended = [&waiting] {
            return waiting.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
        };
        while (!has_ended() &&
               scene_.run({"info", "--json"}).json().at("synced_height") != height) {
        }
        EXPECT_FALSE(has_ended()) << options[0];
        happen();
        return waiting.get();
    }

    Scene scene_;
    regtest::EmbeddedNode node_;
    const std::string endpoint_ = to_string(node_.endpoint());
    std::string address_;
};

TEST_F(WaitCommand, WaitsUntilSomethingHasHappened) {
    const auto mine = [this] { mine_one(); };
    const Outcome height = wait_meanwhile({"--height", "152"}, mine);
    EXPECT_EQ(height.status, ExitStatus::done) << height.err;
    EXPECT_EQ(height.json().at("height"), 152);
    // The payment in block 150 has four confirmations at block 153, at which the wait starts.
    const std::string txid = last_txid();
    const Outcome confirmed = wait_meanwhile({"--tx", txid, "--conf", "5"}, mine);
    EXPECT_EQ(confirmed.json().at("confirmations"), 5);
    const Outcome paid =
        wait_meanwhile({"--address", address_, "--amount", "2"}, [this] { pay(); });
    EXPECT_EQ(paid.json().at("received_sat"), 2 * kPayment);
    EXPECT_EQ(paid.json().at("unconfirmed_sat"), 0);
    // The second payment has two confirmations at the block at which the wait starts.
    const Outcome deep =
        wait_meanwhile({"--address", address_, "--amount", "2", "--conf", "3"}, mine);
    EXPECT_EQ(deep.json().at("received_sat"), 2 * kPayment);
    EXPECT_EQ(last_transaction().at("confirmations"), 3);
}

TEST_F(WaitCommand, SaysHowMuchIsUnconfirmed) {
    const auto script = *wallet::parse_address(address_, *chain::find_network("regtest"));
    node_.with_chain([&](regtest::RegtestChain& chain) {
        chain.submit(chain.make_payment({{kPayment, script}}));
    });
    const Outcome paid = wait({"--address", address_, "--amount", "2", "--timeout", "60"});
    EXPECT_EQ(paid.json().at("received_sat"), 2 * kPayment);
    EXPECT_EQ(paid.json().at("unconfirmed_sat"), kPayment);
    const Outcome text =
        scene_.run({"wait", "--connect", endpoint_, "--address", address_, "--amount", "2"});
    EXPECT_EQ(text.out, address_ +
                            " has received 2.00000000 BTC, 1.00000000 of it unconfirmed and not "
                            "proven\n");
}

TEST_F(WaitCommand, EndsAtOnceIfFulfilledOrElseAtTheTimeout) {
    const Outcome paid = wait({"--address", address_, "--amount", "1", "--conf", "1"});
    EXPECT_EQ(paid.status, ExitStatus::done) << paid.err;
    EXPECT_EQ(paid.json().at("received_sat"), kPayment);
    const std::string txid = last_txid();
    EXPECT_EQ(wait({"--tx", txid}).json().at("confirmations"), 1);
    EXPECT_EQ(wait({"--height", "150"}).json().at("height"), 150);

    const std::string unknown(64, 'a');
    const std::vector<std::pair<std::vector<std::string>, std::string>> missing{
        {{"--tx", txid, "--conf", "2"}, "transaction " + txid + " has 1 of 2 confirmations"},
        {{"--tx", unknown}, "transaction " + unknown + " is not in the wallet"},
        {{"--height", "151"}, "the last block is 150, not 151"},
        {{"--address", address_, "--amount", "1.1"},
         address_ + " has received 1.00000000 of 1.10000000 BTC;"},
        {{"--address", address_, "--amount", "1", "--conf", "2"},
         address_ + " has received 0.00000000 of 1.00000000 BTC with 2 confirmations or more"}};
    for (const auto& [options, reason] : missing) {
        std::vector<std::string> limited = options;
        limited.insert(limited.end(), {"--timeout", "1"});
        const Outcome late = wait(limited);
        EXPECT_EQ(late.status, ExitStatus::no_peer) << options[0];
        EXPECT_EQ(late.code(), "timed-out");
        EXPECT_NE(late.err.find(reason), std::string::npos) << late.err;
    }
    EXPECT_EQ(wait({}).status, ExitStatus::usage);
    EXPECT_EQ(wait({"--height", "1", "--tx", txid}).status, ExitStatus::usage);
    EXPECT_EQ(wait({"--height", "1", "--conf", "1"}).status, ExitStatus::usage);
    EXPECT_EQ(wait({"--address", "bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080"}).code(),
              "not-in-wallet");
}

TEST_F(WaitCommand, DoesNotCountTheHeightOfAChainThatNoPeerHas) {
    ASSERT_EQ(wait({"--height", "150"}).status, ExitStatus::done);
    regtest::EmbeddedNode other;
    other.with_chain([](regtest::RegtestChain& mined) { mined.mine(120, chain::Bytes{0x52}); });
    for (const char* height : {"130", "200"}) {
        const Outcome late = scene_.run({"wait", "--json", "--connect", to_string(other.endpoint()),
                                         "--height", height, "--timeout", "1"});
        EXPECT_EQ(late.status, ExitStatus::no_peer) << height;
        EXPECT_EQ(late.code(), "timed-out");
        EXPECT_NE(late.err.find("stays at block 150, as no peer has the stored chain: "),
                  std::string::npos)
            << late.err;
        EXPECT_NE(late.err.find(" headers reset` forgets the stored one\n"), std::string::npos)
            << late.err;
    }
}

TEST_F(WaitCommand, SaysWhatANodeWithoutFiltersNeedsAndTakesItsFullBlocks) {
    regtest::NodeBehaviour plain;
    plain.services &= ~net::kNodeBloom;
    node_.set_behaviour(plain);
    const Outcome late = wait({"--height", "150", "--timeout", "1"});
    EXPECT_EQ(late.code(), "timed-out");
    EXPECT_NE(late.err.find("warning: " + endpoint_ + " does not serve"), std::string::npos)
        << late.err;
    for (const char* help : {"-peerbloomfilters=1", "-whitelist=bloomfilter@", "--source auto"}) {
        EXPECT_NE(late.err.find(help), std::string::npos) << late.err;
        EXPECT_NE(late.json().at("error").at("message").get<std::string>().find(help),
                  std::string::npos);
    }
    EXPECT_EQ(wait({"--height", "150", "--full-blocks"}).status, ExitStatus::done);
}

}  // namespace
}  // namespace petal::cli
