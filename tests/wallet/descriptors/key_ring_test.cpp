#include "wallet/descriptors/key_ring.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <initializer_list>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/account_ring.h"
#include "tests/support/mnemonic.h"
#include "tests/support/test_data.h"
#include "wallet/descriptors/address.h"
#include "wallet/keys/mnemonic.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::from_hex;

constexpr auto kReceive = KeyChain::receive;
constexpr auto kChange = KeyChain::change;

// BIP84's account key on test networks: "abandon … about", m/84'/1'/0'.
constexpr std::string_view kTpub =
    "tpubDC8msFGeGuwnKG9Upg7DM2b4DaRqg3CUZa5g8v2SRQ6K4NSkxUgd7HsL2XVWbVm39yBA4LAxysQAm397zwQSQoQgew"
    "G"
    "iYZqrA9DsP4zbQ1M";

KeyRing new_ring(LookAhead look_ahead) {
    const auto account = ExtendedPublicKey::parse(kTpub, *chain::find_network("regtest"));
    return test::account_ring(ScriptKind::wpkh, account.value(), look_ahead);
}

KeyRing filled_ring(LookAhead look_ahead) {
    KeyRing ring = new_ring(look_ahead);
    ring.extend();
    return ring;
}

struct AccountCase {
    Account account;
    std::string_view network;
    std::array<std::string_view, 3> addresses;  ///< receive 0 and 1, change 0
};

void PrintTo(const AccountCase& c, std::ostream* out) {
    *out << describe(c.account.kind) << ' ' << c.account.number;
}

class KeyRingOfKind : public testing::TestWithParam<AccountCase> {};

TEST_P(KeyRingOfKind, MakesTheAddressesOfItsBip) {
    const auto seed = Mnemonic::parse(test::kMnemonic).value().seed("").value();
    const auto& network = *chain::find_network(GetParam().network);
    const auto path = account_path(GetParam().account, network.coin_type);
    const auto account =
        ExtendedPrivateKey::from_seed(seed.view()).value().derive_path(path).value().public_key();
    EXPECT_EQ(account_of(GetParam().account.kind, account), GetParam().account);
    KeyRing ring = test::account_ring(GetParam().account.kind, account, {20, 20});
    ring.extend();
    const auto address = [&](KeyPath key) { return address_of(ring.script_at(key), network); };
    EXPECT_EQ(address({kReceive, 0}), GetParam().addresses[0]);
    EXPECT_EQ(address({kReceive, 1}), GetParam().addresses[1]);
    EXPECT_EQ(address({kChange, 0}), GetParam().addresses[2]);
    EXPECT_EQ(chain::classify(ring.script_at({kReceive, 0})), script_type(GetParam().account.kind));
}

// BIP84's and BIP86's test vectors and BIP49's first address are of these words. The other
// addresses are from an independent implementation in Python.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Kinds, KeyRingOfKind, testing::ValuesIn(std::initializer_list<AccountCase>{
    {{ScriptKind::wpkh}, "mainnet", {"bc1qcr8te4kr609gcawutmrza0j4xv80jy8z306fyu", "bc1qnjg0jd8228aq7egyzacy8cys3knf9xvrerkf9g", "bc1q8c6fshw2dlwun7ekn9qwf37cu2rn755upcp6el"}},
    {{ScriptKind::tr}, "mainnet", {"bc1p5cyxnuxmeuwuvkwfem96lqzszd02n6xdcjrs20cac6yqjjwudpxqkedrcr", "bc1p4qhjn9zdvkux4e44uhx8tc55attvtyu358kutcqkudyccelu0was9fqzwh", "bc1p3qkhfews2uk44qtvauqyr2ttdsw7svhkl9nkm9s9c3x4ax5h60wqwruhk7"}},
    {{ScriptKind::sh_wpkh}, "testnet3", {"2Mww8dCYPUpKHofjgcXcBCEGmniw9CoaiD2", "2N55m54k8vr95ggehfUcNkdbUuQvaqG2GxK", "2MvdUi5o3f2tnEFh9yGvta6FzptTZtkPJC8"}},
    {{ScriptKind::pkh}, "mainnet", {"1LqBGSKuX5yYUonjxT5qGfpUsXKYYWeabA", "1Ak8PffB2meyfYnbXZR9EGfLfFZVpzJvQP", "1J3J6EvPrv8q6AC3VCjWV45Uf3nssNMRtH"}},
    {{ScriptKind::wpkh, 1}, "mainnet", {"bc1qku0qh0mc00y8tk0n65x2tqw4trlspak0fnjmfz", "bc1qx0tpa0ctsy5v8xewdkpf69hhtz5cw0rf5uvyj6", "bc1qt0x83f5vmnapgl2gjj9r3d67rcghvjaqrvgpck"}},
    {{ScriptKind::tr, kHardened - 1}, "mainnet", {"bc1pdan7dafup67l4mys5tp8m24atysqc9dsjavhjfetpssnzya6hcdqhd8rr3", "bc1pk3gcn3td5yhpzd6ftlde7ylz26wkqzwjmhphk2yt255xqmz9svwsn5hd0y", "bc1pg0hl4vrwya5l5d58efeed0az6td8y6dxt4cphd8sgfpcdqup8ves8d7d6w"}},
}), [](const auto& row) { return std::string(describe(row.param.account.kind).substr(0, 2)) + std::to_string(row.index); });
// clang-format on

TEST(KeyRing, MatchesTheWalletVectors) {
    const auto vectors = test::read_test_json("vectors/hd_wallet.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    const auto seed = from_hex(vectors->at("seed").get<std::string>()).value();
    const auto master = ExtendedPrivateKey::from_seed(seed).value();
    EXPECT_EQ(vectors->at("master_fingerprint"), chain::to_hex(master.fingerprint()));
    std::size_t rows = 0;
    for (const auto& row : vectors->at("rows")) {
        const auto wanted_path = row.at("path").get<std::string>();
        const auto kind = *std::ranges::find_if(kScriptKinds, [&](ScriptKind candidate) {
            return wanted_path.starts_with("m/" + std::to_string(purpose(candidate)) + '\'');
        });
        ++rows;
        const bool is_mainnet = row.at("network") == "mainnet";
        const auto& network = *chain::find_network(is_mainnet ? "mainnet" : "testnet3");
        const auto account =
            master.derive_path(account_path({kind}, network.coin_type)).value().public_key();
        EXPECT_EQ(row.at("account_pub_bip32"), account.to_string(network));
        KeyRing ring = test::account_ring(kind, account, {2, 2});
        ring.extend();
        const auto found = ring.find(from_hex(row.at("script").get<std::string>()).value());
        ASSERT_TRUE(found);
        EXPECT_EQ(row.at("address"), address_of(ring.script_at(*found), network));
        EXPECT_TRUE(
            std::ranges::equal(from_hex(row.at("bloom_element_output").get<std::string>()).value(),
                               chain::watch_element(ring.script_at(*found))));
        std::string path = 'm' + path_to_string(account_path({kind}, network.coin_type)) +
                           path_to_string(std::array{found->descriptor.value, found->index});
        std::replace(path.begin(), path.end(), 'h', '\'');
        EXPECT_EQ(wanted_path, path);
    }
    EXPECT_EQ(rows, 24U);
}

TEST(KeyRing, DerivesNothingUntilAsked) {
    KeyRing ring = new_ring({20, 30});
    EXPECT_EQ(ring.watched(kReceive), 0U);
    EXPECT_TRUE(ring.extend());
    EXPECT_EQ(ring.watched(kReceive), 30U);
    EXPECT_EQ(ring.watched(kChange), 30U);
    EXPECT_FALSE(ring.extend());
}

TEST(KeyRing, FindsItsScriptsAndNoOthers) {
    const KeyRing ring = filled_ring({20, 30});
    for (const KeyChain chain : kKeyChains) {
        for (std::uint32_t index = 0; index < ring.watched(chain); ++index) {
            const Bytes& script = ring.script_at({chain, index});
            EXPECT_EQ(ring.find(script), (KeyPath{chain, index}));
            Bytes other = script;
            other[2] ^= 1;  // the last bytes, which are used for the lookup, stay the same
            EXPECT_FALSE(ring.find(other));
            other = script;
            other.insert(other.begin(), 0);
            EXPECT_FALSE(ring.find(other));
            EXPECT_FALSE(ring.find(chain::ByteView{script}.first(script.size() - 1)));
        }
    }
    EXPECT_FALSE(ring.find({}));
    EXPECT_FALSE(ring.find(Bytes{0x51}));
    EXPECT_FALSE(ring.find(filled_ring({20, 31}).script_at({kReceive, 30})));
}

TEST(KeyRing, FindsItsScriptsAfterItGrewAndMoved) {
    KeyRing ring = filled_ring({20, 20});
    const Bytes first = ring.script_at({kReceive, 0});
    EXPECT_TRUE(ring.mark_used({kReceive, 19}));
    KeyRing moved = std::move(ring);
    EXPECT_EQ(moved.find(first), (KeyPath{kReceive, 0}));
    KeyRing assigned = new_ring({20, 20});
    assigned = std::move(moved);
    EXPECT_EQ(assigned.find(first), (KeyPath{kReceive, 0}));
    EXPECT_EQ(assigned.find(assigned.script_at({kReceive, 39})), (KeyPath{kReceive, 39}));
}

struct GrowthCase {
    std::string name;
    LookAhead look_ahead;
    std::uint32_t index;     // the index of the script that is marked as used
    std::uint32_t expected;  // the number of scripts watched after that
};

void PrintTo(const GrowthCase& c, std::ostream* out) {
    *out << c.name;
}

class Growth : public testing::TestWithParam<GrowthCase> {
protected:
    void expect_growth(bool grew, const KeyRing& ring) const {
        const auto& c = GetParam();
        EXPECT_EQ(grew, c.expected > c.look_ahead.watched);
        EXPECT_EQ(ring.watched(kReceive), c.expected);
        EXPECT_EQ(ring.watched(kChange), c.look_ahead.watched);
        EXPECT_GE(ring.watched(kReceive), c.index + 1 + c.look_ahead.gap_limit);
        EXPECT_EQ(ring.issued_end(kReceive), c.index + 1);
        EXPECT_EQ(ring.issued_end(kChange), 0U);
    }
};

TEST_P(Growth, FollowsAUsedAddress) {
    KeyRing ring = filled_ring(GetParam().look_ahead);
    const bool grew = ring.mark_used({kReceive, GetParam().index});
    expect_growth(grew, ring);
    EXPECT_EQ(ring.used_end(kReceive), GetParam().index + 1);
    EXPECT_FALSE(ring.mark_used({kReceive, GetParam().index}));
    EXPECT_FALSE(ring.extend());
}

TEST_P(Growth, FollowsAnAddressThatWasHandedOut) {
    KeyRing ring = filled_ring(GetParam().look_ahead);
    const bool grew = ring.mark_handed_out({kReceive, GetParam().index});
    expect_growth(grew, ring);
    EXPECT_EQ(ring.used_end(kReceive), 0U);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Boundaries, Growth, testing::ValuesIn(std::initializer_list<GrowthCase>{
    {"NoSpareFirst",       {20, 20}, 0,  40},
    {"NoSpareLast",        {20, 20}, 19, 40},
    {"OneSpareFirst",      {20, 21}, 0,  21},
    {"OneSpareSecond",     {20, 21}, 1,  42},
    {"FirstOfThirty",      {20, 30}, 0,  30},
    {"LastWithinTheGap",   {20, 30}, 9,  30},
    {"FirstBeyondTheGap",  {20, 30}, 10, 60},
    {"LastOfThirty",       {20, 30}, 29, 60},
    {"LastWithinHundred",  {20, 100}, 79, 100},
    {"FirstBeyondHundred", {20, 100}, 80, 200},
    {"GapOfNothing",       {0, 5}, 4, 5},
    {"GapOfOne",           {1, 5}, 4, 10},
    {"StepOfOne",          {1, 1}, 0, 2},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(KeyRing, ReachesTheGapLimitBeyondEveryIssuedIndex) {
    for (const std::uint32_t step : {20U, 23U, 64U}) {
        KeyRing ring = filled_ring({20, step});
        for (std::uint32_t index = 0; index < 150; ++index) {
            const auto before = ring.watched(kChange);
            const bool grew = ring.mark_used({kChange, index});
            EXPECT_EQ(grew, before < index + 1 + 20);
            EXPECT_GE(ring.watched(kChange), index + 1 + 20);
            EXPECT_EQ(ring.watched(kChange) % step, 0U);
        }
    }
}

TEST(KeyRing, GrowsByAnEighthIfThatIsMoreThanAStep) {
    KeyRing ring = filled_ring({1, 2});
    std::vector<std::uint32_t> sizes;
    for (std::uint32_t index = 0; index < 50; ++index) {
        if (ring.mark_used({kReceive, index})) sizes.push_back(ring.watched(kReceive));
    }
    EXPECT_EQ(sizes, (std::vector<std::uint32_t>{4,  6,  8,  10, 12, 14, 16, 18, 20, 22,
                                                 24, 26, 28, 30, 32, 36, 40, 44, 48, 54}));
}

TEST(KeyRing, GrowsByFourThousandAtMost) {
    const auto script = [](std::uint32_t index) {
        Bytes bytes(22);
        for (unsigned i = 0; i < 4; ++i) bytes[14 + i] = static_cast<chain::Byte>(index >> 8 * i);
        return bytes;
    };
    KeyRing ring({{script, true, {20, 1'000}}});
    ring.extend();
    std::uint32_t before = 0;
    for (int payments = 0; payments < 58; ++payments) {
        before = ring.watched(kReceive);
        ring.mark_used({kReceive, before - 1});
    }
    EXPECT_EQ(ring.watched(kReceive), before + 4'000);
    EXPECT_LT(ring.watched(kReceive), 200'000U);
}

TEST(KeyRing, CountsTheHighestIndexOnly) {
    KeyRing ring = filled_ring({20, 50});
    ring.mark_used({kReceive, 7});
    ring.mark_used({kReceive, 3});
    EXPECT_EQ(ring.used_end(kReceive), 8U);
    ring.mark_handed_out({kReceive, 12});
    ring.mark_handed_out({kReceive, 5});
    EXPECT_EQ(ring.used_end(kReceive), 8U);
    EXPECT_EQ(ring.issued_end(kReceive), 13U);
}

std::vector<Bytes> scripts_of(const KeyRing& ring, KeyChain chain, std::uint32_t count) {
    std::vector<Bytes> scripts;
    for (std::uint32_t index = 0; index < count; ++index) {
        scripts.push_back(ring.script_at({chain, index}));
    }
    return scripts;
}

TEST(KeyRing, TakesWhatWasDerivedBefore) {
    const KeyRing first = filled_ring({20, 30});
    KeyRing second = new_ring({20, 30});
    for (const KeyChain chain : kKeyChains) {
        second.restore_scripts(chain, scripts_of(first, chain, 30));
    }
    EXPECT_FALSE(second.extend());
    EXPECT_EQ(second.find(first.script_at({kChange, 29})), (KeyPath{kChange, 29}));
    EXPECT_TRUE(second.mark_used({kChange, 29}));
    EXPECT_EQ(second.watched(kChange), 60U);
}

TEST(KeyRing, DerivesOnFromWhatWasRestored) {
    const KeyRing whole = filled_ring({20, 40});
    KeyRing ring = new_ring({20, 40});
    ring.restore_scripts(kReceive, scripts_of(whole, kReceive, 25));
    EXPECT_TRUE(ring.extend());
    EXPECT_EQ(scripts_of(ring, kReceive, 40), scripts_of(whole, kReceive, 40));
    EXPECT_EQ(scripts_of(ring, kChange, 40), scripts_of(whole, kChange, 40));
}

TEST(KeyRing, KeepsARestoredRangeThatIsLongerThanItsStep) {
    const KeyRing longer = filled_ring({20, 45});
    KeyRing ring = new_ring({20, 20});
    for (const KeyChain chain : kKeyChains) {
        ring.restore_scripts(chain, scripts_of(longer, chain, 45));
    }
    EXPECT_FALSE(ring.extend());
    EXPECT_FALSE(ring.mark_used({kReceive, 24}));
    EXPECT_EQ(ring.watched(kReceive), 45U);
    EXPECT_TRUE(ring.mark_used({kReceive, 25}));
    EXPECT_EQ(ring.watched(kReceive), 60U);
}

}  // namespace
}  // namespace petal::wallet
