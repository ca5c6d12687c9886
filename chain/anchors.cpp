// Where chains may start.
#include "chain/anchors.h"

#include "chain/proof_of_work.h"

namespace petal::chain {

Anchor genesis_anchor(const NetworkParams& network) {
    const Uint256 target = decode_target(network.genesis.bits, network.pow_limit).value();
    return {0, network.genesis, work_of_target(target)};
}

}  // namespace petal::chain
