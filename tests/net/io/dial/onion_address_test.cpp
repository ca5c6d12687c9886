#include "net/io/dial/onion_address.h"

#include <gtest/gtest.h>

#include "net/io/dial/endpoint.h"

namespace petal::net {
namespace {

// Tor: rend-spec-v3, section 6 ("Encoding onion addresses").
constexpr const char* kNames[] = {
    "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion",
    "sp3k262uwy4r2k3ycr5awluarykdpag6a7y33jxop4cs2lu5uz5sseqd.onion",
    "xa4r2iadxm55fbnqgwwi5mymqdcofiu3w6rpbtqn7b2dyn7mgwj64jyd.onion",
};
// Bitcoin Core: net_tests.cpp, the key of the first one as addrv2 carries it.
constexpr const char* kFirstKey =
    "79bcc625184b05194975c28b66b66b0469f7f6556fb1ac3189a79b40dda32f1f";

TEST(OnionAddress, ReadsAndWritesTorsExamples) {
    for (const char* name : kNames) {
        const auto key = parse_onion(name);
        ASSERT_TRUE(key.has_value()) << name;
        EXPECT_EQ(onion_name(*key), name);
    }
    EXPECT_EQ(chain::to_hex(*parse_onion(kNames[0])), kFirstKey);
}

TEST(OnionAddress, IsReadInEitherCase) {
    std::string name = kNames[0];
    for (char& c : name) c = static_cast<char>(std::toupper(c));
    EXPECT_EQ(parse_onion(name), parse_onion(kNames[0]));
    EXPECT_EQ(parse_endpoint(name + ":8333", 1)->host, kNames[0]);
}

TEST(OnionAddress, RefusesEverySingleWrongLetter) {
    const std::string name = kNames[1];
    for (std::size_t i = 0; i < name.size() - 6; ++i) {
        std::string wrong = name;
        wrong[i] = wrong[i] == 'a' ? 'b' : 'a';
        EXPECT_FALSE(parse_onion(wrong).has_value()) << wrong;
        wrong[i] = '1';
        EXPECT_FALSE(parse_onion(wrong).has_value()) << wrong;
    }
}

TEST(OnionAddress, RefusesOtherLengthsAndOldVersions) {
    const std::string name = kNames[2];
    EXPECT_FALSE(parse_onion(name.substr(1)).has_value());
    EXPECT_FALSE(parse_onion("a" + name).has_value());
    EXPECT_FALSE(parse_onion(".onion").has_value());
    EXPECT_FALSE(parse_onion("expyuzz4wqqyqhjn.onion").has_value()) << "version 2";
    EXPECT_FALSE(parse_onion(name.substr(0, 56)).has_value()) << "no .onion";
    EXPECT_EQ(parse_endpoint("expyuzz4wqqyqhjn.onion", 1).error(), EndpointError::bad_onion);
    EXPECT_EQ(parse_endpoint(name + ".", 1).error(), EndpointError::bad_onion);
}

TEST(OnionAddress, KnowsWhichNamesDnsMustNotSee) {
    EXPECT_TRUE(is_onion_name("expyuzz4wqqyqhjn.onion"));
    EXPECT_TRUE(is_onion_name("some.ONION"));
    EXPECT_TRUE(is_onion_name("some.onion."));
    EXPECT_FALSE(is_onion_name("onion"));
    EXPECT_FALSE(is_onion_name("."));
    EXPECT_FALSE(is_onion_name("a.onion.example"));
}

}  // namespace
}  // namespace petal::net
