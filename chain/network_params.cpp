// The five networks (Bitcoin Core: kernel/chainparams.cpp).
#include "chain/network_params.h"

#include <algorithm>

#include "chain/byte_writer.h"
#include "chain/hash.h"

namespace petal::chain {

namespace {

// Every network but testnet4 has the genesis transaction of mainnet.
constexpr std::string_view kGenesisMerkleRoot =
    "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";
constexpr std::string_view kTestnet4MerkleRoot =
    "7aa0a7ae1e223414cb807e40cd57e667b718e42aaf9306db9102fe28912b7b4e";

constexpr std::string_view kDifficultyOneLimit =
    "00000000ffffffffffffffffffffffffffffffffffffffffffffffffffffffff";
constexpr std::string_view kSignetLimit =
    "00000377ae000000000000000000000000000000000000000000000000000000";
constexpr std::string_view kRegtestLimit =
    "7fffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff";

constexpr std::string_view kSignetChallenge =
    "512103ad5e0edad18cb1f0fc0d28a3d4f1f3e445640337489abb10404f2d1e086be430"
    "210359ef5021964fe22d6f8e05b2463c9540ce96883fe3b278760f048f5189f2e6c452ae";

Uint256 number(std::string_view hex) {
    return uint256_from_hex(hex).value();
}

BlockHeader genesis_block(std::string_view merkle_root, std::uint32_t time, std::uint32_t bits,
                          std::uint32_t nonce) {
    return {1, {}, Hash256::from_hex(merkle_root).value(), time, bits, nonce};
}

NetworkParams make_mainnet() {
    return {.name = "mainnet",
            .magic = {0xf9, 0xbe, 0xb4, 0xd9},
            .default_port = 8333,
            .bech32_prefix = "bc",
            .p2pkh_version = 0,
            .p2sh_version = 5,
            .wif_version = 128,
            .xpub_version = 0x0488b21e,
            .xprv_version = 0x0488ade4,
            .coin_type = 0,
            .genesis = genesis_block(kGenesisMerkleRoot, 1231006505, 0x1d00ffff, 2083236893),
            .pow_limit = number(kDifficultyOneLimit),
            .retarget_interval = 2016,
            .retarget_timespan = 1'209'600,
            .min_difficulty_blocks = false,
            .retargets = true,
            .bip94 = false,
            .version_heights = {227'931, 363'725, 388'381},
            .segwit_height = 481'824,
            .minimum_chainwork = number("1128750f82f4c366153a3a030")};
}

// testnet3, from which the functions below make the remaining test networks.
NetworkParams make_testnet3() {
    return {.name = "testnet3",
            .magic = {0x0b, 0x11, 0x09, 0x07},
            .default_port = 18333,
            .bech32_prefix = "tb",
            .p2pkh_version = 111,
            .p2sh_version = 196,
            .wif_version = 239,
            .xpub_version = 0x043587cf,
            .xprv_version = 0x04358394,
            .coin_type = 1,
            .genesis = genesis_block(kGenesisMerkleRoot, 1296688602, 0x1d00ffff, 414098458),
            .pow_limit = number(kDifficultyOneLimit),
            .retarget_interval = 2016,
            .retarget_timespan = 1'209'600,
            .min_difficulty_blocks = true,
            .retargets = true,
            .bip94 = false,
            .version_heights = {21'111, 330'776, 581'885},
            .segwit_height = 834'624,
            .minimum_chainwork = number("17dde1c649f3708d14b6")};
}

NetworkParams make_testnet4() {
    NetworkParams network = make_testnet3();
    network.name = "testnet4";
    network.magic = {0x1c, 0x16, 0x3f, 0x28};
    network.default_port = 48333;
    network.genesis = genesis_block(kTestnet4MerkleRoot, 1714777860, 0x1d00ffff, 393743547);
    network.bip94 = true;
    network.version_heights = {1, 1, 1};
    network.segwit_height = 1;
    network.minimum_chainwork = number("9a0fe15d0177d086304");
    return network;
}

NetworkParams make_signet() {
    NetworkParams network = make_testnet3();
    network.name = "signet";
    network.magic = {0x0a, 0x03, 0xcf, 0x40};
    network.default_port = 38333;
    network.genesis = genesis_block(kGenesisMerkleRoot, 1598918400, 0x1e0377ae, 52613770);
    network.pow_limit = number(kSignetLimit);
    network.min_difficulty_blocks = false;
    network.version_heights = {1, 1, 1};
    network.segwit_height = 1;
    network.minimum_chainwork = number("b463ea0a4b8");
    network.signet_challenge = from_hex(kSignetChallenge).value();
    return network;
}

NetworkParams make_regtest() {
    NetworkParams network = make_testnet3();
    network.name = "regtest";
    network.magic = {0xfa, 0xbf, 0xb5, 0xda};
    network.default_port = 18444;
    network.bech32_prefix = "bcrt";
    network.genesis = genesis_block(kGenesisMerkleRoot, 1296688602, 0x207fffff, 2);
    network.pow_limit = number(kRegtestLimit);
    network.retarget_interval = 144;
    network.retarget_timespan = 86'400;
    network.retargets = false;
    network.version_heights = {1, 1, 1};
    network.segwit_height = 0;
    network.minimum_chainwork = 0;
    return network;
}

}  // namespace

std::span<const NetworkParams> all_networks() {
    static const std::array networks{make_mainnet(), make_testnet3(), make_testnet4(),
                                     make_signet(), make_regtest()};
    return networks;
}

const NetworkParams* find_network(std::string_view name) {
    const auto networks = all_networks();
    const auto found = std::find_if(networks.begin(), networks.end(),
                                    [&](const NetworkParams& row) { return row.name == name; });
    return found == networks.end() ? nullptr : &*found;
}

NetworkParams signet_of(ByteView challenge) {
    NetworkParams network = make_signet();
    if (std::ranges::equal(challenge, network.signet_challenge)) return network;
    const Bytes serialized = ByteWriter{}.var_bytes(challenge).take();
    const Hash256 hash = sha256d(serialized);
    std::copy_n(hash.bytes.begin(), network.magic.size(), network.magic.begin());
    network.name = "signet-" + to_hex(network.magic);
    network.minimum_chainwork = 0;
    network.signet_challenge.assign(challenge.begin(), challenge.end());
    return network;
}

}  // namespace petal::chain
