#include "net/discovery/dns_seed_list.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "chain/network_params.h"
#include "net/wire/messages.h"

namespace petal::net {
namespace {

using Names = std::vector<std::string>;

constexpr std::uint64_t kBloom = kNodeNetwork | kNodeBloom;
constexpr std::uint64_t kCompact = kNodeNetwork | kNodeCompactFilters;

TEST(DnsSeedList, AsksForNodesWithTheServicesFirst) {
    EXPECT_EQ(dns_seed_names("testnet4", kBloom),
              (Names{"xd.seed.testnet4.bitcoin.sprovoost.nl", "xd.seed.testnet4.wiz.biz",
                     "x5.seed.testnet4.bitcoin.sprovoost.nl", "x5.seed.testnet4.wiz.biz",
                     "x40c.seed.testnet4.bitcoin.sprovoost.nl", "x40c.seed.testnet4.wiz.biz",
                     "seed.testnet4.bitcoin.sprovoost.nl", "seed.testnet4.wiz.biz"}));
    EXPECT_EQ(dns_seed_names("testnet4", kCompact),
              (Names{"x49.seed.testnet4.bitcoin.sprovoost.nl", "x49.seed.testnet4.wiz.biz",
                     "x448.seed.testnet4.bitcoin.sprovoost.nl", "x448.seed.testnet4.wiz.biz",
                     "seed.testnet4.bitcoin.sprovoost.nl", "seed.testnet4.wiz.biz"}));
    const Names all{"seed.signet.bitcoin.sprovoost.nl", "seed.signet.achownodes.xyz"};
    EXPECT_EQ(dns_seed_names("signet", kNodeNetwork), all);
    EXPECT_EQ(dns_seed_names("signet", 0), all);
    EXPECT_EQ(dns_seed_names("signet", kBloom | kCompact), all) << "no label has both";
}

TEST(DnsSeedList, AsksASeedOnlyForLabelsThatItAnswers) {
    const auto labels_of = [](std::string_view seed, std::uint64_t services) {
        Names labels;
        for (const std::string& name : dns_seed_names("mainnet", services)) {
            if (name.ends_with(seed)) labels.push_back(name.substr(0, name.size() - seed.size()));
        }
        return labels;
    };
    EXPECT_EQ(labels_of("dnsseed.bluematt.me", kBloom), Names{""});
    EXPECT_EQ(labels_of("seed.btc.petertodd.net", kBloom), (Names{"xd.", "x5.", ""}));
    EXPECT_EQ(labels_of("seed.btc.petertodd.net", kCompact), Names{""});
    EXPECT_EQ(labels_of("seed.bitcoin.wiz.biz", kCompact), (Names{"x49.", "x448.", ""}));
}

TEST(DnsSeedList, HasNamesForEveryNetworkButRegtest) {
    for (const char* network : {"mainnet", "testnet3", "testnet4", "signet"}) {
        ASSERT_NE(chain::find_network(network), nullptr);
        const auto names = dns_seed_names(network, kBloom);
        EXPECT_GE(names.size(), 6U) << network;
        EXPECT_EQ(std::set(names.begin(), names.end()).size(), names.size()) << network;
    }
    EXPECT_TRUE(dns_seed_names("regtest", kBloom).empty());
    EXPECT_TRUE(dns_seed_names("other", kBloom).empty());
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
