#include "wallet/keys/filter_secret.h"

#include <gtest/gtest.h>

#include "chain/network_params.h"

namespace petal::wallet {
namespace {

/// The keys of BIP32's test vector 1: m and m/0'.
constexpr std::string_view kMaster =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7"
    "usUDFdp6W1EGMcet8";
constexpr std::string_view kChild =
    "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5sk"
    "i"
    "8PX9rL2dZXvgGDnw";

chain::Bytes secret_of(std::string_view account) {
    const auto key = ExtendedPublicKey::parse(account, *chain::find_network("mainnet"));
    const auto secret = filter_secret(key.value());
    return {secret.begin(), secret.end()};
}

// Computed with Python's hmac by RFC 5869.
TEST(FilterSecret, IsTheSameForEver) {
    EXPECT_EQ(chain::to_hex(secret_of(kMaster)),
              "0a49805a634ca8719232a836b1bfd0541b796521ab1873fb96f6ab425f4b6fa8");
}

TEST(FilterSecret, DiffersFromAccountToAccount) {
    EXPECT_EQ(chain::to_hex(secret_of(kChild)),
              "9831135c78a5ab57b59dd8500b4a63763628195943fa2a321f998f0d76c46478");
}

}  // namespace
}  // namespace petal::wallet
