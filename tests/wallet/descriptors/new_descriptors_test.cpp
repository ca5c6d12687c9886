#include "wallet/descriptors/new_descriptors.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chain/bytes.h"
#include "chain/network_params.h"
#include "tests/support/hex.h"
#include "wallet/keys/extended_key.h"

namespace petal::wallet {
namespace {

// BIP381's vectors: an uncompressed key has no segwit outputs.
TEST(NewDescriptors, ComboOfAnUncompressedKeyHasOnePart) {
    const std::string key =
        "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c77"
        "09c02559e3aa73aa03918ba2d492eea75abea235";
    const std::vector<std::string> texts{"combo(" + key + ")"};
    const auto read = parse_new_descriptors(texts, *chain::find_network("regtest"));
    ASSERT_TRUE(read) << read.error().reason;
    ASSERT_EQ(read->descriptors.size(), 1U);
    EXPECT_TRUE(read->descriptors[0].text.starts_with("pkh(" + key + ")#"));
}

// What is stored must be accepted when the wallet is opened.
TEST(NewDescriptors, AreRefusedIfNoInputCanSpendTheirScript) {
    for (const std::size_t bytes : {10'000U, 10'001U}) {
        chain::Bytes script(bytes, 0x61);
        script[0] = 20;  // pushes the next 20 bytes
        const auto read = parse_new_descriptors(std::vector{"raw(" + chain::to_hex(script) + ")"},
                                                *chain::find_network("regtest"));
        EXPECT_EQ(read.has_value(), bytes == 10'000) << bytes;
    }
}

const std::string kAccountKey =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQA"
    "m397zwQSQoQgewGiYZqrA9DsP4zbQ1M";

// The master key of test::kMnemonic, whose accounts are hardened.
const std::string kMasterKey =
    "tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56hjod1RhGjxbaTLV3X4FyWuej"
    "ifB9jusQ46QzG87VKp";

TEST(NewDescriptors, SayWhatIsWatchedOfAKeyThatIsNoAccount) {
    const auto& network = *chain::find_network("regtest");
    const auto notes_of = [&](const std::string& text) {
        const auto read = parse_new_descriptors(std::vector{text}, network);
        std::string notes;
        for (const std::string& note : read.value().notes) notes += note + "\n";
        return notes;
    };
    const auto account = ExtendedPublicKey::parse(kAccountKey, network).value();
    const std::string chain_key = account.derive(0).value().to_string(network);
    const std::string deeper = "the key is no account, which has depth 3, but has depth 4";
    EXPECT_NE(notes_of(kMasterKey).find("a master key (depth 0), not an account"),
              std::string::npos);
    EXPECT_NE(notes_of(chain_key).find(deeper), std::string::npos);
    for (const std::string& key : {kMasterKey, chain_key}) {
        EXPECT_NE(notes_of(key).find("KEY/0/* and KEY/1/*"), std::string::npos) << notes_of(key);
        EXPECT_EQ(notes_of("wpkh(" + key + "/<0;1>/*)"), "") << "the path is given";
    }
    EXPECT_EQ(notes_of(kAccountKey).find("depth"), std::string::npos) << notes_of(kAccountKey);
}

/// A multisig descriptor of keys with long origins, of about this number of characters.
std::string long_descriptor(std::size_t characters) {
    constexpr int kKeys = 12;
    std::string text = "wsh(multi(1";
    for (int key = 0; key < kKeys; ++key) {
        const std::string end = "]" + kAccountKey + "/" + std::to_string(key);
        text += ",[d34db33f";
        const std::size_t size = (characters - 2) * static_cast<std::size_t>(key + 1) / kKeys;
        while (text.size() + end.size() + 12 <= size) text += "/2147483647h";
        while (text.size() + end.size() + 2 <= size) text += "/1";
        text += end;
    }
    return text + "))";
}

TEST(NewDescriptors, AreRefusedIfTheyAreTooLongWithTheirChecksum) {
    for (const std::size_t more : {0U, 9U}) {
        const std::string text = long_descriptor(kMaxDescriptorCharacters - 9 + more);
        const auto read = parse_new_descriptors(std::vector{text}, *chain::find_network("regtest"));
        EXPECT_EQ(read.has_value(), more == 0) << (read ? "" : read.error().reason);
    }
}

TEST(NewDescriptors, AreAThousandAtMost) {
    const auto& network = *chain::find_network("regtest");
    std::vector<std::string> texts;
    for (std::size_t number = 1'000; number < 1'000 + kMaxNewDescriptors; ++number) {
        texts.push_back("raw(10" + test::repeat("75", 14) + std::to_string(number) + ")");
    }
    const auto most = parse_new_descriptors(texts, network);
    ASSERT_TRUE(most) << most.error().reason;
    EXPECT_EQ(most->descriptors.size(), kMaxNewDescriptors);

    texts.push_back("raw(10" + test::repeat("75", 16) + ")");
    const auto more = parse_new_descriptors(texts, network);
    ASSERT_FALSE(more);
    EXPECT_EQ(more.error().given, kMaxNewDescriptors);
    EXPECT_EQ(more.error().reason, "at most 1000 are read at once");
}

// Bitcoin Core: doc/descriptors.md, and the key of BIP380's examples.
constexpr const char* kRegtestWif = "cVpF924EspNh8KjYsfhgY96mmxvT6DgdWiTYMtMjuM74hJaU5psW";
constexpr const char* kPublicOnly =
    "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
// BIP32's first test vector as a key of test networks.
constexpr const char* kMasterTprv =
    "tprv8ZgxMBicQKsPeDgjzdC36fs6bMjGApWDNLR9erAXMs5skhMv36j9MV5ecvfavji5khqjWaWSFhN3YcCUUdiKH6isR4"
    "Pwy3U5y5egddBr16m";

chain::Expected<NewDescriptors, RefusedText> read_private(const std::string& file) {
    return parse_private_descriptors(file, *chain::find_network("regtest"));
}

TEST(PrivateDescriptorFile, HasADescriptorALine) {
    const std::string tprv(kMasterTprv);
    const auto read =
        read_private("# receive\n\n  wpkh(" + tprv + "/84h/1h/0h/0/*)\t\r\n" + "wpkh(" + tprv +
                     "/84'/1'/0'/1/*)\n\n#\npkh(" + kRegtestWif + ")");
    ASSERT_TRUE(read) << read.error().reason;
    ASSERT_EQ(read->descriptors.size(), 3U);
    EXPECT_EQ(read->descriptors[0].given, 2U);
    EXPECT_EQ(read->descriptors[1].given, 3U);
    EXPECT_EQ(read->descriptors[2].given, 6U);
    EXPECT_EQ(read->descriptors[0].chain, KeyChain::receive);
    EXPECT_EQ(read->descriptors[1].chain, KeyChain::change);
    EXPECT_TRUE(read->descriptors[0].text.starts_with("wpkh([3442193e/84h/1h/0h]tpub"));
    EXPECT_TRUE(read->descriptors[0].private_text.starts_with("wpkh(tprv8ZgxMBicQKsPe"));
    EXPECT_FALSE(read->descriptors[0].descriptor.has_private_keys());
    EXPECT_TRUE(read_private("")->descriptors.empty());
    EXPECT_TRUE(read_private("\n# nothing\n \n")->descriptors.empty());
}

// BIP389: the second path is the change path, whatever its number.
TEST(PrivateDescriptorFile, TakesTheOrderOfAMultipathForRoles) {
    const auto read = read_private("wpkh(" + std::string(kMasterTprv) + "/<1;0>/*)");
    ASSERT_TRUE(read);
    EXPECT_EQ(read->descriptors[0].chain, KeyChain::receive);
    EXPECT_EQ(read->descriptors[1].chain, KeyChain::change);
}

struct RefusedCase {
    const char* name;
    std::string file;
    std::size_t given;
    const char* reason;  // the beginning of the error text
};

void PrintTo(const RefusedCase& c, std::ostream* out) {
    *out << c.name;
}

class RefusedPrivateDescriptors : public testing::TestWithParam<RefusedCase> {};

TEST_P(RefusedPrivateDescriptors, SayWhereAndWhy) {
    const auto read = read_private(GetParam().file);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().given, GetParam().given);
    EXPECT_TRUE(read.error().reason.starts_with(GetParam().reason)) << read.error().reason;
    EXPECT_EQ(read.error().reason.find("cVpF924"), std::string::npos);
    EXPECT_EQ(read.error().reason.find("tprv8"), std::string::npos);
}

std::string wif_in(const std::string& before, const std::string& behind = ")") {
    return before + kRegtestWif + behind;
}

INSTANTIATE_TEST_SUITE_P(
    Files, RefusedPrivateDescriptors,
    testing::Values(
        RefusedCase{"Syntax", "#\n  wpkh(", 1, "character 8: invalid key; expected a key"},
        RefusedCase{"BareKey", kRegtestWif, 0,
                    "character 1: not a descriptor; expected a function"},
        RefusedCase{"PublicKey", "wpkh(" + std::string(kPublicOnly) + ")", 0,
                    "character 6: a public key; expected a private key (xprv, tprv or WIF); a "
                    "watch-only wallet takes"},
        RefusedCase{"Address", "addr(bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk)", 0,
                    "it has no private key; a watch-only wallet takes"},
        RefusedCase{"Checksum", wif_in("pkh(", ")#aaaaaaaa"), 0, "character 59: wrong checksum"},
        // The same key in mainnet's encoding.
        RefusedCase{"OtherNetwork", "pkh(L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1)", 0,
                    "character 5: of another network; expected a key of regtest"},
        RefusedCase{"Multisig", wif_in("wsh(multi(1,", "))"), 0,
                    "wsh(multi(1 of 1)) is not spent by petal, which signs for"},
        RefusedCase{"PublicKeyOutput", wif_in("pk("), 0, "pk is not spent by petal"},
        RefusedCase{"NestedPkh", wif_in("sh(pkh(", "))"), 0, "sh(pkh) is not spent by petal"},
        // The first uncompressed key of Bitcoin Core's key tests, on test networks.
        RefusedCase{"Uncompressed", "pkh(9213qJab2HNEpMpYNBa7wHGFKKbkDn24jpANDs2huN3yi4J11ko)", 0,
                    "its key is uncompressed, and petal signs with compressed keys only"},
        RefusedCase{"HardenedWildcard", "wpkh(" + std::string(kMasterTprv) + "/0/*h)", 0,
                    "addresses of a hardened wildcard (*h) can't be derived"},
        RefusedCase{"GivenTwice", wif_in("pkh(") + "\n" + wif_in("pkh("), 1, "it is given twice"},
        RefusedCase{"FormsOfOneKey", wif_in("pkh(") + "\n" + wif_in("sh(wpkh(", "))"), 1,
                    "a filter that held it, too, would show peers that it belongs to pkh("}),
    [](const auto& tested) { return tested.param.name; });

TEST(PrivateDescriptorFile, HasABoundForAllDescriptorsTogether) {
    std::string file;
    const std::string tprv(kMasterTprv);
    std::size_t lines = 0;
    for (; lines < 600; ++lines) file += "wpkh(" + tprv + "/" + std::to_string(lines) + "h/*)\n";
    const auto read = read_private(file);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().reason, "all descriptors together may have 65000 characters");
    const std::size_t most = read.error().given;
    std::size_t end = 0;
    for (std::size_t i = 0; i < most; ++i) end = file.find('\n', end) + 1;
    EXPECT_EQ(read_private(file.substr(0, end))->descriptors.size(), most);
}

}  // namespace
}  // namespace petal::wallet
