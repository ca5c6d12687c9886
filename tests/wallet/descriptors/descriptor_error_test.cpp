// The errors of invalid descriptors, and their positions in the text.
#include <gtest/gtest.h>

#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/descriptor_checksum.h"
#include "wallet/descriptors/key_expression_parser.h"

namespace petal::wallet {
namespace {

using Fault = DescriptorError::Kind;

// The keys are those of BIP381, BIP383 and BIP84.
const std::string kPublic = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
const std::string kUncompressed =
    "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c0"
    "2559e3aa73aa03918ba2d492eea75abea235";
const std::string kXOnly = kPublic.substr(2);
const std::string kWif = "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1";
const std::string kUncompressedWif = "5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss";
const std::string kTestWif = "cVDJUtDjdaM25yNVVDLLX3hcHUfth4c7tY3rSc4hy9e8ibtCuj6G";
const std::string kSomeXpub =
    "xpub6ERApfZwUNrhLCkDtcHTcxd75RbzS1ed54G1LkBUHQVHQKqhMkhgbmJbZRkrgZw4koxb5JaHWkY4ALHY2grBGRjaDM"
    "zQLcgJvLJuZZvRcEL";
const std::string kSomeXprv =
    "xprvA1RpRA33e1JQ7ifknakTFpgNXPmW2YvmhqLQYMmrj4xJXXWYpDPS3xz7iAxn8L39njGVyuoseXzU6rcxFLJ8HFsTjS"
    "yQbLYnMpCqE2VbFWc";
const std::string kSomeTpub =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgew"
    "GiYZqrA9DsP4zbQ1M";

struct BadDescriptor {
    std::string text;  // with '!' before the wrong character
    Fault kind = Fault::syntax;
    std::string expected;  // a part of the message
    DescriptorOptions options = {};
};

void PrintTo(const BadDescriptor& bad, std::ostream* out) {
    *out << bad.text;
}

std::string repeated_keys(std::size_t count, const std::string& key) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += ',' + key;
    return text;
}

DescriptorOptions keys_only(DescriptorOptions::Keys keys) {
    DescriptorOptions options;
    options.keys = keys;
    return options;
}

DescriptorOptions with_checksum() {
    DescriptorOptions options;
    options.require_checksum = true;
    return options;
}

class DescriptorRefuses : public testing::TestWithParam<BadDescriptor> {};

TEST_P(DescriptorRefuses, WithTheReasonAndThePlace) {
    std::string text = GetParam().text;
    const std::size_t position = text.find('!');
    ASSERT_NE(position, std::string::npos);
    text.erase(position, 1);
    const auto descriptor =
        Descriptor::parse(text, *chain::find_network("mainnet"), GetParam().options);
    ASSERT_FALSE(descriptor);
    const DescriptorError& error = descriptor.error();
    EXPECT_EQ(describe(error.kind), describe(GetParam().kind));
    EXPECT_EQ(error.position, position);
    EXPECT_NE(error.expected.find(GetParam().expected), std::string::npos) << error.expected;
    for (const std::string& secret : {kWif, kUncompressedWif, kTestWif, kSomeXprv}) {
        EXPECT_EQ(describe(error).find(secret.substr(0, 8)), std::string::npos);
    }
}

std::string number_of(const testing::TestParamInfo<BadDescriptor>& info) {
    return std::to_string(info.index);
}

INSTANTIATE_TEST_SUITE_P(
    Functions, DescriptorRefuses,
    testing::Values(
        BadDescriptor{"!", Fault::syntax, "a function"},
        BadDescriptor{"!" + kSomeXpub, Fault::syntax, "a function"},
        BadDescriptor{"pk(" + kPublic + "!", Fault::syntax, "')'"},
        BadDescriptor{"pk(" + kPublic + ")!)", Fault::syntax, "the end"},
        BadDescriptor{"sh(wpkh(" + kPublic + ")!", Fault::syntax, "')'"},
        BadDescriptor{"pk(" + kPublic + "!," + kPublic + ")", Fault::syntax, "')'"},
        BadDescriptor{"sh(!" + kPublic + ")", Fault::syntax, "a function"},
        BadDescriptor{"!pkk(" + kPublic + ")", Fault::unknown_function, "wpkh"},
        BadDescriptor{"!PK(" + kPublic + ")", Fault::unknown_function, "wpkh"},
        BadDescriptor{"wsh(!and_v(v:pk(" + kPublic + "),older(9)))", Fault::unsupported,
                      "no miniscript, but pk, pkh, multi or sortedmulti in wsh()"},
        BadDescriptor{"sh(wsh(!c:pk_k(" + kPublic + ")))", Fault::unsupported, "no miniscript"},
        BadDescriptor{"sh(!and_v(" + kPublic + "))", Fault::unknown_function, "multi"},
        BadDescriptor{"wsh(!and_x(" + kPublic + "))", Fault::unknown_function, "multi"},
        BadDescriptor{"!rawtr(" + kXOnly + ")", Fault::unsupported, "tr"},
        BadDescriptor{"tr(" + kXOnly + "!,pk(" + kXOnly + "))", Fault::unsupported, "script tree"},
        BadDescriptor{"sh(!sh(pk(" + kPublic + ")))", Fault::not_allowed_here, "in sh()"},
        BadDescriptor{"sh(!tr(" + kXOnly + "))", Fault::not_allowed_here, "in sh()"},
        BadDescriptor{"sh(!combo(" + kPublic + "))", Fault::not_allowed_here, "in sh()"},
        BadDescriptor{"sh(!raw(00))", Fault::not_allowed_here, "in sh()"},
        BadDescriptor{"wsh(!wpkh(" + kPublic + "))", Fault::not_allowed_here, "in wsh()"},
        BadDescriptor{"wsh(!sh(pk(" + kPublic + ")))", Fault::not_allowed_here, "in wsh()"},
        BadDescriptor{"sh(wsh(!wpkh(" + kPublic + ")))", Fault::not_allowed_here, "in wsh()"},
        BadDescriptor{"sh(wsh(!wsh(pk(" + kPublic + "))))", Fault::not_allowed_here, "in wsh()"},
        BadDescriptor{"pk(!pk(" + kPublic + "))", Fault::not_allowed_here, "a key"},
        BadDescriptor{"raw(!\xc3\xbc)", Fault::invalid_character, "BIP380"},
        BadDescriptor{"raw(00)!\n", Fault::invalid_character, "BIP380"},
        BadDescriptor{"raw(!0)", Fault::invalid_hex, "hexadecimal"},
        BadDescriptor{"raw(!)", Fault::invalid_hex, "hexadecimal"},
        BadDescriptor{"raw(" + std::string(kMaxDescriptorCharacters - 4, '0') + "!)",
                      Fault::too_long, "32768"}),
    number_of);

INSTANTIATE_TEST_SUITE_P(
    Keys, DescriptorRefuses,
    testing::Values(
        BadDescriptor{"pk(!)", Fault::invalid_key, "a key"},
        BadDescriptor{"pk(! " + kPublic + ")", Fault::invalid_key, "a public key"},
        BadDescriptor{"pk(!" + kPublic + "00)", Fault::invalid_key, "66 or 130"},
        BadDescriptor{"pk(!" + kXOnly + ")", Fault::invalid_key, "66 or 130"},
        BadDescriptor{"tr(!" + kPublic.substr(4) + ")", Fault::invalid_key, "64 or 66"},
        // Keys that are not on the curve (BIP340's vectors 5 and 14: above the field size, and no
        // square).
        BadDescriptor{"tr(!eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34)",
                      Fault::invalid_key, "64 or 66"},
        // The uncompressed key with the prefix of a hybrid key.
        BadDescriptor{"pk(!07" + kUncompressed.substr(2) + ")", Fault::invalid_key, "66 or 130"},
        BadDescriptor{"pk(!" + kWif.substr(0, 51) + "2)", Fault::invalid_key, "wrong checksum"},
        BadDescriptor{"pk(!" + kSomeXpub.substr(0, 110) + "M)", Fault::invalid_key,
                      "wrong checksum"},
        BadDescriptor{"pk(!" + kSomeXpub.substr(0, 110) + "0)", Fault::invalid_key, "Base58"},
        BadDescriptor{"wpkh(!" + kUncompressed + ")", Fault::uncompressed_key, "compressed"},
        BadDescriptor{"sh(wpkh(!" + kUncompressedWif + "))", Fault::uncompressed_key, "compressed"},
        BadDescriptor{"wsh(pk(!" + kUncompressed + "))", Fault::uncompressed_key, "compressed"},
        BadDescriptor{"sh(wsh(pkh(!" + kUncompressed + ")))", Fault::uncompressed_key,
                      "compressed"},
        BadDescriptor{"tr(!" + kUncompressedWif + ")", Fault::uncompressed_key, "compressed"},
        BadDescriptor{"wpkh(!" + kSomeTpub + "/*)", Fault::wrong_network, "mainnet"},
        BadDescriptor{"wpkh(!" + kTestWif + ")", Fault::wrong_network, "mainnet"},
        BadDescriptor{"sh(multi(1," + kSomeXpub + ",!" + kSomeTpub + "))", Fault::wrong_network,
                      "mainnet"},
        BadDescriptor{"pk([00000000]!" + kWif + ")", Fault::private_key, "xpub",
                      keys_only(DescriptorOptions::Keys::only_public)},
        BadDescriptor{"pk(!" + kSomeXprv + "/1)", Fault::private_key, "xpub",
                      keys_only(DescriptorOptions::Keys::only_public)},
        BadDescriptor{"pk(!" + kSomeXpub + "/1)", Fault::missing_private_key, "xprv",
                      keys_only(DescriptorOptions::Keys::only_private)},
        BadDescriptor{"pk(!" + kPublic + ")", Fault::missing_private_key, "WIF",
                      keys_only(DescriptorOptions::Keys::only_private)},
        BadDescriptor{"pk([!deadbee]" + kPublic + ")", Fault::invalid_origin, "8 hex"},
        BadDescriptor{"pk([!deadbeeff]" + kPublic + ")", Fault::invalid_origin, "8 hex"},
        BadDescriptor{"pk([!deadbe]" + kPublic + ")", Fault::invalid_origin, "8 hex"},
        BadDescriptor{"pk([!deadbeef00]" + kPublic + ")", Fault::invalid_origin, "8 hex"},
        BadDescriptor{"pk([!geadbeef]" + kPublic + ")", Fault::invalid_origin, "8 hex"},
        BadDescriptor{"pk([deadbeef/0!H]" + kPublic + ")", Fault::invalid_origin, "h or '"},
        BadDescriptor{"pk([deadbeef/0/!]" + kPublic + ")", Fault::invalid_origin, "a number"},
        BadDescriptor{"pk([deadbeef/!*]" + kPublic + ")", Fault::invalid_origin, "a number"},
        BadDescriptor{"pk([deadbeef/!<0;1>]" + kPublic + ")", Fault::invalid_origin, "a number"},
        BadDescriptor{"pk([deadbeef!)", Fault::invalid_origin, "']'"},
        BadDescriptor{"pk(deadbeef!]" + kPublic + ")", Fault::invalid_origin, "one origin"},
        BadDescriptor{"pk([deadbeef]![deadbeef]" + kPublic + ")", Fault::invalid_origin, "one"},
        BadDescriptor{"pk([deadbeef]!)", Fault::invalid_key, "a key"}),
    number_of);

std::string steps(std::size_t count) {
    std::string text;
    for (std::size_t i = 0; i < count; ++i) text += "/1";
    return text;
}

// The extended keys are at depth 4.
INSTANTIATE_TEST_SUITE_P(
    Paths, DescriptorRefuses,
    testing::Values(
        BadDescriptor{"pk(" + kPublic + "!/0)", Fault::invalid_path, "not extended"},
        BadDescriptor{"pk(" + kWif + "!/*)", Fault::invalid_path, "not extended"},
        BadDescriptor{"pk(" + kSomeXpub + "/!)", Fault::invalid_path, "a number"},
        BadDescriptor{"pk(" + kSomeXpub + "/!/1)", Fault::invalid_path, "a number"},
        BadDescriptor{"pk(" + kSomeXpub + "/1/!-1)", Fault::invalid_path, "a number"},
        BadDescriptor{"pk(" + kSomeXpub + "/1!a)", Fault::invalid_path, "a number"},
        BadDescriptor{"pk(" + kSomeXprv + "/1!H)", Fault::invalid_path, "h or '"},
        BadDescriptor{"pk(" + kSomeXprv + "/1!h')", Fault::invalid_path, "h or '"},
        BadDescriptor{"pk(" + kSomeXpub + "/!2147483648)", Fault::invalid_path, "2147483648"},
        BadDescriptor{"pk(" + kSomeXpub + "/!99999999999)", Fault::invalid_path, "2147483648"},
        BadDescriptor{"pk(" + kSomeXpub + "/!*/1)", Fault::invalid_path, "last"},
        BadDescriptor{"pk(" + kSomeXpub + "/!**)", Fault::invalid_path, "last"},
        BadDescriptor{"pk(" + kSomeXpub + "/1!*)", Fault::invalid_path, "a number"},
        BadDescriptor{"pk(" + kSomeXpub + steps(251) + "/!1)", Fault::invalid_path, "255"},
        BadDescriptor{"pk(" + kSomeXpub + steps(251) + "/!*)", Fault::invalid_path, "255"},
        BadDescriptor{"pk([00000000" + steps(255) + "/!1]" + kSomeXpub + ")", Fault::invalid_origin,
                      "255"},
        BadDescriptor{"pk(" + kSomeXpub + "/1/!2h)", Fault::hardened_from_public, "without h"},
        BadDescriptor{"pk(" + kSomeXpub + "/!2'/1)", Fault::hardened_from_public, "without h"},
        BadDescriptor{"pk(" + kSomeXpub + "/!*h)", Fault::hardened_from_public, "without h"},
        BadDescriptor{"pk(" + kSomeXpub + "/<0;!1h>)", Fault::hardened_from_public, "without h"},
        BadDescriptor{"pk(" + kSomeXpub + "/<!>/*)", Fault::invalid_multipath, "a number"},
        BadDescriptor{"pk(" + kSomeXpub + "/!<0>/*)", Fault::invalid_multipath, "two"},
        BadDescriptor{"pk(" + kSomeXpub + "/<0;!>/*)", Fault::invalid_multipath, "a number"},
        BadDescriptor{"pk(" + kSomeXpub + "/<0;!0>/*)", Fault::invalid_multipath, "not among"},
        BadDescriptor{"pk(" + kSomeXpub + "/<0;1!/*)", Fault::invalid_multipath, "'>'"},
        BadDescriptor{"pk(" + kSomeXpub + "/0!>/*)", Fault::invalid_path, "a number"},
        BadDescriptor{"pk(" + kSomeXpub + "/<0;1>/!<2;3>)", Fault::invalid_multipath, "one"},
        BadDescriptor{"sh(multi(1," + kSomeXpub + "/<0;1>,!" + kSomeXprv + "/<0;1;2>))",
                      Fault::invalid_multipath, "as many"},
        BadDescriptor{
            "sh(multi(1," + kSomeXpub + "/<0;1;2>," + kSomeXpub + ",!" + kSomeXprv + "/<0;1>))",
            Fault::invalid_multipath, "as many"}),
    number_of);

INSTANTIATE_TEST_SUITE_P(
    Multisig, DescriptorRefuses,
    testing::Values(
        BadDescriptor{"multi(!0" + repeated_keys(2, kPublic) + ")", Fault::wrong_threshold, "1"},
        BadDescriptor{"multi(!3" + repeated_keys(2, kPublic) + ")", Fault::wrong_threshold, "2"},
        BadDescriptor{"multi(!a" + repeated_keys(2, kPublic) + ")", Fault::wrong_threshold, "1"},
        BadDescriptor{"multi(!-1" + repeated_keys(2, kPublic) + ")", Fault::wrong_threshold, "1"},
        BadDescriptor{"multi(!99999999999999999999" + repeated_keys(2, kPublic) + ")",
                      Fault::wrong_threshold, "1"},
        BadDescriptor{"multi(!" + kPublic + ")", Fault::wrong_threshold, "1"},
        BadDescriptor{"multi(1!)", Fault::syntax, "','"},
        BadDescriptor{"multi(1,!)", Fault::invalid_key, "a key"},
        BadDescriptor{"multi(1" + repeated_keys(3, kPublic) + ",!" + kPublic + ")",
                      Fault::too_many_keys, "3 keys outside"},
        BadDescriptor{"sh(multi(1" + repeated_keys(15, kPublic) + ",!" + kPublic + "))",
                      Fault::too_many_keys, "520"},
        BadDescriptor{
            "sh(sortedmulti(1" + repeated_keys(7, kUncompressed) + ",!" + kUncompressed + "))",
            Fault::too_many_keys, "520"},
        BadDescriptor{"wsh(multi(1" + repeated_keys(20, kPublic) + ",!" + kPublic + "))",
                      Fault::too_many_keys, "20"},
        BadDescriptor{"sh(wsh(multi(1" + repeated_keys(20, kPublic) + ",!" + kPublic + ")))",
                      Fault::too_many_keys, "20"}),
    number_of);

INSTANTIATE_TEST_SUITE_P(
    AddressesAndChecksums, DescriptorRefuses,
    testing::Values(
        BadDescriptor{"addr(!asdf)", Fault::invalid_address, "not an address"},
        BadDescriptor{"addr(!3PUNyaW7M55oKWJ3kDukwk9bsKvryra15i)", Fault::invalid_address,
                      "checksum"},
        // BIP173's P2WPKH address in mixed case, and its address on test networks.
        BadDescriptor{"addr(!bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kV8f3t4)", Fault::invalid_address,
                      "case"},
        BadDescriptor{"addr(!tb1qw508d6qejxtdg4y5r3zarvary0c5xw7kxpjzsx)", Fault::wrong_network,
                      "mainnet"},
        BadDescriptor{"raw(deadbeef)#!", Fault::wrong_checksum, "8 characters"},
        BadDescriptor{"raw(deadbeef)#!89f8spx", Fault::wrong_checksum, "8 characters"},
        BadDescriptor{"raw(deadbeef)#!89f8spxmx", Fault::wrong_checksum, "8 characters"},
        BadDescriptor{"raw(deadbeef)#!89f8spxq", Fault::wrong_checksum, "89f8spxm"},
        BadDescriptor{"raw(deedbeef)#!89f8spxm", Fault::wrong_checksum,
                      descriptor_checksum("raw(deedbeef)").value()},
        BadDescriptor{"raw(deadbeef)#!#9f8spxm", Fault::wrong_checksum, "89f8spxm"},
        BadDescriptor{"raw(deadbeef)!", Fault::missing_checksum, "'#'", with_checksum()}),
    number_of);

const chain::NetworkParams& main_network() {
    return *chain::find_network("mainnet");
}

// The refused descriptors above are one key, step, number or character longer than these.
TEST(Descriptor, IsReadUpToItsLimits) {
    for (const std::string& text :
         {"multi(3" + repeated_keys(3, kUncompressed) + ")",
          "sh(multi(15" + repeated_keys(15, kPublic) + "))",
          "sh(multi(1" + repeated_keys(7, kUncompressed) + "))",
          "wsh(multi(20" + repeated_keys(20, kSomeXpub + "/*") + "))",
          "sh(wsh(sortedmulti(20" + repeated_keys(20, kPublic) + ")))",
          "pk([00000000" + steps(255) + "]" + kSomeXpub + steps(251) + ")",
          "pk(" + kSomeXpub + steps(250) + "/*)", "pk(" + kSomeXpub + "/2147483647)",
          "raw(" + std::string(kMaxDescriptorCharacters - 6, '0') + ")"}) {
        const auto descriptor = Descriptor::parse(text, main_network());
        ASSERT_TRUE(descriptor) << text << describe(descriptor.error());
        EXPECT_EQ(Descriptor::parse(descriptor->to_string(main_network()).substr(0, text.size()),
                                    main_network())
                      ->to_string(main_network()),
                  descriptor->to_string(main_network()));
    }
}

TEST(Descriptor, HasABoundedNumberOfPaths) {
    std::string numbers = "0";
    for (std::size_t i = 1; i < kMaxMultipath; ++i) numbers += ';' + std::to_string(i);
    const auto with = [&](const std::string& more) {
        return Descriptor::parse("pk(" + kSomeXpub + "/<" + numbers + more + ">)", main_network());
    };
    EXPECT_EQ(with("")->path_count(), kMaxMultipath);
    ASSERT_FALSE(with(";77"));
    EXPECT_EQ(with(";77").error().kind, Fault::invalid_multipath);
    EXPECT_EQ(with(";77").error().expected, "at most 32 numbers");
}

TEST(Descriptor, WithHardenedStepsBelowAPublicKeyIsReadIfAllowed) {
    DescriptorOptions options;
    options.allow_underivable = true;
    for (const std::string path : {"/1h/*", "/*h", "/<0;1h>/2"}) {
        const auto descriptor =
            Descriptor::parse("wpkh(" + kSomeXpub + path + ")", main_network(), options);
        ASSERT_TRUE(descriptor);
        EXPECT_FALSE(descriptor->is_derivable());
    }
    EXPECT_TRUE(Descriptor::parse("wpkh(" + kSomeXprv + "/1h/*h)", main_network())->is_derivable());
}

TEST(DescriptorError, IsDescribedInOneLineThatCountsFromOne) {
    const auto bad = Descriptor::parse("sh(combo(" + kPublic + "))", main_network());
    EXPECT_EQ(describe(bad.error()),
              "character 4: not allowed here; expected pk, pkh, wpkh, wsh, multi or sortedmulti in "
              "sh()");
}

}  // namespace
}  // namespace petal::wallet
