#include "wallet/keys/hmac_sha512.h"

#include <gtest/gtest.h>

#include <string_view>

namespace petal::wallet {
namespace {

using chain::as_bytes;
using chain::Bytes;
using chain::to_hex;

// RFC 4231, test cases 1, 2 and 6.
constexpr std::string_view kCase1 =
    "87aa7cdea5ef619d4ff0b4241a1d6cb02379f4e2ce4ec2787ad0b30545e17cde"
    "daa833b7d6b8a702038b274eaea3f4e4be9d914eeb61f1702e696c203a126854";
constexpr std::string_view kCase2 =
    "164b7a7bfcf819e2e395fbe73b56e0a387bd64222e831fd610270cd7ea250554"
    "9758bf75c05a994a6d034f65f8f0e6fdcaeab1a34d4a6b4b636e070a38bce737";
constexpr std::string_view kCase6 =
    "80b24263c7c1a3ebb71493c1dd7be8b49b46d1f41b4aeec1121b013783f8f352"
    "6b56d037e05f2598bd0fd2215d6a1e5295e64f73f63f0aec8b915a985d786598";

TEST(HmacSha512, MatchesRfc4231) {
    EXPECT_EQ(to_hex(HmacSha512{Bytes(20, 0x0b)}.digest({as_bytes("Hi There")}).view()), kCase1);
    EXPECT_EQ(to_hex(HmacSha512{as_bytes("Jefe")}
                         .digest({as_bytes("what do ya want "), as_bytes("for nothing?")})
                         .view()),
              kCase2);
    EXPECT_EQ(
        to_hex(HmacSha512{Bytes(131, 0xaa)}
                   .digest({as_bytes("Test Using Larger Than Block-Size Key - Hash Key First")})
                   .view()),
        kCase6);
}

TEST(HmacSha512, StartsOverWithTheSameKey) {
    HmacSha512 hmac{Bytes(20, 0x0b)};
    for (int round = 0; round < 3; ++round) {
        EXPECT_EQ(to_hex(hmac.digest({as_bytes("Hi There")}).view()), kCase1);
        EXPECT_NE(to_hex(hmac.digest({as_bytes("Hi There!")}).view()), kCase1);
    }
}

}  // namespace
}  // namespace petal::wallet
