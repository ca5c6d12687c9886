#include "regtest/serve/client_subnet.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <vector>

namespace petal::regtest {
namespace {

struct SubnetCase {
    std::string subnet;
    std::string inside;
    std::string outside;  ///< empty: nothing
};

void PrintTo(const SubnetCase& row, std::ostream* out) {
    *out << row.subnet;
}

class ClientSubnets : public testing::TestWithParam<SubnetCase> {};

TEST_P(ClientSubnets, ContainAddressesWithTheSameBits) {
    const auto subnet = ClientSubnet::parse(GetParam().subnet);
    ASSERT_TRUE(subnet);
    EXPECT_TRUE(subnet->contains(boost::asio::ip::make_address(GetParam().inside)));
    if (GetParam().outside.empty()) return;
    EXPECT_FALSE(subnet->contains(boost::asio::ip::make_address(GetParam().outside)));
}

INSTANTIATE_TEST_SUITE_P(Serve, ClientSubnets,
                         testing::ValuesIn(std::vector<SubnetCase>{
                             {"10.1.2.3", "10.1.2.3", "10.1.2.2"},
                             {"10.1.2.3", "::ffff:10.1.2.3", "::10.1.2.3"},
                             {"10.1.2.3/24", "10.1.2.255", "10.1.3.0"},
                             {"10.1.2.3/25", "10.1.2.127", "10.1.2.128"},
                             {"10.1.2.3/255.255.0.0", "10.1.255.1", "10.2.0.0"},
                             {"10.1.2.3/255.255.254.0", "10.1.3.1", "10.1.4.0"},
                             {"0.0.0.0/0", "1.2.3.4", "::1"},
                             {"::/0", "fe80::1", "1.2.3.4"},
                             {"fe80::/10", "febf::1", "fec0::1"},
                             {"fe80::/ffc0::", "febf::1", "fec0::1"},
                             {"::ffff:10.0.0.0/8", "10.255.0.1", "11.0.0.0"},
                         }));

TEST(ClientSubnet, RefusesOtherText) {
    for (const char* text :
         {"", "x", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/8x", "10.0.0.0/255.0.255.0",
          "10.0.0.0/ffff::", "::/129", "10.0.0.0/8/8", "10.0.0/8", " 10.0.0.0"}) {
        EXPECT_FALSE(ClientSubnet::parse(text)) << text;
    }
}

}  // namespace
}  // namespace petal::regtest
