#include "net/io/dial/known_port.h"

#include <gtest/gtest.h>

#include <string>

namespace petal::net {
namespace {

struct PortCase {
    std::uint16_t port;
    PortUse use;
    std::string network;

    friend void PrintTo(const PortCase& row, std::ostream* out) { *out << row.port; }
};

class KnownPorts : public testing::TestWithParam<PortCase> {};

TEST_P(KnownPorts, HaveAUseAndANetwork) {
    const auto known = known_port(GetParam().port);
    ASSERT_TRUE(known);
    EXPECT_EQ(known->use, GetParam().use);
    EXPECT_EQ(known->network ? known->network->name : "", GetParam().network);
}

// Bitcoin Core: kernel/chainparams.cpp, chainparamsbase.cpp, doc/zmq.md.
INSTANTIATE_TEST_SUITE_P(All, KnownPorts,
                         testing::Values(PortCase{8333, PortUse::peers, "mainnet"},
                                         PortCase{18444, PortUse::peers, "regtest"},
                                         PortCase{8332, PortUse::rpc, "mainnet"},
                                         PortCase{18332, PortUse::rpc, "testnet3"},
                                         PortCase{48332, PortUse::rpc, "testnet4"},
                                         PortCase{38332, PortUse::rpc, "signet"},
                                         PortCase{18443, PortUse::rpc, "regtest"},
                                         PortCase{28332, PortUse::zmq, ""},
                                         PortCase{50002, PortUse::electrum, "mainnet"},
                                         PortCase{9050, PortUse::tor_socks, ""},
                                         PortCase{9051, PortUse::tor_control, ""}));

TEST(KnownPort, IsNoOtherPort) {
    const std::initializer_list<std::uint16_t> others{0, 80, 8331, 8334, 65535};
    for (const std::uint16_t port : others) {
        EXPECT_FALSE(known_port(port)) << port;
    }
}

}  // namespace
}  // namespace petal::net
