/// The names of a node's faults, with which tests of clients select them.
#pragma once

#include <string>
#include <string_view>

#include "regtest/node_behaviour.h"

namespace petal::regtest::rpc {

/// Adds the faults of a list such as `stall=3,slow=200` to a behaviour. Returns the error in the
/// list; empty if there is none. Each is NAME or NAME=N: N blocks are served before (none without
/// it); for `silent` and `disconnect`, N messages are accepted before, and for `slow`, it is the
/// milliseconds for each block. With NAME=TXID, a fault of single transactions applies to only that
/// one.
std::string add_faults(NodeBehaviour& behaviour, std::string_view list);

/// Whether the list has a fault that occurs in the handshake, and so not on an open connection.
bool changes_handshake(const NodeBehaviour& behaviour, const NodeBehaviour& honest);

/// All names with their descriptions, one a line.
std::string fault_help();

}  // namespace petal::regtest::rpc
