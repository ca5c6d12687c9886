/// The table of RPC methods.
#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "regtest/rpc/rpc_arguments.h"
#include "regtest/rpc/rpc_node.h"

namespace petal::regtest::rpc {

/// A method. The function gets the node and the arguments, and neither sockets nor text.
struct Method {
    std::string_view name;
    std::vector<Parameter> parameters;
    Json (*run)(RpcNode& node, const Arguments& arguments);
    std::string_view text;  ///< one line for `help`
};

/// All methods, by name, with those of the purse, but not those of wallets by name
/// (wallet_methods/wallet_method.h). Names, parameters, results and errors are Bitcoin Core's.
std::span<const Method> all_methods();

/// What `help` tells about a method.
struct MethodHelp {
    std::string_view name;
    std::span<const Parameter> parameters;
    std::string_view text;
};
/// The methods of this node, by name.
std::vector<MethodHelp> methods_of(const RpcNode& node);

/// Calls a method. Throws RpcError.
/// arguments   an array or an object
Json call_method(RpcNode& node, std::string_view method, const Json& arguments);

// The parts of the table.
std::vector<Method> block_methods();
std::vector<Method> transaction_methods();
std::vector<Method> mempool_methods();
std::vector<Method> mining_methods();
std::vector<Method> address_methods();
std::vector<Method> node_methods();
std::vector<Method> purse_methods();
std::vector<Method> fault_methods();
std::vector<Method> conflict_methods();
std::vector<Method> template_methods();
std::vector<Method> wait_methods();
std::vector<Method> chain_methods();
std::vector<Method> block_stats_methods();
std::vector<Method> coin_methods();
std::vector<Method> script_methods();
std::vector<Method> control_methods();

}  // namespace petal::regtest::rpc
