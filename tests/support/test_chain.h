/// Headers with proof of work that is cheap enough to be made in a test.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>
#include <vector>

#include "chain/block_header.h"
#include "chain/network_params.h"

namespace petal::test {

/// The target of every regtest block: every second hash meets it.
inline constexpr std::uint32_t kRegtestBits = 0x207fffff;

/// A clock time, in Unix seconds, later than any recorded or mined header.
inline constexpr std::int64_t kNow = 2'000'000'000;

/// The row of regtest.
const chain::NetworkParams& regtest_params();

/// Counts the nonce up until the header meets the target in the header's bits.
void find_nonce(chain::BlockHeader& header);

/// A valid header after `parent`. Headers that differ only in `merkle_root` are different blocks.
chain::BlockHeader mine_header(const chain::BlockHeader& parent, std::uint32_t time,
                               const chain::Hash256& merkle_root = {},
                               std::uint32_t bits = kRegtestBits);

/// `count` headers, each after the header before and the first after `parent`, ten minutes apart. A
/// different `salt` makes different headers.
std::vector<chain::BlockHeader> mine_headers(const chain::BlockHeader& parent, std::size_t count,
                                             std::uint8_t salt = 0);

/// A tree of regtest headers. Letters name the blocks. The root is regtest's genesis block, '0'.
class LetterTree {
public:
    LetterTree();

    /// Mines a header for each letter: the first after `parent`, each further header after the
    /// header before.
    std::vector<chain::BlockHeader> grow(std::string_view letters, char parent = '0');

    const chain::BlockHeader& operator[](char letter) const { return headers_.at(letter); }
    chain::BlockHash hash(char letter) const { return headers_.at(letter).hash(); }
    /// The headers of these letters, in this order.
    std::vector<chain::BlockHeader> headers(std::string_view letters) const;

private:
    std::map<char, chain::BlockHeader> headers_;
};

}  // namespace petal::test
