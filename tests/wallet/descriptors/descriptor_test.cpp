#include "wallet/descriptors/descriptor.h"

#include <gtest/gtest.h>

#include <array>
#include <string>

#include "tests/support/mnemonic.h"
#include "wallet/descriptors/descriptor_checksum.h"
#include "wallet/keys/mnemonic.h"

namespace petal::wallet {
namespace {

PublicAccount public_account(const chain::NetworkParams& network, Account account = {}) {
    const auto seed = Mnemonic::parse(test::kMnemonic).value().seed("").value();
    const auto master = ExtendedPrivateKey::from_seed(seed.view()).value();
    const auto path = account_path(account, network.coin_type);
    return {account.kind, master.fingerprint(), master.derive_path(path).value().public_key()};
}

std::string account_descriptor(const PublicAccount& account, KeyChain chain,
                               const chain::NetworkParams& network) {
    return descriptor_of(account, chain, network).to_string(network);
}

// The checksums are from BIP380's reference code, the account keys from BIP84.
TEST(Descriptor, NamesTheOriginTheKeyAndTheChain) {
    const auto& mainnet = *chain::find_network("mainnet");
    const PublicAccount account = public_account(mainnet);
    EXPECT_EQ(
        account_descriptor(account, KeyChain::receive, mainnet),
        "wpkh([73c5da0a/84h/0h/0h]xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEb"
        "vqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V/0/*)#afwvtk2s");
    EXPECT_EQ(
        account_descriptor(account, KeyChain::change, mainnet),
        "wpkh([73c5da0a/84h/0h/0h]xpub6CatWdiZiodmUeTDp8LT5or8nmbKNcuyvz7WyksVFkKB4RHwCD3XyuvPEb"
        "vqAQY3rAPshWcMLoP2fMFMKHPJ4ZeZXYVUhLv1VMrjPC7PW6V/1/*)#vatdkr6g");
}

TEST(Descriptor, HasTheCoinTypeOfTestNetworks) {
    for (const char* name : {"testnet3", "testnet4", "signet", "regtest"}) {
        const auto& network = *chain::find_network(name);
        EXPECT_EQ(
            account_descriptor(public_account(network), KeyChain::receive, network),
            "wpkh([73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL"
            "2XVWbVm39yBA4LAxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M/0/*)#evh9fu0w");
    }
}

// The keys and checksums are from an independent implementation in Python.
TEST(Descriptor, NamesTheFunctionOfTheKindAndTheAccount) {
    const auto& network = *chain::find_network("regtest");
    const auto descriptor = [&](ScriptKind kind, std::uint32_t number, KeyChain chain) {
        return account_descriptor(public_account(network, {kind, number}), chain, network);
    };
    EXPECT_EQ(
        descriptor(ScriptKind::pkh, 0, KeyChain::receive),
        "pkh([73c5da0a/44h/1h/0h]tpubDC5FSnBiZDMmhiuCmWAYsLwgLYrrT9rAqvTySfuCCrgsWz8wxMXUS9Tb9iVM"
        "vcRbvFcAHGkMD5Kx8koh4GquNGNTfohfk7pgjhaPCdXpoba/0/*)#r32y5znw");
    EXPECT_EQ(
        descriptor(ScriptKind::sh_wpkh, 0, KeyChain::receive),
        "sh(wpkh([73c5da0a/49h/1h/0h]tpubDD7tXK8KeQ3YY83yWq755fHY2JW8Ha8Q765tknUM5rSvjPcGWfUppDFM"
        "pQ1ScziKfW3ZNtZvAD7M3u7bSs7HofjTD3KP3YxPK7X6hwV8Rk2/0/*))#k36xjgeu");
    EXPECT_EQ(
        descriptor(ScriptKind::tr, 2, KeyChain::change),
        "tr([73c5da0a/86h/1h/2h]tpubDDfvzhdVV4unz2Y7RHgTM5a1bB62eojnw4gtUCibaQK9rEDgkaMn6ocK89ehP"
        "JCdgyRrYYMwN2AFNpwjdGtSvHnPxzDGwFy4FaTWc3x1Vdt/1/*)#60rwnept");
}

// From BIP380 and from the examples in Bitcoin Core's doc/descriptors.md.
TEST(DescriptorChecksum, MatchesPublishedOnes) {
    EXPECT_EQ(descriptor_checksum("raw(deadbeef)"), "89f8spxm");
    EXPECT_EQ(descriptor_checksum(
                  "pkh(02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5)"),
              "8fhd9pwu");
    EXPECT_EQ(descriptor_checksum(
                  "wpkh(02f9308a019258c31049344f85f89d5229b531c845836f99b08601f113bce036f9)"),
              "8zl0zxma");
    EXPECT_NE(descriptor_checksum("raw(dedbeef)"), "89f8spxm");
}

TEST(DescriptorChecksum, CoversEveryCharacterAndItsPlace) {
    const std::string text = "wpkh(02f9308a01)";
    const auto checksum = descriptor_checksum(text);
    for (std::size_t i = 0; i < text.size(); ++i) {
        std::string changed = text;
        changed[i] = changed[i] == 'x' ? 'y' : 'x';
        EXPECT_NE(descriptor_checksum(changed), checksum) << changed;
        EXPECT_NE(descriptor_checksum(text.substr(0, i)), checksum) << i;
    }
}

TEST(DescriptorChecksum, RefusesCharactersThatDescriptorsDoNotHave) {
    for (const std::string text : {"\t", "\n", "\x7f", "\xc3\xbc", "raw(\xff)"}) {
        EXPECT_FALSE(descriptor_checksum(text));
    }
    EXPECT_FALSE(descriptor_checksum(std::string{"a\0b", 3}));
    EXPECT_TRUE(descriptor_checksum("\"# \\`~"));
}

TEST(KeyPath, IsWrittenWithH) {
    const Account first;
    EXPECT_EQ(path_to_string(account_path(first, 1)), "/84h/1h/0h");
    const Account last{ScriptKind::pkh, kHardened - 1};
    EXPECT_EQ(path_to_string(account_path(last, 0)), "/44h/0h/2147483647h");
    EXPECT_EQ(path_to_string(std::array{1U, kHardened - 1}), "/1/2147483647");
    EXPECT_EQ(path_to_string({}), "");
    EXPECT_EQ(account_path(first, 1), (AccountPath{0x8000'0054, 0x8000'0001, 0x8000'0000}));
}

}  // namespace
}  // namespace petal::wallet
