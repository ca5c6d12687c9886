#include "cli/rpc/fault_names.h"
#include "cli/rpc/rpc_method.h"

namespace petal::cli::rpc {
namespace {

bool has_peer(const net::NodePeers& peers, std::uint64_t id) {
    for (const auto& peer : peers.peers()) {
        if (peer.id == id) return true;
    }
    return false;
}

Json set_fault(RpcNode& node, const Arguments& arguments) {
    const net::NodeBehaviour& honest = node.settings.behaviour;
    net::NodeBehaviour behaviour = honest;
    const std::string wrong = add_faults(behaviour, arguments.text(0));
    if (!wrong.empty()) throw RpcError(RpcCode::invalid_parameter, wrong);
    if (!arguments.has(1)) {
        node.peers.set_behaviour_of_all(behaviour);
        return nullptr;
    }
    const auto id = static_cast<std::uint64_t>(arguments.number<std::int64_t>(1));
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
         {{"faults", text}, {"nodeid", number, false}},
         set_fault,
         "misbehaves from now on as NAME[=N][,NAME[=N]...] says, to one peer or all; \"\" for not"},
    };
}

}  // namespace petal::cli::rpc
