#include "chain/bytes.h"
#include "regtest/rpc/fault_names.h"
#include "regtest/rpc/rpc_method.h"

namespace petal::regtest::rpc {
namespace {

bool has_peer(const NodePeers& peers, std::uint64_t id) {
    for (const auto& peer : peers.peers()) {
        if (peer.id == id) return true;
    }
    return false;
}

/// The id of a peer, as a number or a string of digits: bitcoin-cli sends strings for methods that
/// it does not know.
std::uint64_t peer_id(const Json& given) {
    if (!given.is_string()) return static_cast<std::uint64_t>(Arguments::whole_number(given));
    const auto& digits = given.get_ref<const std::string&>();
    if (const auto id = chain::parse_number<std::uint64_t>(digits)) return *id;
    throw RpcError(RpcCode::invalid_parameter, "nodeid must be a number (not '" + digits + "')");
}

Json set_fault(RpcNode& node, const Arguments& arguments) {
    const NodeBehaviour& honest = node.settings.behaviour;
    NodeBehaviour behaviour = honest;
    const std::string wrong = add_faults(behaviour, arguments.text(0));
    if (!wrong.empty()) throw RpcError(RpcCode::invalid_parameter, wrong);
    if (!arguments.has(1)) {
        node.peers.set_behaviour_of_all(behaviour);
        return nullptr;
    }
    const std::uint64_t id = peer_id(arguments.at(1));
    if (!has_peer(node.peers, id)) {
        throw RpcError(RpcCode::node_not_connected, "Node not found in connected nodes");
    }
    if (changes_handshake(behaviour, honest)) {
        throw RpcError(RpcCode::invalid_parameter,
                       "the handshake, which would show this fault, has been");
    }
    node.peers.set_faults(id, behaviour);
    return nullptr;
}

}  // namespace

std::vector<Method> fault_methods() {
    using enum ArgumentKind;
    return {
        {"setfault",
         {{"faults", text}, {"nodeid", any, false}},
         set_fault,
         "misbehaves from now on as NAME[=N|TXID][,NAME...] says, to one peer or all; \"\" for "
         "not"},
    };
}

}  // namespace petal::regtest::rpc
