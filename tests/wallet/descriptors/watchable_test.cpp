#include "wallet/descriptors/watchable.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "tests/support/test_data.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/script_deriver.h"

namespace petal::wallet {
namespace {

// The accounts of BIP49 and BIP84 for "abandon … about", in the encodings of SLIP132 and BIP84.
const std::string kAccountYpub =
    "ypub6Ww3ibxVfGzLrAH1PNcjyAWenMTbbAosGNB6VvmSEgytSER9azLDWCxoJwW7Ke7icmizBMXrzBx9979FfaHxHcrArf"
    "3zbeJJJUZPf663zsP";
const std::string kAccountZpub =
    "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGD"
    "t"
    "KsAYz2oz2AGutZYs";
const std::string kPlainZpub =
    "xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEbvqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXY"
    "V"
    "UhLv1VMrjPC7PW6V";

std::vector<std::string> watchable(std::string_view text, std::string_view network = "mainnet") {
    const auto& params = *chain::find_network(network);
    const auto descriptors = parse_watchable(text, params);
    if (!descriptors) return {describe(descriptors.error())};
    std::vector<std::string> texts;
    for (const Descriptor& descriptor : *descriptors) {
        EXPECT_EQ(descriptor.path_count(), 1U);
        const std::string written{descriptor.to_private_string(params)};
        texts.push_back(written.substr(0, written.find('#')));
    }
    return texts;
}

// Accounts of the four types on two networks. Their addresses are from an independent
// implementation.
TEST(Watchable, HasTheAddressesOfAccountsInSlip132sForms) {
    const auto wallets = test::read_test_json("vectors/hd_wallet.json");
    if (!wallets) GTEST_SKIP() << test::kNoTestData;
    std::size_t compared = 0;
    for (const auto& row : (*wallets)["rows"]) {
        const auto path = row["path"].get<std::string>();
        if (path.starts_with("m/86'")) continue;  // SLIP132 has no version bytes for taproot
        const bool is_mainnet = row["network"].get<std::string>() == "mainnet";
        const auto& network = *chain::find_network(is_mainnet ? "mainnet" : "testnet3");
        const auto descriptors =
            parse_watchable(row["account_pub_slip132"].get<std::string>(), network);
        ASSERT_TRUE(descriptors) << row.dump();
        ASSERT_EQ(descriptors->size(), 2U);
        const std::size_t slash = path.rfind('/');
        const auto index = static_cast<std::uint32_t>(std::stoul(path.substr(slash + 1)));
        const std::size_t key_chain = path[slash - 1] == '1' ? 1 : 0;
        auto deriver = ScriptDeriver::create(descriptors->at(key_chain)).value();
        EXPECT_EQ(address_of(deriver.script_pubkeys(index)->at(0), network),
                  row["address"].get<std::string>())
            << row.dump();
        ++compared;
    }
    EXPECT_GE(compared, 12U);
}

TEST(Watchable, IsWhatTheTextStandsFor) {
    using Texts = std::vector<std::string>;
    const std::string key = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
    const std::string wif = "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1";
    EXPECT_EQ(watchable(kAccountZpub),
              (Texts{"wpkh(" + kPlainZpub + "/0/*)", "wpkh(" + kPlainZpub + "/1/*)"}));
    EXPECT_EQ(watchable("[73c5da0a/84h/0h/0h]" + kAccountZpub),
              (Texts{"wpkh([73c5da0a/84h/0h/0h]" + kPlainZpub + "/0/*)",
                     "wpkh([73c5da0a/84h/0h/0h]" + kPlainZpub + "/1/*)"}));
    EXPECT_EQ(watchable(kPlainZpub),
              (Texts{"pkh(" + kPlainZpub + "/0/*)", "pkh(" + kPlainZpub + "/1/*)"}));
    EXPECT_TRUE(
        watchable(kAccountYpub).at(0).starts_with("sh(wpkh(xpub6C6nQwHaWbSrzs5tZ1q7m5R9cPK9eYpNMF"))
        << watchable(kAccountYpub).at(0);
    EXPECT_EQ(watchable("wpkh(" + kPlainZpub + "/<3;4>/*)"),
              (Texts{"wpkh(" + kPlainZpub + "/3/*)", "wpkh(" + kPlainZpub + "/4/*)"}));
    EXPECT_EQ(watchable("3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j"),
              (Texts{"addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j)"}));
    EXPECT_EQ(watchable("BC1QW508D6QEJXTDG4Y5R3ZARVARY0C5XW7KV8F3T4"),
              (Texts{"addr(bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4)"}));
    EXPECT_EQ(watchable(key), (Texts{"pk(" + key + ")"}));
    EXPECT_EQ(watchable(wif), (Texts{"pkh(" + wif + ")"}));
    EXPECT_EQ(watchable("raw(deadbeef)#89f8spxm"), (Texts{"raw(deadbeef)"}));
}

TEST(Watchable, IsAKeyWithAnOriginOfAnyLength) {
    std::string origin = "[73c5da0a";
    for (std::size_t steps = 1; steps <= 255; ++steps) origin += "/2147483647h";
    EXPECT_EQ(watchable(origin + ']' + kAccountZpub),
              (std::vector<std::string>{"wpkh(" + origin + ']' + kPlainZpub + "/0/*)",
                                        "wpkh(" + origin + ']' + kPlainZpub + "/1/*)"}));
    EXPECT_NE(watchable(origin + "/0]" + kAccountZpub).at(0).find("at most 255 steps"),
              std::string::npos);
}

// This is how wallets show an account's key.
TEST(Watchable, IsOfTheTypeThatTheOriginsPathSays) {
    const auto first_of = [](const std::string& path) {
        return watchable("[73c5da0a" + path + ']' + kPlainZpub).at(0);
    };
    const std::string key = kPlainZpub + "/0/*)";
    EXPECT_EQ(first_of("/44h/0h/0h"), "pkh([73c5da0a/44h/0h/0h]" + key);
    EXPECT_EQ(first_of("/49h/0h/0h"), "sh(wpkh([73c5da0a/49h/0h/0h]" + key + ")");
    EXPECT_EQ(first_of("/84h/0h/7h"), "wpkh([73c5da0a/84h/0h/7h]" + key);
    EXPECT_EQ(first_of("/86h/0h/0h"), "tr([73c5da0a/86h/0h/0h]" + key);
    for (const auto* path : {"", "/84h/0h", "/84/0h/0h", "/48h/0h/0h", "/84h/0h/0h/0"}) {
        EXPECT_NE(first_of(path).find("a function around the key"), std::string::npos) << path;
    }
}

TEST(Watchable, IsReadFromPrivateExtendedKeys) {
    // BIP84's account in SLIP132's encoding, and the descriptor of the same key.
    const std::string zprv =
        "zprvAdG4iTXWBoARxkkzNpNh8r6Qag3irQB8PzEMkAFeTRXxHpbF9z4QgEvBRmfvqWvGp42t42nvgGpNgYSJA9iefm"
        "1yYNZKEm7z6qUWCroSQnE";
    const auto texts = watchable(zprv);
    ASSERT_EQ(texts.size(), 2U) << texts.at(0);
    EXPECT_TRUE(
        texts[0].starts_with("wpkh(xprv9ybY78BftS5UGANki6oSifuQEjkpyAC8ZmBvBNTshQnCBcxnefjHS7"
                             "buPMkkqhcRzmoGZ5bokx7GuyDAiktd5HemohAU4wV1ZPMDRmLpBMm/0/*)"))
        << texts[0];
    EXPECT_EQ(watchable("wpkh(" + zprv + "/0/*)").at(0),
              "character 6: not supported; expected this key with the version of BIP32, as xprv or "
              "tprv");
}

TEST(Watchable, IsRefusedForItsReason) {
    const auto reason = [](std::string_view text, std::string_view network = "mainnet") {
        const auto texts = watchable(text, network);
        return texts.at(0);
    };
    const auto expect = [&](std::string_view text, std::string_view part,
                            std::string_view network = "mainnet") {
        EXPECT_NE(reason(text, network).find(part), std::string::npos)
            << text << ": " << reason(text, network);
    };
    expect(kAccountZpub, "of another network; expected a key of regtest", "regtest");
    expect(kPlainZpub, "of another network; expected a key of signet", "signet");
    expect("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "an address of regtest", "regtest");
    expect("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t5", "invalid address");
    expect("bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kV8f3t4", "case");
    // An address as long as a public key.
    const std::string p2tr = "bcrt1p0xlxvlhemja6c4dqv22uapctqupfhlxm9h8z3k2e72q4k9hcz7vqc8gma7";
    ASSERT_EQ(p2tr.size(), 64U);
    expect(p2tr, "invalid address; expected an address of regtest (wrong checksum", "regtest");
    expect("bc1" + std::string(61, 'a'), "66 or 130");
    expect(kAccountZpub.substr(0, 110) + "t", "invalid key");
    expect("L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY2", "invalid key");
    expect("a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd", "66 or 130");
    expect("[00000000]" + kPlainZpub, "a function around the key");
    expect("[00000000]" + kPlainZpub, "character 11: of another network", "regtest");
    expect("[0000000]" + kAccountZpub, "character 2: invalid key origin");
    expect("[00000000" + kAccountZpub, "']'");
    expect("[00000000]" + kAccountZpub + "/0/*", "character 11: not supported");
    expect("wpkh(" + kAccountZpub + "/0/*)", "not supported; expected this key as " + kPlainZpub);
    expect("wpkh(" + kAccountZpub + "/0/*)", "character 6: of another network", "signet");
    expect(kPlainZpub + "/0/*", "a function around the key");
    expect("hello", "a descriptor, an extended key, an address or a key");
    expect("", "a descriptor, an extended key, an address or a key");
    expect("wpkh(hello)", "character 6: invalid key");
    expect(std::string(40'000, 'x'), "too long");
    expect("[00000000/" + std::string(40'000, '0') + ']' + kAccountZpub, "too long");
}

TEST(Watchable, IsNotReadFromMultisigFormsOfOneKey) {
    // BIP84's account with the version bytes of Ypub, Zpub, Upub and Vpub.
    for (const char* text : {
             "Ypub6iKEwY7vSSjckWoib9b47yHSgXn2Xbb5ANHQgR2v1XXTjhg5DGbNh6ST4WqtikQsVGafKaD2gg85foUgL"
             "CxG1"
             "HSqEMJJgfCVepCFMi9sffi",
             "Zpub739WFCnqb8H6bozqRWNgL4NwrVvUUDaa5UodTovoPXuLnoVJTvkwKA6b5ioUif4ntuhU53ob9LUdZ66F3"
             "uNGo"
             "X8S6gzjGa1yvYFtkDRknR2",
             "Upub5QzBisSFqiZhML3FFiSZHcuRzfCEm7d5VvCXYqTNVW1wXJRACdw8Cqotyh1Yj7oBri7SKfpnr2ht8f2RT"
             "RJCp"
             "LiRkzWcM1vYZuwfoM3opLR",
             "Vpub5jpT2Y7AzQ7BCdEN65EBVhzwAdLghjcaR2ikLEMFsWPpaQEPTJ6gpuU2zty8j2T7GMEF59RMJh4S1wdzB"
             "7iDc"
             "aQ2dLD2vvk2qe1KByf7ky3",
         }) {
        EXPECT_EQ(watchable(text),
                  std::vector<std::string>{"character 1: not supported; expected a descriptor with "
                                           "all keys, as wsh(sortedmulti(2,KEY,KEY))"});
    }
}

TEST(Watchable, ObeysTheOptions) {
    const auto& network = *chain::find_network("mainnet");
    DescriptorOptions options;
    const auto kind = [&](std::string_view text) {
        return describe(parse_watchable(text, network, options).error().kind);
    };
    options.keys = DescriptorOptions::Keys::only_public;
    EXPECT_EQ(kind("L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1"), "a private key");
    EXPECT_TRUE(parse_watchable(kAccountZpub, network, options));
    options.keys = DescriptorOptions::Keys::only_private;
    EXPECT_EQ(kind(kAccountZpub), "a public key");
    EXPECT_EQ(kind("3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j"), "a public key");
    options.require_checksum = true;
    EXPECT_EQ(kind("raw(deadbeef)"), "the checksum is missing");
}

}  // namespace
}  // namespace petal::wallet
