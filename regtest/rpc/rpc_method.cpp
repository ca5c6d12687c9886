#include "regtest/rpc/rpc_method.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace petal::regtest::rpc {

namespace {

bool is_wallet_method(std::string_view name) {
    static const std::vector<Method> methods = wallet_methods();
    return std::ranges::find(methods, name, &Method::name) != methods.end();
}

}  // namespace

std::span<const Method> all_methods() {
    static const std::vector<Method> methods = [] {
        std::vector<Method> all;
        for (auto&& room :
             {block_methods(), transaction_methods(), mempool_methods(), mining_methods(),
              address_methods(), node_methods(), wallet_methods(), fault_methods(),
              conflict_methods(), template_methods(), wait_methods(), chain_methods(),
              block_stats_methods(), coin_methods(), script_methods(), control_methods()}) {
            std::ranges::copy(room, std::back_inserter(all));
        }
        std::ranges::sort(all, {}, &Method::name);
        return all;
    }();
    return methods;
}

const Method* find_method(std::string_view name) {
    const auto methods = all_methods();
    const auto found = std::ranges::lower_bound(methods, name, {}, &Method::name);
    return found != methods.end() && found->name == name ? &*found : nullptr;
}

Json call_method(RpcNode& node, std::string_view name, const Json& arguments) {
    const Method* const method = find_method(name);
    const bool exists = method != nullptr && (node.settings.has_wallet || !is_wallet_method(name));
    if (!exists) throw RpcError(RpcCode::method_not_found, "Method not found");
    return method->run(node, Arguments(arguments, method->name, method->parameters));
}

}  // namespace petal::regtest::rpc
