/// The size of the next blocks, learned from the blocks before.
#pragma once

#include <algorithm>
#include <cstddef>

namespace petal::net {

/// The average size of recent blocks. Follows larger blocks faster than smaller ones: too many
/// bytes in flight cost more than a short pause of the peer.
class BlockSizeEstimate {
public:
    /// A full block of `bytes` was received.
    void on_block(std::size_t bytes) {
        const double difference = static_cast<double>(bytes) - bytes_;
        bytes_ += difference * (difference > 0 ? kRise : kFall);
    }

    /// How many blocks are about `bytes` long. At least 1.
    std::size_t blocks_in(std::size_t bytes) const {
        return std::max<std::size_t>(static_cast<std::size_t>(static_cast<double>(bytes) / bytes_),
                                     1);
    }

private:
    static constexpr double kRise = 1.0 / 4;
    static constexpr double kFall = 1.0 / 8;

    double bytes_ = 1'000'000;  // before the first block
};

}  // namespace petal::net
