/// Blocks at which a chain of headers may start.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "chain/block_header.h"
#include "chain/network_params.h"
#include "chain/uint256.h"

namespace petal::chain {

/// A block that is trusted, together with all lower blocks.
struct Anchor {
    std::uint32_t height = 0;
    BlockHeader header;
    Uint256 chainwork;  ///< from the genesis block on, including this block

    friend bool operator==(const Anchor&, const Anchor&) = default;
};

/// The genesis block as an anchor, which requires no trust.
Anchor genesis_anchor(const NetworkParams& network);

/// The anchors of a network, the lowest first. The first anchor is the genesis block, which is the
/// only anchor of testnet4 and regtest. Each anchor is the first block of a difficulty period, so
/// that all rules can be checked for all later headers. Mainnet's anchors are four weeks apart.
std::size_t anchor_count(const NetworkParams& network);
Anchor anchor_at(const NetworkParams& network, std::size_t place);

/// The network's anchor at this height. Empty if there is none.
std::optional<Anchor> find_anchor(const NetworkParams& network, std::uint32_t height);

/// The highest anchor below which no block can concern a wallet with this birthday, with a margin
/// of a day (of blocks and of time).
/// birthday_height, birthday_time   see watcher.h, Birthday
Anchor anchor_before(const NetworkParams& network, std::uint32_t birthday_height,
                     std::int64_t birthday_time);

}  // namespace petal::chain
