/// Descriptors of every form, as Bitcoin Core reads and derives them.
#include <gtest/gtest.h>

#include <memory>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "tests/integration/full_node.h"
#include "tests/support/random_descriptor.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/script_deriver.h"

namespace petal::test {
namespace {

using wallet::Descriptor;

// BIP381's keys and the master key of "abandon … about", encoded for test networks.
const std::string kHexKey = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
const std::string kUncompressedKey =
    "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c0"
    "2559e3aa73aa03918ba2d492eea75abea235";
const std::string kWifKey = "cVDJUtDjdaM25yNVVDLLX3hcHUfth4c7tY3rSc4hy9e8ibtCuj6G";
const std::string kTestXpub =
    "[73c5da0a/84h/1h/0h]tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4L"
    "AxysQAm397zwQSQoQgewGiYZqrA9DsP4zbQ1M";
const std::string kTestXprv =
    "tprv8ZgxMBicQKsPe5YMU9gHen4Ez3ApihUfykaqUorj9t6FDqy3nP6eoXiAo2ssvpAjoLroQxHqr3R5nE3a5dU3DHTjTg"
    "J"
    "Dd7zrbniJr6nrCzd";

class DescriptorsOfBitcoinCore : public testing::Test {
protected:
    void SetUp() override {
        const auto why = why_missing(NodeKind::bitcoind);
        if (!why.empty()) GTEST_SKIP() << why;
        node = FullNode::start(NodeKind::bitcoind);
    }

    static bool has_address(const Descriptor& descriptor) {
        return descriptor.function() != wallet::ScriptFunction::combo &&
               descriptor.function() != wallet::ScriptFunction::raw &&
               !(descriptor.wrapping() == wallet::ScriptWrapping::none &&
                 (descriptor.function() == wallet::ScriptFunction::pk ||
                  descriptor.function() == wallet::ScriptFunction::multi ||
                  descriptor.function() == wallet::ScriptFunction::sortedmulti));
    }

    static const chain::NetworkParams& network() { return *chain::find_network("regtest"); }

    /// Expects that Bitcoin Core writes the public descriptor as petal does, and derives the same
    /// addresses.
    void expect_the_same(const std::string& text) const {
        SCOPED_TRACE(text);
        const auto parsed = Descriptor::parse(text, network());
        ASSERT_TRUE(parsed) << describe(parsed.error());
        for (const Descriptor& descriptor : parsed->single_paths()) {
            const std::string whole{descriptor.to_private_string(network())};
            EXPECT_EQ(node->public_descriptor(whole), descriptor.to_string(network()));
            if (!has_address(descriptor)) continue;
            auto deriver = wallet::ScriptDeriver::create(descriptor).value();
            std::uint32_t index = 0;
            for (const std::string& address : node->derive_addresses(whole, 3)) {
                const auto scripts = deriver.script_pubkeys(index++).value();
                EXPECT_EQ(address, wallet::address_of(scripts.at(0), network()));
            }
            EXPECT_EQ(index, descriptor.is_range() ? 3 : 1);
            compared_addresses_ += index;
        }
    }

    std::unique_ptr<FullNode> node;
    mutable std::uint64_t compared_addresses_ = 0;
};

TEST_F(DescriptorsOfBitcoinCore, HaveTheSameTextsAndAddressesInEveryForm) {
    for (const std::string& text : {
             "pk(" + kHexKey + ")",
             "pk(" + kUncompressedKey + ")",
             "pkh(" + kWifKey + ")",
             "pkh(" + kUncompressedKey + ")",
             "pkh(" + kTestXprv + "/44h/1h/0h/0/*)",
             "wpkh(" + kTestXpub + "/0/*)",
             "wpkh(" + kTestXpub + "/<0;1>/*)",
             "wpkh(" + kTestXprv + "/<0h;1>/2h/*h)",
             "sh(wpkh(" + kTestXprv + "/49h/1h/0h/1/*))",
             "tr(" + kTestXpub + "/1/*)",
             "tr(" + kHexKey + ")",
             "tr(" + kHexKey.substr(2) + ")",
             "tr(" + kWifKey + ")",
             "combo(" + kTestXpub + "/*)",
             "combo(" + kUncompressedKey + ")",
             std::string{"addr(bcrt1qw508d6qejxtdg4y5r3zarvary0c5xw7kygt080)"},
             std::string{"raw(deadbeef)"},
             "sh(pk(" + kHexKey + "))",
             "sh(pkh(" + kUncompressedKey + "))",
             "wsh(pk(" + kTestXpub + "/7))",
             "wsh(pkh(" + kTestXpub + "/7/*))",
             "sh(wsh(pkh(" + kHexKey + ")))",
             "multi(1," + kHexKey + "," + kUncompressedKey + "," + kTestXpub + "/*)",
             "sortedmulti(2," + kTestXpub + "/1/*," + kHexKey + ")",
             "sh(multi(2," + kTestXpub + "/<0;1>/*," + kWifKey + "))",
             "sh(sortedmulti(2," + kTestXpub + "/0/*," + kTestXprv + "/48h/*))",
             "wsh(multi(2," + kTestXpub + "/0/*," + kTestXprv + "/48h/*h))",
             "wsh(sortedmulti(2," + kTestXpub + "/0/*," + kTestXprv + "/48h/*))",
             "sh(wsh(sortedmulti(1," + kTestXpub + "/<0;1;2>/*," + kTestXprv + "/<3;4;5>/*)))",
         }) {
        expect_the_same(text);
    }
    EXPECT_GT(compared_addresses_, 50U);
}

TEST_F(DescriptorsOfBitcoinCore, HaveTheSameTextsAndAddressesIfRandom) {
    std::mt19937_64 random(19);
    for (int i = 0; i < 150; ++i) expect_the_same(random_descriptor(random, network()));
    EXPECT_GT(compared_addresses_, 200U);
}

TEST_F(DescriptorsOfBitcoinCore, AreRefusedByBothOrByNeither) {
    std::mt19937_64 random(20);
    constexpr std::string_view kCharacters = "()[],/*'h<>;#019afxs";
    int refused = 0;
    for (int i = 0; i < 300; ++i) {
        std::string text = random_descriptor(random, network());
        const std::size_t position = random() % text.size();
        const char character = kCharacters[random() % kCharacters.size()];
        if (random() % 2 == 0) {
            text.insert(position, 1, character);
        } else {
            text[position] = character;
        }
        // Bitcoin Core also reads hardened steps after public keys, although it cannot derive them.
        wallet::DescriptorOptions options;
        options.allow_underivable = true;
        const bool accepted = Descriptor::parse(text, network(), options).has_value();
        bool accepted_by_core = true;
        try {
            static_cast<void>(node->public_descriptor(text));
        } catch (const std::runtime_error&) {
            accepted_by_core = false;
        }
        EXPECT_EQ(accepted, accepted_by_core) << text;
        if (!accepted) ++refused;
    }
    EXPECT_GT(refused, 100);
}

}  // namespace
}  // namespace petal::test
