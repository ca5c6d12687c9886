#include "net/discovery/dns_seed_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "chain/network_params.h"

namespace petal::net {
namespace {

using Names = std::vector<std::string>;

TEST(DnsSeedList, AsksForNodesThatServeFiltersFirst) {
    EXPECT_EQ(dns_seed_names("signet"),
              (Names{"xd.seed.signet.bitcoin.sprovoost.nl", "xd.seed.signet.achownodes.xyz",
                     "x5.seed.signet.bitcoin.sprovoost.nl", "x5.seed.signet.achownodes.xyz",
                     "x40c.seed.signet.achownodes.xyz", "seed.signet.bitcoin.sprovoost.nl",
                     "seed.signet.achownodes.xyz"}));
}

TEST(DnsSeedList, AsksASeedWithoutLabelsPlainlyAlone) {
    const auto names = dns_seed_names("mainnet");
    const auto of_seed = [](const std::string& name) {
        return name.ends_with("dnsseed.bluematt.me");
    };
    EXPECT_EQ(std::ranges::count_if(names, of_seed), 1);
    EXPECT_EQ(names.back(), "dnsseed.bluematt.me");
}

TEST(DnsSeedList, HasNamesForEveryNetworkButRegtest) {
    for (const char* network : {"mainnet", "testnet3", "testnet4", "signet"}) {
        ASSERT_NE(chain::find_network(network), nullptr);
        const auto names = dns_seed_names(network);
        EXPECT_GE(names.size(), 6U) << network;
        EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size()) << network;
    }
    EXPECT_TRUE(dns_seed_names("regtest").empty());
    EXPECT_TRUE(dns_seed_names("other").empty());
}

TEST(DnsSeedList, ReadsTheServicesThatALabelAsksFor) {
    EXPECT_EQ(services_asked_of("xd.seed.example.org"), 0xdU);
    EXPECT_EQ(services_asked_of("x40c.seed.example.org"), 0x40cU);
    for (const char* plain :
         {"seed.example.org", "x.seed.org", "xylophone.org", "x5", "", "x5g.a"}) {
        EXPECT_EQ(services_asked_of(plain), 0U) << plain;
    }
}

}  // namespace
}  // namespace petal::net
