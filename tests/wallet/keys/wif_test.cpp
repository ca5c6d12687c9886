#include "wallet/keys/wif.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>

#include "tests/support/hex.h"
#include "tests/support/test_data.h"
#include "wallet/keys/base58.h"

namespace petal::wallet {
namespace {

const chain::NetworkParams& network_named(std::string_view name) {
    return *chain::find_network(name);
}

// One private key of BIP381 in both forms.
TEST(Wif, NamesTheKeyAndTheFormOfItsPublicKey) {
    const auto compressed =
        parse_wif("L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1", network_named("mainnet"));
    const auto uncompressed =
        parse_wif("5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss", network_named("mainnet"));
    ASSERT_TRUE(compressed && uncompressed);
    EXPECT_TRUE(compressed->compressed);
    EXPECT_FALSE(uncompressed->compressed);
    EXPECT_EQ(chain::to_hex(compressed->key.view()), chain::to_hex(uncompressed->key.view()));
    EXPECT_EQ(chain::to_hex(compressed->key.public_key().compressed()),
              "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd");
    EXPECT_EQ(chain::to_hex(compressed->key.public_key().uncompressed()),
              "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722"
              "476c7709c02559e3aa73aa03918ba2d492eea75abea235");
}

TEST(Wif, IsWrittenAsItWasRead) {
    for (const auto& [network, text] : {
             std::tuple{"mainnet", "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1"},
             std::tuple{"mainnet", "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss"},
             std::tuple{"regtest", "cVDJUtDjdaM25yNVVDLLX3hcHUfth4c7tY3rSc4hy9e8ibtCuj6G"},
         }) {
        const auto key = parse_wif(text, network_named(network));
        ASSERT_TRUE(key) << text;
        EXPECT_EQ(std::string_view{to_wif(*key, network_named(network))}, text);
    }
}

// Bitcoin Core's key_io_valid.json and key_io_invalid.json.
TEST(Wif, IsReadAsBitcoinCoreReadsIt) {
    const auto valid = test::read_test_json("vectors/key_io_valid.json");
    const auto invalid = test::read_test_json("vectors/key_io_invalid.json");
    if (!valid || !invalid) GTEST_SKIP() << test::kNoTestData;
    std::size_t keys = 0;
    for (const auto& row : *valid) {
        if (!row[2]["isPrivkey"].get<bool>()) continue;
        ++keys;
        const bool main = row[2]["chain"].get<std::string>() == "main";
        const auto text = row[0].get<std::string>();
        const auto key = parse_wif(text, network_named(main ? "mainnet" : "testnet3"));
        ASSERT_TRUE(key) << text;
        EXPECT_EQ(chain::to_hex(key->key.view()), row[1].get<std::string>());
        EXPECT_EQ(key->compressed, row[2]["isCompressed"].get<bool>());
        const auto foreign = parse_wif(text, network_named(main ? "testnet3" : "mainnet"));
        ASSERT_FALSE(foreign) << text;
        EXPECT_EQ(foreign.error(), WifError::wrong_network);
    }
    EXPECT_GT(keys, 10U);
    for (const auto& row : *invalid) {
        for (const char* network : {"mainnet", "testnet3"}) {
            EXPECT_FALSE(parse_wif(row[0].get<std::string>(), network_named(network)));
        }
    }
}

std::string wif_of(std::string_view payload_hex) {
    return encode_base58check(test::bytes_from_hex(payload_hex));
}

TEST(Wif, IsRefusedForItsReason) {
    const std::string key = test::repeat("11", 32);
    const std::string order = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
    for (const auto& [text, error] : {
             std::tuple{wif_of("80" + key + "02"), WifError::wrong_length},
             std::tuple{wif_of("80" + key.substr(2)), WifError::wrong_length},
             std::tuple{wif_of("80" + key + "0101"), WifError::wrong_length},
             std::tuple{wif_of("80"), WifError::wrong_length},
             std::tuple{std::string{}, WifError::wrong_length},
             std::tuple{wif_of("00" + key + "01"), WifError::not_a_private_key},
             std::tuple{wif_of("ef" + key + "01"), WifError::wrong_network},
             std::tuple{wif_of("80" + order + "01"), WifError::key_out_of_range},
             std::tuple{wif_of("80" + test::repeat("00", 32)), WifError::key_out_of_range},
             std::tuple{std::string{"0L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY"},
                        WifError::not_base58},
             std::tuple{std::string{"L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY2"},
                        WifError::wrong_checksum},
         }) {
        const auto parsed = parse_wif(text, network_named("mainnet"));
        ASSERT_FALSE(parsed) << text;
        EXPECT_EQ(describe(parsed.error()), describe(error)) << text;
    }
}

TEST(PublicKey, ReadsUncompressedKeysButNoHybridOnes) {
    const std::string point =
        "a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709"
        "c02559e3aa73aa03918ba2d492eea75abea235";
    const auto parse = [](const std::string& hex) {
        return PublicKey::parse_uncompressed(test::bytes_from_hex(hex));
    };
    ASSERT_TRUE(parse("04" + point));
    EXPECT_EQ(chain::to_hex(parse("04" + point)->uncompressed()), "04" + point);
    for (const std::string& other :
         {"06" + point, "07" + point, "04" + point + "00", "04" + point.substr(2),
          "04" + point.substr(0, 126) + "36", "03" + point.substr(0, 64), std::string{}}) {
        EXPECT_FALSE(parse(other)) << other;
    }
}

}  // namespace
}  // namespace petal::wallet
