/// A network with every difficulty rule, short periods, and cheap blocks.
#pragma once

#include "chain/network_params.h"
#include "tests/support/test_chain.h"

namespace petal::chain {

/// The easiest target, 2^243: a block takes 8192 hashes. Unlike regtest's target, this target is
/// small enough that a retarget's multiplication does not overflow.
inline constexpr std::uint32_t kSmallLimitBits = 0x1f080000;

/// The target spacing is 200 seconds. There is no rule for late blocks, and no BIP94.
inline NetworkParams small_network(std::uint32_t retarget_interval) {
    NetworkParams network = test::regtest_params();
    network.name = "small";
    network.pow_limit = Uint256(1) << 243;
    network.genesis.bits = kSmallLimitBits;
    test::find_nonce(network.genesis);
    network.retarget_interval = retarget_interval;
    network.retarget_timespan = std::int64_t{retarget_interval} * 200;
    network.retargets = true;
    network.min_difficulty_blocks = false;
    return network;
}

}  // namespace petal::chain
