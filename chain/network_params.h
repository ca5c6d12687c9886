/// The parameters of all supported networks, as rows of one table.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "chain/block_header.h"
#include "chain/bytes.h"
#include "chain/uint256.h"

namespace petal::chain {

/// The parameters of one network (Bitcoin Core: kernel/chainparams.cpp).
struct NetworkParams {
    std::string name;           ///< on the command line and of the data folder
    std::array<Byte, 4> magic;  ///< in wire order
    std::uint16_t default_port;
    std::string_view bech32_prefix;
    std::uint8_t p2pkh_version;
    std::uint8_t p2sh_version;
    std::uint8_t wif_version;
    std::uint32_t xpub_version;  ///< the first four bytes of a serialized extended key, big-endian
    std::uint32_t xprv_version;
    std::uint32_t coin_type;  ///< BIP44: 0 for mainnet, 1 for every test network

    BlockHeader genesis;
    Uint256 pow_limit;                             ///< the easiest target
    std::uint32_t retarget_interval;               ///< in blocks
    std::int64_t retarget_timespan;                ///< in seconds
    bool min_difficulty_blocks;                    ///< a block 20 minutes late may have pow_limit
    bool retargets;                                ///< false: difficulty never changes (regtest)
    bool bip94;                                    ///< testnet4's retarget base and timewarp rule
    std::array<std::uint32_t, 3> version_heights;  ///< where versions 2, 3, 4 become mandatory
    std::uint32_t segwit_height;  ///< first height at which blocks may have witnesses (BIP141)
    Uint256 minimum_chainwork;    ///< a chain with less work is not accepted as the network's
    /// The script that each block's signature satisfies (BIP325). Empty if blocks are not signed.
    Bytes signet_challenge{};
};

/// mainnet, testnet3, testnet4, signet and regtest, in this order.
std::span<const NetworkParams> all_networks();

/// The network of this name, with static lifetime. Null for an unknown name.
const NetworkParams* find_network(std::string_view name);

/// The signet with this challenge (BIP325). For the challenge of the public signet, returns its row
/// of the table. For a custom signet, returns a row with the public signet's genesis block and
/// rules, but with the magic of the challenge, no minimum chainwork, and the name `signet-MAGIC`
/// (in hexadecimal).
NetworkParams signet_of(ByteView challenge);

}  // namespace petal::chain
