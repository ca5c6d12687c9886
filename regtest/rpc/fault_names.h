/// The names of a node's faults, by which tests select them.
#pragma once

#include <string>
#include <string_view>

#include "regtest/node_behaviour.h"

namespace petal::regtest::rpc {

/// Adds the faults of a list such as `stall=3,slow=200` to a behaviour. Returns the error in the
/// list. Empty if there is none. Each item is one of these:
///
/// - NAME: the fault occurs from the first block on.
/// - NAME=N: N blocks are served before. For `silent` and `disconnect`, N messages are accepted
///   before. For `slow`, N is the milliseconds for each block. For faults of block filters, N is
///   the lowest height.
/// - NAME=TXID: a fault of single transactions occurs only for this transaction.
std::string add_faults(NodeBehaviour& behaviour, std::string_view list);

/// Whether the list has a fault that occurs in the handshake, and so cannot occur on an open
/// connection.
bool changes_handshake(const NodeBehaviour& behaviour, const NodeBehaviour& honest);

/// All names with descriptions, one per line.
std::string fault_help();

}  // namespace petal::regtest::rpc
