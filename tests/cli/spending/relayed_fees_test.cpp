// The fee rate that peers relay at least, in payments after a sync.
#include <gtest/gtest.h>

#include <string>

#include "tests/cli/spending/send_scene.h"

namespace petal::cli {
namespace {

using test::kPayee;
using test::Outcome;

/// A node at two addresses of different network groups.
class FeesThatPeersRelay : public test::SendScene {
protected:
    FeesThatPeersRelay() : test::SendScene(at_every_address()) {
        regtest::NodeBehaviour behaviour;
        behaviour.mempool.least_fee_rate = 3'500;
        node.set_behaviour(behaviour);
    }
    static regtest::ServerOptions at_every_address() {
        regtest::ServerOptions options;
        options.host = "0.0.0.0";
        return options;
    }
    std::string address(const std::string& host) const {
        return host + ':' + std::to_string(node.port());
    }
};

TEST_F(FeesThatPeersRelay, AreThoseOfTwoNetworkGroups) {
    make_wallet();
    const auto shown = [&] { return scene.run({"send", kPayee, "0.001", "--dry-run"}).out; };
    EXPECT_NE(shown().find("1.00 sat/vB, the default"), std::string::npos) << shown();
    ASSERT_EQ(
        scene.run({"sync", "--connect", address("127.0.0.1"), "--connect", address("127.1.0.1")})
            .status,
        ExitStatus::done);
    EXPECT_NE(shown().find("3.50 sat/vB, the least that half of the peers relay"),
              std::string::npos)
        << shown();
    const Outcome asked = send({kPayee, "0.001", "--dry-run", "--fee-rate", "2"});
    EXPECT_EQ(asked.json().at("fee_rate_source"), "asked");
    EXPECT_EQ(asked.json().at("fee_rate_sat_vb"), 2.0);
    const Outcome sent = send({kPayee, "0.001", "--yes"});
    ASSERT_EQ(sent.status, ExitStatus::done) << sent.err;
    EXPECT_EQ(sent.json().at("fee_rate_source"), "peers");
    EXPECT_NEAR(sent.json().at("fee_rate_sat_vb").get<double>(), 3.5, 0.05);
    EXPECT_EQ(mempool_size(), 1U);
}

}  // namespace
}  // namespace petal::cli
