#include "cli/filter/input/element.h"

#include <gtest/gtest.h>

#include <ostream>
#include <string>

namespace petal::cli {
namespace {

const chain::NetworkParams& network(std::string_view name) {
    return *chain::find_network(name);
}

struct GoodElement {
    const char* name;
    const char* network;
    const char* text;
    const char* hex;
};
void PrintTo(const GoodElement& row, std::ostream* out) {
    *out << row.name;
}

class GoodElements : public testing::TestWithParam<GoodElement> {};

TEST_P(GoodElements, AreWhatAServerTests) {
    const auto element = parse_element(GetParam().text, network(GetParam().network));
    ASSERT_TRUE(element) << describe(element.error());
    EXPECT_EQ(chain::to_hex(*element), GetParam().hex);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(All, GoodElements, testing::Values(
    GoodElement{"bytes", "mainnet", "99108ad8ed9bb6274d3980bab5a85c048f0950c8",
                "99108ad8ed9bb6274d3980bab5a85c048f0950c8"},
    GoodElement{"forced bytes", "mainnet", "hex:AB", "ab"},
    // BIP173: the P2WPKH addresses of the key 0279be66…1798 on both networks.
    GoodElement{"P2WPKH", "mainnet", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
                "751e76e8199196d454941c45d1b3a323f1433bd6"},
    GoodElement{"P2WPKH of a test network", "testnet4", "tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx",
                "751e76e8199196d454941c45d1b3a323f1433bd6"},
    // The P2PKH address of the same key.
    GoodElement{"P2PKH", "mainnet", "1BgGZ9tcN4rm9KBzDn7KprQz87SZ26SAMH",
                "751e76e8199196d454941c45d1b3a323f1433bd6"},
    GoodElement{"text", "mainnet", " text:https://a.example/?q=a b ",
                "68747470733a2f2f612e6578616d706c652f3f713d612062"},
    GoodElement{"txid", "mainnet", "txid:b4749f017444b051c44dfd2720e88f314ff94f3dd6d56d40ef65854fcd7fff6b",
                "6bff7fcd4f8565ef406dd5d63d4ff94f318fe82027fd4dc451b04474019f74b4"},
    GoodElement{"outpoint", "mainnet", "90c122d70786e899529d71dbeba91ba216982fb6ba58f3bdaab65e73b7e9260b:1",
                "0b26e9b7735eb6aabdf358bab62f9816a21ba9ebdb719d5299e88607d722c19001000000"}));
// clang-format on

struct BadElement {
    const char* text;
    ElementError::Kind kind;
};
void PrintTo(const BadElement& row, std::ostream* out) {
    *out << row.text;
}

class BadElements : public testing::TestWithParam<BadElement> {};

TEST_P(BadElements, AreRefused) {
    const auto element = parse_element(GetParam().text, network("mainnet"));
    ASSERT_FALSE(element);
    EXPECT_EQ(element.error().kind, GetParam().kind);
    EXPECT_FALSE(describe(element.error()).empty());
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(All, BadElements, testing::Values(
    BadElement{"", ElementError::Kind::empty},
    BadElement{"hex:", ElementError::Kind::bad_hex},
    BadElement{"hex:abc", ElementError::Kind::bad_hex},
    BadElement{"0xabcd", ElementError::Kind::bad_hex},
    BadElement{"txid:b4749f", ElementError::Kind::bad_txid},
    BadElement{"b4749f:0", ElementError::Kind::bad_outpoint},
    BadElement{"90c122d70786e899529d71dbeba91ba216982fb6ba58f3bdaab65e73b7e9260b:4294967296", ElementError::Kind::bad_outpoint},
    BadElement{"abc", ElementError::Kind::bad_address},
    BadElement{"tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", ElementError::Kind::bad_address},
    BadElement{"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", ElementError::Kind::bad_address}));
// clang-format on

TEST(Element, SaysWhyAnAddressIsInvalid) {
    const auto wrong_network =
        parse_element("tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx", network("mainnet"));
    ASSERT_FALSE(wrong_network);
    EXPECT_EQ(wrong_network.error().address, wallet::AddressError::wrong_network);
}

TEST(Element, HasAtMost520Bytes) {
    EXPECT_TRUE(parse_element(std::string(1'040, 'a'), network("mainnet")));
    const auto longer = parse_element("hex:" + std::string(1'042, 'a'), network("mainnet"));
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().kind, ElementError::Kind::too_long);
}

TEST(Element, HasAtMost4096BytesOfText) {
    EXPECT_TRUE(parse_element("text:" + std::string(4'096, 'a'), network("mainnet")));
    const auto longer = parse_element("text:" + std::string(4'097, 'a'), network("mainnet"));
    ASSERT_FALSE(longer);
    EXPECT_EQ(longer.error().kind, ElementError::Kind::text_too_long);
    EXPECT_EQ(text_element(" \t").error().kind, ElementError::Kind::empty);
    EXPECT_EQ(chain::to_hex(*text_element(" hex:ab ")), "6865783a6162");
}

TEST(Element, IsNamedInItsError) {
    EXPECT_EQ(describe("", parse_element("", network("mainnet")).error()), "ELEMENT: it is empty");
    EXPECT_EQ(describe("0xab", parse_element("0xab", network("mainnet")).error()),
              "0xab: not bytes in hexadecimal (without 0x)");
}

}  // namespace
}  // namespace petal::cli
