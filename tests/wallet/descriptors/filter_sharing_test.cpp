#include "wallet/descriptors/filter_sharing.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "chain/script/script.h"
#include "tests/support/hex.h"
#include "wallet/descriptors/script_deriver.h"

namespace petal::wallet {
namespace {

// Keys of BIP381 and BIP383. The private key belongs to the first public key.
const std::string kOneKey = "03a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd";
const std::string kOneWif = "L4rK1yDtCWekvXuE6oXD9jCYfFNV2cWRpVuPLBcCU2z8TrisoyY1";
const std::string kOneUncompressed =
    "04a34b99f22c790c4e36b2b3c2c35a36db06226e41c692fc82b8b56ac1c540c5bd5b8dec5235a0fa8722476c7709c0"
    "2559e3aa73aa03918ba2d492eea75abea235";
const std::string kAnotherKey =
    "02df12b7035bdac8e3bab862a3a83d06ea6b17b6753d52edecba9be46f5d09e076";
// BIP32's first test vector: the master key, m/0h and m/0h/1.
const std::string kMasterPrivate =
    "xprv9s21ZrQH143K3QTDL4LXw2F7HEK3wJUD2nW2nRk4stbPy6cq3jPPqjiChkVvvNKmPGJxWUtg6LnF5kejMRNNU3TGtR"
    "BeJgk33yuGBxrMPHi";
const std::string kChildPublic =
    "xpub68Gmy5EdvgibQVfPdqkBBCHxA5htiqg55crXYuXoQRKfDBFA1WEjWgP6LHhwBZeNK1VTsfTFUHCdrfp1bgwQ9xv5sk"
    "i8PX9rL2dZXvgGDnw";
const std::string kGrandchildPublic =
    "xpub6ASuArnXKPbfEwhqN6e3mwBcDTgzisQN1wXN9BJcM47sSikHjJf3UFHKkNAWbWMiGj7Wf5uMash7SyYq527Hqck2Ax"
    "Y"
    "ysAA7xmALppuCkwQ";

Descriptor descriptor(const std::string& text) {
    return Descriptor::parse(text, *chain::find_network("mainnet")).value();
}

std::string address_text(const chain::Bytes& script) {
    return Descriptor::of_script(script, *chain::find_network("mainnet"))
        .to_string(*chain::find_network("mainnet"));
}

bool may_share_in_this_order(const std::string& a, const std::string& b) {
    FilterSharing sharing;
    EXPECT_FALSE(sharing.add(descriptor(a)));
    const auto conflict = sharing.add(descriptor(b));
    EXPECT_EQ(conflict.value_or(0), 0U);
    return !conflict;
}

bool may_share(const std::string& a, const std::string& b) {
    const bool result = may_share_in_this_order(a, b);
    EXPECT_EQ(may_share_in_this_order(b, a), result) << a << ' ' << b;
    return result;
}

chain::Bytes script_of(const std::string& text, std::uint32_t index = 0) {
    auto deriver = ScriptDeriver::create(descriptor(text)).value();
    return deriver.script_pubkeys(index).value().at(0);
}

std::string child_key(const std::string& range, std::uint32_t index) {
    auto deriver = ScriptDeriver::create(descriptor(range)).value();
    return chain::to_hex(deriver.derive(index).value().keys.at(0).key.compressed());
}

TEST(FilterSharing, IsRefusedForFormsOfOneKey) {
    const std::string range = kChildPublic + "/1/*";
    for (const auto& [a, b] : {
             std::tuple{"wpkh(" + range + ")", "sh(wpkh(" + range + "))"},
             std::tuple{"wpkh(" + range + ")", "tr(" + range + ")"},
             std::tuple{"pk(" + kOneKey + ")", "pkh(" + kOneKey + ")"},
             std::tuple{"pk(" + kOneKey + ")", "pk(" + kOneUncompressed + ")"},
             std::tuple{"pkh(" + kOneKey + ")", "pkh(" + kOneUncompressed + ")"},
             std::tuple{"pk(" + kOneKey + ")", "wpkh(" + kOneWif + ")"},
             std::tuple{"combo(" + kOneKey + ")", "pkh(" + kOneKey + ")"},
             std::tuple{"pk(" + kOneKey + ")", "multi(1," + kAnotherKey + "," + kOneKey + ")"},
             std::tuple{"wsh(multi(1," + kOneKey + "))", "sh(multi(1," + kOneKey + "))"},
             std::tuple{"wsh(multi(1," + kOneKey + "," + kAnotherKey + "))",
                        "wsh(multi(2," + kOneKey + "," + kAnotherKey + "))"},
             std::tuple{"wsh(multi(1," + kOneKey + "," + kAnotherKey + "))",
                        "wsh(sortedmulti(1," + kOneKey + "," + kAnotherKey + "))"},
             std::tuple{"wsh(multi(1," + kOneKey + "))",
                        "wsh(multi(1," + kOneKey + "," + kAnotherKey + "))"},
             std::tuple{"pk(" + kOneKey + ")", "tr(" + kOneKey.substr(2) + ")"},
             // The same keys by other paths.
             std::tuple{"wpkh(" + range + ")", "tr(" + kGrandchildPublic + "/*)"},
             std::tuple{"wpkh(" + range + ")", "tr(" + kMasterPrivate + "/0h/1/*)"},
             std::tuple{"wpkh(" + range + ")", "tr(" + kChildPublic + "/1/5)"},
             std::tuple{"wpkh(" + range + ")", "tr(" + kGrandchildPublic + "/5)"},
             std::tuple{"wpkh(" + kMasterPrivate + "/*h)", "tr(" + kMasterPrivate + "/7h)"},
             std::tuple{"wpkh(" + kChildPublic + "/<0;1>/*)", "pk(" + range + ")"},
         }) {
        EXPECT_FALSE(may_share(a, b)) << a << ' ' << b;
    }
}

// An address does not show its key, but one of the two elements can be computed from the other.
TEST(FilterSharing, IsRefusedForAddressesOfOneKeyOrScript) {
    const auto key = test::bytes_from_hex(kOneKey);
    const auto key_hash = chain::hash160(key);
    const auto nested = [](const chain::Bytes& program) {
        return address_text(chain::p2sh_script(chain::hash160(program)));
    };
    const std::string pkh = address_text(chain::p2pkh_script(key_hash));
    const std::string wpkh = address_text(chain::p2wpkh_script(key_hash));
    const std::string sh_wpkh = nested(chain::p2wpkh_script(key_hash));
    const auto wsh = chain::witness_program_script(0, chain::sha256(chain::Bytes{0x51}));
    const std::string tr = address_text(
        chain::witness_program_script(1, PublicKey::parse(key).value().taproot_output_key()));
    const std::string pk = "pk(" + kOneKey + ")";
    for (const auto& [a, b] :
         {std::tuple{wpkh, sh_wpkh}, std::tuple{pkh, sh_wpkh}, std::tuple{pk, pkh},
          std::tuple{pk, wpkh}, std::tuple{pk, sh_wpkh}, std::tuple{pk, tr},
          std::tuple{address_text(chain::p2pk_script(key)), tr},
          std::tuple{"multi(1," + kOneKey + "," + kAnotherKey + ")", wpkh},
          std::tuple{"wpkh(" + kOneKey + ")", sh_wpkh},
          std::tuple{"sh(wpkh(" + kOneKey + "))", pkh},
          std::tuple{address_text(wsh), nested(wsh)}}) {
        EXPECT_FALSE(may_share(a, b)) << a << ' ' << b;
    }
    const std::string other = address_text(chain::p2wpkh_script({1}));
    for (const auto& [a, b] :
         {std::tuple{wpkh, pkh}, std::tuple{"wpkh(" + kOneKey + ")", pkh}, std::tuple{wpkh, tr},
          std::tuple{other, sh_wpkh}, std::tuple{"pk(" + kAnotherKey + ")", tr},
          std::tuple{"wpkh(" + kChildPublic + "/*)", sh_wpkh}}) {
        EXPECT_TRUE(may_share(a, b)) << a << ' ' << b;
    }
}

TEST(FilterSharing, IsAllowedForOtherKeysAndForEqualElements) {
    const std::string range = kChildPublic + "/1/*";
    for (const auto& [a, b] : {
             std::tuple{"wpkh(" + range + ")", "tr(" + kChildPublic + "/2/*)"},
             std::tuple{"wpkh(" + range + ")", "tr(" + kChildPublic + "/1)"},
             std::tuple{"wpkh(" + range + ")", "tr(" + kChildPublic + "/*)"},
             std::tuple{"wpkh(" + kMasterPrivate + "/*h)", "tr(" + kMasterPrivate + "/7)"},
             std::tuple{"wpkh(" + kMasterPrivate + "/*)", "tr(" + kMasterPrivate + "/*h)"},
             std::tuple{"pk(" + kOneKey + ")", "pkh(" + kAnotherKey + ")"},
             std::tuple{"pkh(" + kOneKey + ")", "wpkh(" + kOneWif + ")"},
             std::tuple{"wpkh(" + range + ")", "wpkh(" + range + ")"},
             std::tuple{"wpkh(" + range + ")", "wpkh(" + kGrandchildPublic + "/5)"},
             std::tuple{"wsh(multi(1," + kOneKey + "))", "wsh(multi(1," + kOneKey + "))"},
             std::tuple{"pk(" + kOneKey + ")", std::string{"raw(00)"}},
         }) {
        EXPECT_TRUE(may_share(a, b)) << a << ' ' << b;
    }
}

// A key or an address does not show that it is derived from an extended key.
TEST(FilterSharing, IsRefusedForAKeyOrAddressThatIsAChildOfARange) {
    const std::string range = kChildPublic + "/1/*";
    const std::string wpkh_range = "wpkh(" + range + ")";
    struct Keys {
        std::string key, wpkh, sh_wpkh, tr;
    };
    std::vector<Keys> children;
    bool some_is_odd = false;  // the key of tr() does not show this
    for (const std::uint32_t index : {0U, 1U, 999U}) {
        const std::string key = child_key(wpkh_range, index);
        some_is_odd = some_is_odd || key.starts_with("03");
        const auto program = chain::p2wpkh_script(chain::hash160(test::bytes_from_hex(key)));
        children.push_back({key, address_text(program),
                            address_text(chain::p2sh_script(chain::hash160(program))),
                            address_text(script_of("tr(" + key + ")"))});
    }
    ASSERT_TRUE(some_is_odd);
    using Texts = std::vector<std::string>;
    const auto check = [&](const std::string& with_wildcard, const auto& allowed,
                           const auto& refused) {
        FilterSharing sharing;
        EXPECT_FALSE(sharing.add(descriptor(with_wildcard)));
        for (const Keys& child : children) {
            for (const std::string& text : allowed(child)) {
                EXPECT_FALSE(sharing.add(descriptor(text))) << with_wildcard << ' ' << text;
            }
        }
        for (const Keys& child : children) {
            for (const std::string& text : refused(child)) {
                EXPECT_EQ(sharing.add(descriptor(text)), 0U) << with_wildcard << ' ' << text;
            }
        }
    };
    check(
        wpkh_range,
        [](const Keys& a) {
            return Texts{"pkh(" + a.key + ")", a.wpkh};
        },
        [](const Keys& a) {
            return Texts{"pk(" + a.key + ")",
                         "sh(wpkh(" + a.key + "))",
                         a.sh_wpkh,
                         "tr(" + a.key.substr(2) + ")",
                         "tr(" + a.key + ")",
                         "multi(1," + kOneKey + "," + a.key + ")",
                         "raw(21" + a.key + "ac)",
                         "raw(5121" + a.key + "51ae)"};
        });
    check(
        "sh(wpkh(" + range + "))",
        [](const Keys& a) {
            return Texts{"sh(wpkh(" + a.key + "))", a.sh_wpkh};
        },
        [](const Keys& a) {
            return Texts{"wpkh(" + a.key + ")", a.wpkh};
        });
    check(
        "tr(" + range + ")",
        [](const Keys& a) {
            return Texts{"tr(" + a.key + ")", "tr(" + a.key.substr(2) + ")"};
        },
        [](const Keys& a) {
            return Texts{"pkh(" + a.key + ")", a.sh_wpkh};
        });
    check(
        "pk(" + range + ")", [](const Keys& a) { return Texts{"pk(" + a.key + ")"}; },
        [](const Keys& a) {
            return Texts{a.wpkh, a.tr};
        });
    check(
        "wpkh(" + kChildPublic + "/<0;1>/*)", [](const Keys&) { return Texts{}; },
        [](const Keys& a) { return Texts{"pk(" + a.key + ")"}; });
    check(
        "multi(1," + kOneKey + "," + range + ")", [](const Keys&) { return Texts{}; },
        [](const Keys& a) {
            return Texts{address_text(script_of("wpkh(" + kOneKey + ")")), a.wpkh};
        });
    check(
        "wsh(multi(1," + kOneKey + "," + range + "))", [](const Keys&) { return Texts{}; },
        [](const Keys& a) {
            return Texts{"wpkh(" + a.key + ")", a.wpkh};
        });

    const std::string& last = children.back().key;
    EXPECT_FALSE(may_share("sh(wpkh(" + last + "))", wpkh_range));
    EXPECT_TRUE(may_share("pkh(" + last + ")", wpkh_range));
}

TEST(FilterSharing, IsRefusedForTheNestedAddressOfARangesScript) {
    const std::string keys =
        "sortedmulti(1," + kChildPublic + "/1/*," + kGrandchildPublic + "/2/*)";
    const std::string wsh = "wsh(" + keys + ")";
    const std::string nested = "sh(" + wsh + ")";
    const auto address = [](const std::string& range) { return address_text(script_of(range, 5)); };
    EXPECT_FALSE(may_share(wsh, address(nested)));
    EXPECT_FALSE(may_share(nested, address(wsh)));
    EXPECT_TRUE(may_share(wsh, address(wsh)));
    EXPECT_TRUE(may_share(nested, address(nested)));
}

TEST(FilterSharing, IsRefusedForAFarChildWhosePathIsWritten) {
    const std::string wpkh = "wpkh(" + kChildPublic + "/1/*)";
    const std::string far = kChildPublic + "/1/100000";
    EXPECT_FALSE(may_share(wpkh, "tr(" + far + ")"));
    EXPECT_FALSE(may_share(wpkh, "wsh(multi(1," + kOneKey + "," + far + "))"));
    EXPECT_TRUE(may_share(wpkh, "pkh(" + far + ")"));
    EXPECT_TRUE(may_share(wpkh, "tr(" + kChildPublic + "/2/100000)"));
}

TEST(FilterSharing, IsRefusedForRangesWithACommonKey) {
    const std::string range = kChildPublic + "/1/*";
    const std::string keys = range + "," + kGrandchildPublic + "/2/*";
    EXPECT_FALSE(may_share("wsh(multi(1," + keys + "))", "wsh(sortedmulti(1," + keys + "))"));
    // In one of the two orders, the first keys are sorted already.
    const std::string other_order = kGrandchildPublic + "/2/*," + range;
    EXPECT_FALSE(
        may_share("wsh(multi(1," + other_order + "))", "wsh(sortedmulti(1," + keys + "))"));
    EXPECT_FALSE(may_share("wsh(multi(1," + keys + "))", "wpkh(" + range + ")"));
    EXPECT_FALSE(may_share("wsh(multi(1," + range + "," + kOneKey + "))",
                           "wsh(multi(1," + kChildPublic + "/2/*," + kOneKey + "))"));
    EXPECT_TRUE(may_share("wsh(multi(1," + keys + "))", "wsh(multi(1," + keys + "))"));
}

TEST(FilterSharing, ComparesFewerChildrenOfEachRangeAboveTwenty) {
    FilterSharing sharing;
    const std::string base = kChildPublic + "/7/";
    for (int account = 0; account < 41; ++account) {
        EXPECT_FALSE(sharing.add(descriptor("wpkh(" + base + std::to_string(account) + "/*)")));
    }
    const auto nested_child = [&](int account, std::uint32_t index) {
        const std::string range = "wpkh(" + base + std::to_string(account) + "/*)";
        return descriptor("sh(wpkh(" + child_key(range, index) + "))");
    };
    EXPECT_EQ(sharing.add(nested_child(19, 999)), 19U);
    EXPECT_EQ(sharing.add(nested_child(39, 499)), 39U);
    EXPECT_FALSE(sharing.add(nested_child(39, 500)));
}

TEST(FilterSharing, NamesTheFirstConflictingDescriptor) {
    FilterSharing sharing;
    EXPECT_FALSE(sharing.add(descriptor("wpkh(" + kAnotherKey + ")")));
    EXPECT_FALSE(sharing.add(descriptor("wpkh(" + kOneKey + ")")));
    EXPECT_FALSE(sharing.add(descriptor("pkh(" + kOneKey + ")")));
    EXPECT_EQ(sharing.add(descriptor("pk(" + kOneKey + ")")), 1U);
    EXPECT_EQ(sharing.add(descriptor("tr(" + kAnotherKey + ")")), 0U);
}

std::string element_of(std::string_view script) {
    return chain::to_hex(filter_element(test::bytes_from_hex(script)));
}

TEST(FilterElement, IsOnePushOfTheScript) {
    const std::string hash = test::repeat("11", 20);
    EXPECT_EQ(element_of("21" + kOneKey + "ac"), kOneKey);
    EXPECT_EQ(element_of("76a914" + hash + "88ac"), hash);
    EXPECT_EQ(element_of("0014" + hash), hash);
    // An output of bare multisig matches by any of its keys, so one key is enough.
    EXPECT_EQ(element_of("5121" + kOneKey + "21" + kAnotherKey + "52ae"), kOneKey);
    EXPECT_EQ(element_of("5121" + kAnotherKey + "41" + kOneUncompressed + "52ae"), kAnotherKey);
    // Without a standard template, the element is the longest push; without a push, there is none.
    EXPECT_EQ(element_of("02abcd7503123456"), "123456");
    EXPECT_EQ(element_of("51"), "");
    EXPECT_EQ(element_of("deadbeef"), "");
}

}  // namespace
}  // namespace petal::wallet
