#include "chain/network_params.h"

#include <gtest/gtest.h>

#include <array>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

#include "chain/headers/proof_of_work.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

TEST(Networks, HaveTheirGenesisBlocks) {
    const auto networks = all_networks();
    ASSERT_EQ(networks.size(), 5U);
    EXPECT_EQ(networks[0].genesis.hash(),
              "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f"_block);
    EXPECT_EQ(networks[1].genesis.hash(),
              "000000000933ea01ad0ee984209779baaec3ced90fa3f408719526f8d77f4943"_block);
    EXPECT_EQ(networks[2].genesis.hash(),
              "00000000da84f2bafbbc53dee25a72ae507ff4914b867c565be350b0da8bf043"_block);
    EXPECT_EQ(networks[3].genesis.hash(),
              "00000008819873e925422c1ff0f99f7cc9bbb232af63a077a480a3633bee1ef6"_block);
    EXPECT_EQ(networks[4].genesis.hash(),
              "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"_block);
}

TEST(Networks, AreFoundByName) {
    for (const std::string_view name : {"mainnet", "testnet3", "testnet4", "signet", "regtest"}) {
        const NetworkParams* const network = find_network(name);
        ASSERT_NE(network, nullptr) << name;
        EXPECT_EQ(network->name, name);
    }
    EXPECT_EQ(find_network("main"), nullptr);
    EXPECT_EQ(find_network("Mainnet"), nullptr);
    EXPECT_EQ(find_network(""), nullptr);
}

// Bitcoin Core: kernel/chainparams.cpp, pchMessageStart and nDefaultPort. Signet's magic is that of
// its challenge, below.
TEST(Networks, HaveTheirMagicsAndPorts) {
    constexpr std::tuple<std::string_view, std::string_view, int> kRows[] = {
        {"mainnet", "f9beb4d9", 8333},   {"testnet3", "0b110907", 18333},
        {"testnet4", "1c163f28", 48333}, {"signet", "0a03cf40", 38333},
        {"regtest", "fabfb5da", 18444},
    };
    for (const auto& [name, magic, port] : kRows) {
        const NetworkParams& network = *find_network(name);
        EXPECT_EQ(to_hex(network.magic), magic) << name;
        EXPECT_EQ(network.default_port, port) << name;
    }
}

// Bitcoin Core: kernel/chainparams.cpp, bech32_hrp and base58Prefixes; BIP44 for the coin type.
TEST(Networks, EncodeAddressesAndKeysWithTheirPrefixes) {
    EXPECT_EQ(find_network("mainnet")->bech32_prefix, "bc");
    EXPECT_EQ(find_network("testnet3")->bech32_prefix, "tb");
    EXPECT_EQ(find_network("testnet4")->bech32_prefix, "tb");
    EXPECT_EQ(find_network("signet")->bech32_prefix, "tb");
    EXPECT_EQ(find_network("regtest")->bech32_prefix, "bcrt");
    for (const NetworkParams& network : all_networks()) {
        SCOPED_TRACE(network.name);
        const bool is_mainnet = network.name == "mainnet";
        EXPECT_EQ(network.p2pkh_version, is_mainnet ? 0 : 111);
        EXPECT_EQ(network.p2sh_version, is_mainnet ? 5 : 196);
        EXPECT_EQ(network.wif_version, is_mainnet ? 128 : 239);
        EXPECT_EQ(network.xpub_version, is_mainnet ? 0x0488b21eU : 0x043587cfU);
        EXPECT_EQ(network.xprv_version, is_mainnet ? 0x0488ade4U : 0x04358394U);
        EXPECT_EQ(network.coin_type, is_mainnet ? 0U : 1U);
    }
}

// The magic of a signet is the beginning of the hash of its challenge (BIP325).
TEST(Networks, SignetsMagicComesFromItsChallenge) {
    const Bytes challenge =
        "47512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430210359ef5021964fe2"
        "2d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae"_hex;
    const Hash256 hash = sha256d(challenge);
    const NetworkParams& signet = *find_network("signet");
    EXPECT_EQ(to_hex(hash.view().first(4)), to_hex(signet.magic));
    EXPECT_EQ(to_hex(signet.signet_challenge), to_hex(ByteView{challenge}.subspan(1)));
}

// The public signet (Bitcoin Core: kernel/chainparams.cpp), Mutinynet as its node is configured,
// and others. Each magic is the first four bytes of the double SHA-256 of the challenge with its
// length (CompactSize) before it; in Python, for the third row:
// sha256(sha256(bytes.fromhex("01" "51")).digest()).hexdigest()[:8]
TEST(Networks, SignetsAreTheirChallenges) {
    struct Row {
        Bytes challenge;
        std::string_view name;
        std::string_view magic;
    };
    const std::array rows{
        Row{find_network("signet")->signet_challenge, "signet", "0a03cf40"},
        Row{"512102f7561d208dd9ae99bf497273e16f389bdbd6c4742ddb8e6b216e64fa2928ad8f51ae"_hex,
            "signet-a5df2dcb", "a5df2dcb"},
        Row{"51"_hex, "signet-54d26fbd", "54d26fbd"},
        Row{Bytes(253, 0x51), "signet-ae285478", "ae285478"},
        Row{Bytes(300, 0x6a), "signet-a9503e92", "a9503e92"},
    };
    for (const Row& row : rows) {
        const NetworkParams network = signet_of(row.challenge);
        EXPECT_EQ(network.name, row.name);
        EXPECT_EQ(to_hex(network.magic), row.magic);
        EXPECT_EQ(network.signet_challenge, row.challenge);
    }
}

TEST(Networks, SignetsShareAllButTheirNameMagicAndWork) {
    const NetworkParams& signet = *find_network("signet");
    const NetworkParams same = signet_of(signet.signet_challenge);
    EXPECT_EQ(same.minimum_chainwork, signet.minimum_chainwork);
    const NetworkParams other = signet_of("51"_hex);
    EXPECT_EQ(other.minimum_chainwork, 0);
    EXPECT_EQ(other.genesis, signet.genesis);
    EXPECT_EQ(other.pow_limit, signet.pow_limit);
    EXPECT_EQ(other.retarget_interval, signet.retarget_interval);
    EXPECT_EQ(other.default_port, signet.default_port);
    EXPECT_EQ(other.bech32_prefix, signet.bech32_prefix);
    EXPECT_EQ(other.xpub_version, signet.xpub_version);
    EXPECT_EQ(other.coin_type, signet.coin_type);
}

// Bitcoin Core: kernel/chainparams.cpp, BIP34Height, BIP66Height and BIP65Height.
TEST(Networks, RequireVersionsFromTheirHeights) {
    using Heights = std::array<std::uint32_t, 3>;
    EXPECT_EQ(find_network("mainnet")->version_heights, (Heights{227'931, 363'725, 388'381}));
    EXPECT_EQ(find_network("testnet3")->version_heights, (Heights{21'111, 330'776, 581'885}));
    for (const std::string_view name : {"testnet4", "signet", "regtest"}) {
        EXPECT_EQ(find_network(name)->version_heights, (Heights{1, 1, 1})) << name;
    }
}

// Bitcoin Core: kernel/chainparams.cpp, SegwitHeight.
TEST(Networks, AllowWitnessesFromTheirHeights) {
    EXPECT_EQ(find_network("mainnet")->segwit_height, 481'824U);
    EXPECT_EQ(find_network("testnet3")->segwit_height, 834'624U);
    EXPECT_EQ(find_network("testnet4")->segwit_height, 1U);
    EXPECT_EQ(find_network("signet")->segwit_height, 1U);
    EXPECT_EQ(find_network("regtest")->segwit_height, 0U);
}

// Bitcoin Core: kernel/chainparams.cpp of August 2026, nMinimumChainWork.
TEST(Networks, KnowHowMuchWorkTheirChainsHave) {
    constexpr std::pair<std::string_view, std::string_view> kRows[] = {
        {"mainnet", "1128750f82f4c366153a3a030"},
        {"testnet3", "17dde1c649f3708d14b6"},
        {"testnet4", "9a0fe15d0177d086304"},
        {"signet", "b463ea0a4b8"},
        {"regtest", "0"},
    };
    for (const auto& [name, work] : kRows) {
        EXPECT_EQ(to_hex(find_network(name)->minimum_chainwork), work) << name;
    }
}

TEST(Networks, StartAtTheirEasiestTarget) {
    for (const NetworkParams& network : all_networks()) {
        EXPECT_EQ(encode_target(network.pow_limit), network.genesis.bits) << network.name;
    }
}

void expect_same_chain(const NetworkParams& network, const nlohmann::json& row) {
    EXPECT_EQ(row.at("genesis_hash"), network.genesis.hash().to_hex());
    EXPECT_EQ(row.at("genesis_header"), to_hex(network.genesis.serialize()));
    EXPECT_EQ(network.pow_limit, uint256_from_hex(row.at("pow_limit").get<std::string>()));
    EXPECT_EQ(
        row.at("genesis_work"),
        to_hex(work_of_target(decode_target(network.genesis.bits, network.pow_limit).value())));
    EXPECT_EQ(network.minimum_chainwork,
              uint256_from_hex(row.at("minimum_chain_work").get<std::string>()));
    EXPECT_EQ(row.at("retarget_interval"), network.retarget_interval);
    EXPECT_EQ(row.at("pow_target_timespan"), network.retarget_timespan);
    EXPECT_EQ(row.at("pow_target_spacing"), network.retarget_timespan / network.retarget_interval);
    EXPECT_EQ(row.at("allow_min_difficulty"), network.min_difficulty_blocks);
    EXPECT_EQ(network.retargets, !row.at("no_retarget").get<bool>());
    EXPECT_EQ(row.at("bip94"), network.bip94);
}

void expect_same_formats(const NetworkParams& network, const nlohmann::json& row) {
    const auto version = [&](const char* name) {
        return std::stoul(row.at(name).get<std::string>(), nullptr, 16);
    };
    EXPECT_EQ(row.at("magic"), to_hex(network.magic));
    EXPECT_EQ(row.at("port"), network.default_port);
    EXPECT_EQ(row.at("hrp"), std::string(network.bech32_prefix));
    EXPECT_EQ(row.at("p2pkh"), network.p2pkh_version);
    EXPECT_EQ(row.at("p2sh"), network.p2sh_version);
    EXPECT_EQ(row.at("wif"), network.wif_version);
    EXPECT_EQ(network.xpub_version, version("xpub"));
    EXPECT_EQ(network.xprv_version, version("xprv"));
    EXPECT_EQ(row.at("coin_type"), network.coin_type);
}

TEST(Networks, EqualBitcoinCoresTable) {
    const auto data = test::read_test_json("vectors/networks.json");
    if (!data) GTEST_SKIP() << test::kNoTestData;
    const auto& rows = data->at("networks");
    ASSERT_EQ(rows.size(), all_networks().size());
    for (const NetworkParams& network : all_networks()) {
        SCOPED_TRACE(network.name);
        const auto& row = rows.at(std::string(network.name));
        expect_same_formats(network, row);
        expect_same_chain(network, row);
    }
}

}  // namespace
}  // namespace petal::chain
