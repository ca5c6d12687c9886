// Compact targets, work, and the required target of the next block.
#include "chain/headers/proof_of_work.h"

#include <algorithm>
#include <cassert>

namespace petal::chain {

namespace {

constexpr std::uint32_t kSignBit = 0x00800000;
constexpr std::uint32_t kWordMask = 0x007fffff;

// On the test networks, a block may have the easiest target if it is later than its parent by more
// than this number of seconds: twice the spacing of ten minutes.
constexpr std::int64_t kLateBlock = std::int64_t{2} * 600;

// The bits of the last block before `height` that does not use the exception for late blocks, or of
// the period's first block (Bitcoin Core: GetNextWorkRequired).
std::uint32_t last_real_bits(const NetworkParams& network, const HeaderAncestry& ancestry,
                             std::uint32_t height, std::uint32_t easiest_bits) {
    std::uint32_t bits = easiest_bits;
    do {
        --height;
        bits = ancestry.header_at(height).bits;
    } while (height % network.retarget_interval != 0 && bits == easiest_bits);
    return bits;
}

// The bits of a period's first block, at `height` (Bitcoin Core: CalculateNextWorkRequired).
std::uint32_t retargeted_bits(const NetworkParams& network, const HeaderAncestry& ancestry,
                              std::uint32_t height) {
    const BlockHeader last = ancestry.header_at(height - 1);
    const BlockHeader first = ancestry.header_at(height - network.retarget_interval);
    const std::int64_t timespan =
        std::clamp(std::int64_t{last.time} - std::int64_t{first.time},
                   network.retarget_timespan / 4, network.retarget_timespan * 4);
    const std::uint32_t base_bits = network.bip94 ? first.bits : last.bits;
    const auto base = decode_target(base_bits, network.pow_limit);
    assert(base.has_value());  // the bits of an accepted block
    const Uint256 target = *base * static_cast<std::uint64_t>(timespan) /
                           static_cast<std::uint64_t>(network.retarget_timespan);
    return encode_target(std::min(target, network.pow_limit));
}

}  // namespace

Expected<Uint256, TargetError> decode_target(std::uint32_t bits, const Uint256& pow_limit) {
    const std::uint32_t size = bits >> 24U;
    std::uint32_t word = bits & kWordMask;
    if (size < 3) word >>= 8 * (3 - size);
    if (word == 0) return Unexpected(TargetError::zero);
    if ((bits & kSignBit) != 0) return Unexpected(TargetError::negative);
    const bool overflows = size > 34 || (word > 0xff && size > 33) || (word > 0xffff && size > 32);
    if (overflows) return Unexpected(TargetError::overflow);

    Uint256 target = word;
    if (size > 3) target <<= 8 * (size - 3);
    if (target > pow_limit) return Unexpected(TargetError::above_limit);
    return target;
}

std::uint32_t encode_target(const Uint256& target) {
    if (target == 0) return 0;
    std::uint32_t size = (target.bit_length() + 7) / 8;
    const Uint256 shifted = size <= 3 ? target << 8 * (3 - size) : target >> 8 * (size - 3);
    auto word = static_cast<std::uint32_t>(shifted.low_bits());
    // The top bit of the mantissa is a sign and must not be set.
    if ((word & kSignBit) != 0) {
        word >>= 8U;
        ++size;
    }
    return size << 24U | word;
}

Uint256 work_of_target(const Uint256& target) {
    // 2^256 does not fit, but 2^256 - (target + 1) = ~target does.
    const Uint256 inverted = ~target;
    return inverted == 0 ? 1 : inverted / (target + 1) + 1;
}

bool meets_target(const BlockHash& hash, const Uint256& target) {
    return to_uint256(hash) <= target;
}

std::uint32_t required_bits(const NetworkParams& network, const HeaderAncestry& ancestry,
                            std::uint32_t height, std::uint32_t time) {
    assert(height >= 1);
    const BlockHeader parent = ancestry.header_at(height - 1);
    // The difficulty never changes.
    if (!network.retargets) return parent.bits;
    if (height % network.retarget_interval == 0) return retargeted_bits(network, ancestry, height);
    if (!network.min_difficulty_blocks) return parent.bits;

    const std::uint32_t easiest_bits = encode_target(network.pow_limit);
    if (std::int64_t{time} > std::int64_t{parent.time} + kLateBlock) return easiest_bits;
    return last_real_bits(network, ancestry, height, easiest_bits);
}

}  // namespace petal::chain
