#include "wallet/descriptors/address.h"

#include <gtest/gtest.h>

#include <boost/algorithm/string/case_conv.hpp>
#include <ostream>
#include <string>

#include "tests/support/test_data.h"
#include "wallet/descriptors/bech32.h"
#include "wallet/keys/base58.h"

namespace petal::wallet {
namespace {

using boost::algorithm::to_lower_copy;
using boost::algorithm::to_upper_copy;
using chain::Bytes;
using chain::from_hex;
using chain::to_hex;

const chain::NetworkParams& network_of(std::string_view name) {
    return *chain::find_network(name);
}

/// The script in hexadecimal, or the error if the address is invalid.
std::string script_or_error(std::string_view text, std::string_view network) {
    const auto script = parse_address(text, network_of(network));
    return script ? to_hex(*script) : std::string{describe(script.error())};
}

struct AddressCase {
    std::string network;
    std::string address;
    std::string script;
};

void PrintTo(const AddressCase& c, std::ostream* out) {
    *out << c.address;
}

class ValidAddress : public testing::TestWithParam<AddressCase> {};

TEST_P(ValidAddress, IsItsScript) {
    const auto& c = GetParam();
    EXPECT_EQ(script_or_error(c.address, c.network), c.script);
}

TEST_P(ValidAddress, ComesFromItsScript) {
    const auto& c = GetParam();
    const bool upper = c.address.starts_with("BC1");
    EXPECT_EQ(address_of(from_hex(c.script).value(), network_of(c.network)),
              upper ? to_lower_copy(c.address) : c.address);
}

TEST_P(ValidAddress, IsRefusedWithAnyCharacterChanged) {
    const auto& c = GetParam();
    for (std::size_t i = 0; i < c.address.size(); ++i) {
        std::string changed = c.address;
        changed[i] = changed[i] == 'q' || changed[i] == 'Q' ? 'p' : 'q';
        EXPECT_FALSE(parse_address(changed, network_of(c.network))) << changed;
    }
}

TEST_P(ValidAddress, IsRefusedWhenCut) {
    const auto& c = GetParam();
    for (std::size_t size = 0; size < c.address.size(); ++size) {
        EXPECT_FALSE(parse_address(c.address.substr(0, size), network_of(c.network))) << size;
    }
}

// BIP44, BIP49, BIP84 and BIP86's keys of "abandon … about"; BIP350; Bitcoin Core:
// key_io_valid.json.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Published, ValidAddress, testing::ValuesIn(std::initializer_list<AddressCase>{
    {"mainnet", "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "76a914d986ed01b7a22225a70edbf2ba7cfb63a15cb3aa88ac"},
    {"mainnet", "36j4NfKv6Akva9amjWrLG6MuSQym1GuEmm", "a914373b819a068f32b7a6b38b6b38729647cfde01c287"},
    {"testnet3", "mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV", "76a9143a2d4145a4f098523b3e8127f1da87cfc55b8e7988ac"},
    {"testnet4", "2NC2hEhe28ULKAJkW5MjZ3jtTMJdvXmByvK", "a914ce0bba75891ff9ec60148d4bd4a09ee2dc5c933187"},
    {"signet", "mww4LvqtTMKvmeQvizPz2EQv26xTneWrbg", "76a914b4110ba93ac54afc14da3bdd19614774a2d55d2988ac"},
    {"regtest", "2MxFajLApXpYk4VodBSZSt7rw8y4ryABkfA", "a91436e9f191e0b75036a77f65e2eaa4752443233fbe87"},
    {"mainnet", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "0014c0cebcd6c3d3ca8c75dc5ec62ebe55330ef910e2"},
    {"testnet3", "tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl", "0014d0c4a3ef09e997b6e99e397e518fe3e41a118ca1"},
    {"mainnet", "bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr", "5120a60869f0dbcf1dc659c9cecbaf8050135ea9e8cdc487053f1dc6880949dc684c"},
    {"mainnet", "BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4", "0014751e76e8199196d454941c45d1b3a323f1433bd6"},
    {"testnet4", "tb1qrp33g0q5c5txsp9arysrx4k6zdkfs4nce4xj0gdcccefvpysxf3q0sl5k7", "00201863143c14c5166804bd19203356da136c985678cd4d27a1b8c6329604903262"},
    {"mainnet", "bc1pw508d6qejxtdg4y5r3zarvary0c5xw7kw508d6qejxtdg4y5r3zarvary0c5xw7kt5nd6y", "5128751e76e8199196d454941c45d1b3a323f1433bd6751e76e8199196d454941c45d1b3a323f1433bd6"},
    {"mainnet", "BC1SW50QGDZ25J", "6002751e"},
    {"mainnet", "bc1zw508d6qejxtdg4y5r3zarvaryvaxxpcs", "5210751e76e8199196d454941c45d1b3a323"},
    {"mainnet", "bc1pfeessrawgf", "51024e73"},
}), [](const auto& row) { return "Row" + std::to_string(row.index); });
// clang-format on

struct BadAddressCase {
    std::string name;
    std::string network;
    std::string address;
    AddressError error;
};

void PrintTo(const BadAddressCase& c, std::ostream* out) {
    *out << c.name;
}

class InvalidAddress : public testing::TestWithParam<BadAddressCase> {};

TEST_P(InvalidAddress, IsRefused) {
    const auto& c = GetParam();
    const auto script = parse_address(c.address, network_of(c.network));
    ASSERT_FALSE(script);
    EXPECT_EQ(script.error(), c.error) << describe(script.error());
}

/// A Bech32 address that no encoder of addresses would produce.
std::string bech32(Bech32Kind kind, std::uint8_t version, const Bytes& program) {
    Bech32 content{kind, "bc", {version}};
    const Bytes values = to_five_bits(program);
    content.values.insert(content.values.end(), values.begin(), values.end());
    return encode_bech32(content);
}

std::string base58(std::uint8_t version, std::size_t bytes) {
    Bytes payload(1 + bytes, 7);
    payload.front() = version;
    return encode_base58check(payload);
}

constexpr auto kBech32 = Bech32Kind::bech32;
constexpr auto kBech32m = Bech32Kind::bech32m;

// BIP173 and BIP350, and more cases at the limits.
// clang-format off
INSTANTIATE_TEST_SUITE_P(All, InvalidAddress, testing::ValuesIn(std::initializer_list<BadAddressCase>{
    {"Empty",              "mainnet", "", AddressError::not_an_address},
    {"Words",              "mainnet", "not an address", AddressError::not_an_address},
    {"Word",               "mainnet", "satoshi", AddressError::not_an_address},
    {"SpaceBehind",        "mainnet", "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA ", AddressError::not_an_address},
    {"PublicKey",          "mainnet", "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798", AddressError::not_an_address},
    {"Endless",            "mainnet", std::string(100'000, '1'), AddressError::not_an_address},
    {"EndlessBech32",      "mainnet", "bc1" + std::string(100'000, 'q'), AddressError::wrong_length},
    {"Base58Typo",         "mainnet", "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabB", AddressError::wrong_checksum},
    {"Base58OfTestnet",    "mainnet", "mkpZhYtJu2r87Js3pDiWJDmPte2NRZ8bJV", AddressError::wrong_network},
    {"Base58OfMainnet",    "regtest", "1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", AddressError::wrong_network},
    {"Base58HashOf19",     "mainnet", base58(0, 19), AddressError::wrong_length},
    {"Base58HashOf21",     "mainnet", base58(5, 21), AddressError::wrong_length},
    {"Base58Nothing",      "mainnet", "3QJmnh", AddressError::wrong_length},
    {"PrivateKey",         "mainnet", "5HueCGU8rMjxEXxiPuD5BDku4MkFqeZyd4dZ1jvhTVqvbTLvyTJ", AddressError::unknown_version},
    {"Litecoin",           "mainnet", base58(48, 20), AddressError::unknown_version},
    {"Bech32OfTestnet",    "mainnet", "tb1q6rz28mcfaxtmd6v789l9rrlrusdprr9pqcpvkl", AddressError::wrong_network},
    {"Bech32OfMainnet",    "testnet3", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", AddressError::wrong_network},
    {"Bech32OfRegtest",    "testnet3", "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk", AddressError::wrong_network},
    {"Bech32Unknown",      "mainnet", "tc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq5zuyut", AddressError::wrong_network},
    {"Bech32Typo",         "mainnet", "bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyx", AddressError::wrong_checksum},
    {"Bech32BadCharacter", "mainnet", "bc1p38j9r5y49hruaue7wxjce0updqjuyyx0kh56v8s25huc6995vvpql3jow4", AddressError::not_an_address},
    {"Bech32ForVersion1",  "mainnet", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqh2y7hd", AddressError::wrong_bech32_kind},
    {"Bech32ForVersion16", "mainnet", "BC1S0XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ54WELL", AddressError::wrong_bech32_kind},
    {"Bech32mForVersion0", "mainnet", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kemeawh", AddressError::wrong_bech32_kind},
    {"Version17",          "mainnet", "BC130XLXVLHEMJA6C4DQV22UAPCTQUPFHLXM9H8Z3K2E72Q4K9HCZ7VQ7ZWS8R", AddressError::unknown_version},
    {"ProgramOf1",         "mainnet", "bc1pw5dgrnzv", AddressError::wrong_length},
    {"ProgramOf41",        "mainnet", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v8n0nx0muaewav253zgeav", AddressError::wrong_length},
    {"Version0Of16",       "mainnet", "BC1QR508D6QEJXTDG4Y5R3ZARVARYV98GJ9P", AddressError::wrong_length},
    {"Version0Of19",       "mainnet", bech32(kBech32, 0, Bytes(19, 1)), AddressError::wrong_length},
    {"Version0Of21",       "mainnet", bech32(kBech32, 0, Bytes(21, 1)), AddressError::wrong_length},
    {"Version0Of31",       "mainnet", bech32(kBech32, 0, Bytes(31, 1)), AddressError::wrong_length},
    {"Version0Of33",       "mainnet", bech32(kBech32, 0, Bytes(33, 1)), AddressError::wrong_length},
    {"Version2OfNothing",  "mainnet", bech32(kBech32m, 2, Bytes{}), AddressError::wrong_length},
    {"MixedCase",          "testnet3", "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vq47Zagq", AddressError::mixed_case},
    {"MixedCasePrefix",    "mainnet", "Bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", AddressError::mixed_case},
    {"LongPadding",        "mainnet", "bc1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7v07qwwzcrf", AddressError::wrong_length},
    {"SetPadding",         "testnet3", "tb1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vpggkg4j", AddressError::wrong_length},
    {"NoProgram",          "mainnet", "bc1gmk9yu", AddressError::wrong_length},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(Address, TakesProgramsOfTwoToFortyBytes) {
    for (const std::uint8_t version : Bytes{1, 2, 15, 16}) {
        for (const std::size_t size : {2U, 39U, 40U}) {
            const auto script =
                parse_address(bech32(kBech32m, version, Bytes(size, 9)), network_of("mainnet"));
            ASSERT_TRUE(script);
            EXPECT_EQ(script->front(), 0x50 + version);
            EXPECT_EQ(script->size(), 2 + size);
        }
    }
}

TEST(Address, IsEmptyForOtherScripts) {
    const std::string key = "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
    for (const std::string& hex :
         {std::string{}, "21" + key + "ac", "5121" + key + "51ae", std::string{"6a0401020304"},
          std::string{"51"}, std::string{"0010751e76e8199196d454941c45d1b3a323"}}) {
        EXPECT_EQ(address_of(from_hex(hex).value(), network_of("mainnet")), "") << hex;
    }
}

std::string_view network_name(std::string_view chain) {
    return chain == "main" ? "mainnet" : chain;
}

TEST(Address, MatchesAllOfCoresVectors) {
    const auto rows = test::read_test_json("vectors/key_io_valid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : *rows) {
        const auto text = row[0].get<std::string>();
        const auto& about = row[2];
        const auto& network = network_of(network_name(about.at("chain").get<std::string>()));
        const auto script = parse_address(text, network);
        if (about.at("isPrivkey").get<bool>()) {
            EXPECT_FALSE(script) << text;
            continue;
        }
        ASSERT_TRUE(script) << text;
        EXPECT_EQ(to_hex(*script), row[1].get<std::string>());
        EXPECT_EQ(address_of(*script, network), text);
        if (!about.value("tryCaseFlip", false)) continue;
        EXPECT_EQ(parse_address(to_upper_copy(text), network).value(), *script);
    }
}

TEST(Address, RefusesAllThatCoreRefuses) {
    const auto rows = test::read_test_json("vectors/key_io_invalid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : *rows) {
        for (const auto& network : chain::all_networks()) {
            EXPECT_FALSE(parse_address(row[0].get<std::string>(), network)) << row[0];
        }
    }
}

TEST(Address, MatchesAllVectorsOfBip350) {
    const auto vectors = test::read_test_json("vectors/bech32.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : vectors->at("segwit_valid")) {
        const auto text = row.at("address").get<std::string>();
        const auto name = to_lower_copy(text).starts_with("bc1") ? "mainnet" : "testnet3";
        EXPECT_EQ(script_or_error(text, name), row.at("script").get<std::string>()) << text;
    }
    for (const auto& row : vectors->at("segwit_invalid")) {
        for (const auto& network : chain::all_networks()) {
            EXPECT_FALSE(parse_address(row.at("address").get<std::string>(), network)) << row;
        }
    }
}

}  // namespace
}  // namespace petal::wallet
