/// The parameters of regtest.
#pragma once

#include "chain/network_params.h"

namespace petal::regtest::rpc {

inline const chain::NetworkParams& regtest_network() {
    static const chain::NetworkParams& network = *chain::find_network("regtest");
    return network;
}

}  // namespace petal::regtest::rpc
