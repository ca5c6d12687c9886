/// Which node an outbound connection leads to, as far as known.
#pragma once

#include <string>

#include "chain/bytes.h"

namespace petal::net {

struct PeerIdentity {
    std::string address;  ///< HOST:PORT as it was dialled, for reports
    /// Equal for connections that lead to one node, even under different names.
    std::string node;
    /// Equal for nodes that may well belong to one owner: network_group() of the address, or the
    /// name if no address is known.
    chain::Bytes group;
};

}  // namespace petal::net
