/// Which node is at the other end of a connection that we dialled, as far as that is known.
#pragma once

#include <string>

#include "chain/bytes.h"

namespace petal::net {

struct PeerIdentity {
    std::string address;  ///< HOST:PORT as it was dialled, for reports
    /// The same for two connections that lead to one node, be it by other names.
    std::string node;
    /// The same for those that may well belong to one owner: network_group() of the address, or the
    /// name where that is all that is known. An operator may run several nodes.
    chain::Bytes group;
};

}  // namespace petal::net
