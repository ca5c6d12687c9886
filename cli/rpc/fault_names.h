/// The names of a node's faults, by which tests of clients choose them.
#pragma once

#include <string>
#include <string_view>

#include "net/regtest/node_behaviour.h"

namespace petal::cli::rpc {

/// Adds the faults of a list as `stall=3,slow=200` to a behaviour. Returns what is wrong with the
/// list; empty if nothing is. Each is NAME or NAME=N: N blocks are served before (none without it);
/// of `silent` and `disconnect`, N messages are taken before, and of `slow`, it is the milliseconds
/// for each block. With NAME=TXID, faults of single transactions strike that one alone.
std::string add_faults(net::NodeBehaviour& behaviour, std::string_view list);

/// Whether the list holds a fault that shows in the handshake, and so not on a connection that
/// stands already.
bool changes_handshake(const net::NodeBehaviour& behaviour, const net::NodeBehaviour& honest);

/// All names with what they do, a line each.
std::string fault_help();

}  // namespace petal::cli::rpc
