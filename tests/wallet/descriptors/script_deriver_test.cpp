#include "wallet/descriptors/script_deriver.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "chain/hash.h"
#include "chain/script/script.h"

namespace petal::wallet {
namespace {

const chain::NetworkParams& bitcoin() {
    return *chain::find_network("mainnet");
}

Descriptor descriptor_from(const std::string& text) {
    return Descriptor::parse(text, bitcoin()).value();
}

ScriptDeriver deriver_of(const std::string& text) {
    return ScriptDeriver::create(descriptor_from(text)).value();
}

std::string origin_text(const KeyOrigin& origin) {
    return chain::to_hex(origin.fingerprint) + path_to_string(origin.path);
}

// BIP32's first test vector: the master key and m/0h/1.
const std::string kBip32Master =
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtR"
    "BeJgk33yuGBxrMPHi";
const std::string kMasterXpub =
    "xpub661MyMwAqRbcFtXgS5sYJABqqG9YLmC4Q1Rdap9gSE8NqtwybGhePY2gZ29ESFjqJoCu1Rupje8YtGqsefD265TMg7"
    "usUDFdp6W1EGMcet8";
const std::string kGrandchildXpub =
    "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2Ax"
    "Y"
    "ysAA7xmALppuCkwQ";
const std::string kMasterFingerprint = "3442193e";
const std::string kKey = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
const std::string kOtherKey = "02df12b7035bdac8e3bab862a3a83d06ea6b17b6753d52edecba9be46f5d09e076";

TEST(ScriptDeriver, TellsWhereEachKeyComesFrom) {
    for (const auto& [descriptor, expected] : {
             std::tuple{"pkh(" + kBip32Master + "/0h/1/*)", kMasterFingerprint + "/0h/1/7"},
             std::tuple{"pkh(" + kBip32Master + "/0h/1/*h)", kMasterFingerprint + "/0h/1/7h"},
             std::tuple{"pkh(" + kBip32Master + "/0h/1)", kMasterFingerprint + "/0h/1"},
             std::tuple{"wpkh([01234567/84h/0h]" + kMasterXpub + "/1/*)",
                        std::string{"01234567/84h/0h/1/7"}},
             std::tuple{"tr([01234567/84h/0h]" + kKey + ")", std::string{"01234567/84h/0h"}},
             // The fingerprint of a key is the first four bytes of its own hash.
             std::tuple{"pk(" + kKey + ")", std::string{"9a1c78a5"}},
             std::tuple{std::string{"pk(5KYZdUEo39z3FPrtuX2QbbwGnNP5zTd7yyr2SC1j299sBCnWjss)"},
                        std::string{"b5bd079c"}},
         }) {
        const auto derived = deriver_of(descriptor).derive(7).value();
        ASSERT_EQ(derived.keys.size(), 1U);
        EXPECT_EQ(origin_text(derived.keys[0].origin), expected);
    }
}

// This is the key of BIP32's first test vector at m/0h/1.
TEST(ScriptDeriver, DerivesTheSameFromPrivateAndPublicKeys) {
    const auto from_private = deriver_of("wpkh(" + kBip32Master + "/0h/1/*)").derive(3).value();
    const auto from_public = deriver_of("wpkh(" + kGrandchildXpub + "/*)").derive(3).value();
    EXPECT_EQ(from_private.scripts, from_public.scripts);
    EXPECT_EQ(from_private.keys[0].key, from_public.keys[0].key);
    const auto watch_only =
        descriptor_from("wpkh(" + kBip32Master + "/0h/1/*)").watch_only().value();
    // The step 1 is not hardened, so it is derived from the public key.
    EXPECT_EQ(origin_text(watch_only.keys()[0].origin.value()), kMasterFingerprint + "/0h");
    EXPECT_EQ(ScriptDeriver::create(watch_only)->derive(3)->scripts, from_public.scripts);
}

TEST(Descriptor, IsWatchedOnlyBelowTheLastHardenedStepOfAllItsPaths) {
    const auto watch_only = descriptor_from("wpkh(" + kBip32Master + "/0h/<1;2>/*)").watch_only();
    ASSERT_TRUE(watch_only);
    const auto paths = watch_only->single_paths();
    EXPECT_EQ(ScriptDeriver::create(paths.at(0))->derive(3)->scripts,
              deriver_of("wpkh(" + kGrandchildXpub + "/*)").derive(3)->scripts);
    EXPECT_EQ(ScriptDeriver::create(paths.at(1))->derive(3)->scripts,
              deriver_of("wpkh(" + kBip32Master + "/0h/2/*)").derive(3)->scripts);
    EXPECT_FALSE(descriptor_from("wpkh(" + kBip32Master + "/<0;1>/2h/*)").watch_only());
    EXPECT_FALSE(descriptor_from("wpkh(" + kBip32Master + "/<0h;1>/*)").watch_only());
    EXPECT_FALSE(descriptor_from("wpkh(" + kBip32Master + "/0/*h)").watch_only());
}

TEST(ScriptDeriver, SaysHowTheKeyIsWritten) {
    EXPECT_EQ(deriver_of("tr(" + kKey + ")").derive(0)->keys.at(0).form, KeyForm::x_only);
    EXPECT_EQ(deriver_of("wpkh(" + kKey + ")").derive(0)->keys.at(0).form, KeyForm::compressed);
}

TEST(ScriptDeriver, GivesTheScriptsThatOutputsCommitTo) {
    const auto multi = deriver_of("multi(1," + kKey + "," + kOtherKey + ")").derive(0).value();
    const chain::Bytes& script = multi.scripts.at(0).script_pubkey;
    EXPECT_EQ(chain::to_hex(script), "5121" + kKey + "21" + kOtherKey + "52ae");
    EXPECT_TRUE(multi.scripts[0].redeem_script.empty());
    EXPECT_TRUE(multi.scripts[0].witness_script.empty());

    const std::string inside = "(multi(1," + kKey + "," + kOtherKey + "))";
    const auto sh = deriver_of("sh" + inside).derive(0).value().scripts.at(0);
    EXPECT_EQ(sh.redeem_script, script);
    EXPECT_TRUE(sh.witness_script.empty());
    EXPECT_EQ(sh.script_pubkey, chain::p2sh_script(chain::hash160(script)));

    const auto wsh = deriver_of("wsh" + inside).derive(0).value().scripts.at(0);
    EXPECT_TRUE(wsh.redeem_script.empty());
    EXPECT_EQ(wsh.witness_script, script);
    EXPECT_EQ(wsh.script_pubkey, chain::witness_program_script(0, chain::sha256(script)));

    const auto both = deriver_of("sh(wsh" + inside + ")").derive(0).value().scripts.at(0);
    EXPECT_EQ(both.redeem_script, wsh.script_pubkey);
    EXPECT_EQ(both.witness_script, script);
    EXPECT_EQ(both.script_pubkey, chain::p2sh_script(chain::hash160(wsh.script_pubkey)));

    const auto nested = deriver_of("sh(wpkh(" + kKey + "))").derive(0).value().scripts.at(0);
    EXPECT_EQ(chain::to_hex(nested.redeem_script), "00149a1c78a507689f6f54b847ad1cef1e614ee23f1e");
}

TEST(ScriptDeriver, SortsTheKeysOfScriptsButKeepsTheOrderOfTheDescriptor) {
    const auto sorted =
        deriver_of("sortedmulti(2," + kKey + "," + kOtherKey + ")").derive(0).value();
    EXPECT_EQ(chain::to_hex(sorted.scripts.at(0).script_pubkey),
              "5221" + kOtherKey + "21" + kKey + "52ae");
    EXPECT_EQ(chain::to_hex(sorted.keys.at(0).key.compressed()), kKey);
    EXPECT_EQ(chain::to_hex(sorted.keys.at(1).key.compressed()), kOtherKey);
}

TEST(ScriptDeriver, HasTheSameScriptAtEachIndexUnlessTheDescriptorIsARange) {
    const auto scripts = [](const std::string& text) {
        auto deriver = deriver_of(text);
        return std::pair{deriver.script_pubkeys(0).value(), deriver.script_pubkeys(1).value()};
    };
    for (const std::string& text :
         {std::string{"raw(deadbeef)"}, std::string{"addr(3PUNyaW7M55oKWJ3kDukwk9bsKvryra15j)"},
          "wpkh(" + kMasterXpub + "/1)", "combo(" + kKey + ")"}) {
        EXPECT_EQ(scripts(text).first, scripts(text).second) << text;
        EXPECT_FALSE(descriptor_from(text).is_range());
    }
    for (const std::string& text : {"wpkh(" + kMasterXpub + "/*)", "wpkh(" + kBip32Master + "/*h)",
                                    "multi(1," + kKey + "," + kMasterXpub + "/*)"}) {
        EXPECT_NE(scripts(text).first, scripts(text).second) << text;
        EXPECT_TRUE(descriptor_from(text).is_range());
    }
}

TEST(ScriptDeriver, KeepsDerivableElementsOfComboInGroups) {
    const auto combo = deriver_of("combo(" + kKey + ")").derive(0).value();
    ASSERT_EQ(combo.scripts.size(), 4U);
    std::vector<std::string> elements;
    std::vector<std::size_t> groups;
    for (const DerivedScript& script : combo.scripts) {
        elements.push_back(chain::to_hex(chain::watch_element(script.script_pubkey)));
        groups.push_back(script.filter_group);
    }
    EXPECT_EQ(groups, (std::vector<std::size_t>{0, 1, 1, 2}));
    EXPECT_EQ(elements[0], kKey);
    EXPECT_EQ(elements[1], elements[2]);
    EXPECT_NE(elements[2], elements[3]);
}

}  // namespace
}  // namespace petal::wallet
