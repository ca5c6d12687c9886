/// Blocks that a chain of headers may start at.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/block_header.h"
#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::chain {

/// A block that is trusted, together with all blocks below it.
struct Anchor {
    std::uint32_t height = 0;
    BlockHeader header;
    Uint256 chainwork;  ///< from the genesis block on, including this block

    friend bool operator==(const Anchor&, const Anchor&) = default;
};

/// The genesis block, which needs no trust.
Anchor genesis_anchor(const NetworkParams& network);

/// The number of a network's anchors, including its genesis block, and one of them, lowest first.
/// Each is the first block of a difficulty period, so that all rules can be checked for every
/// header after it. On mainnet they are four weeks apart; testnet4 and regtest have only the
/// genesis block.
std::size_t anchor_count(const NetworkParams& network);
Anchor anchor_at(const NetworkParams& network, std::size_t place);

/// The network's anchor at this height; empty if there is none.
std::optional<Anchor> find_anchor(const NetworkParams& network, std::uint32_t height);

/// The highest anchor below which no block can concern a wallet with this birthday, at a safe
/// distance: a day's number of blocks, or a day.
/// birthday_height, birthday_time   as in watcher.h's Birthday: no block of interest is lower, or
///                                  has an earlier time
Anchor anchor_before(const NetworkParams& network, std::uint32_t birthday_height,
                     std::int64_t birthday_time);

}  // namespace petal::chain
