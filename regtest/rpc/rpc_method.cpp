#include "regtest/rpc/rpc_method.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "regtest/rpc/wallet_method.h"

namespace petal::regtest::rpc {

namespace {

/// Null if there is no such method.
const Method* find_method(std::string_view name) {
    const auto methods = all_methods();
    const auto found = std::ranges::lower_bound(methods, name, {}, &Method::name);
    return found != methods.end() && found->name == name ? &*found : nullptr;
}

bool is_purse_method(std::string_view name) {
    static const std::vector<Method> methods = purse_methods();
    return std::ranges::find(methods, name, &Method::name) != methods.end();
}

bool has_purse(const RpcNode& node) {
    return node.settings.has_wallet && node.settings.wallets == nullptr;
}

}  // namespace

std::span<const Method> all_methods() {
    static const std::vector<Method> methods = [] {
        std::vector<Method> all;
        for (auto&& room :
             {block_methods(), transaction_methods(), mempool_methods(), mining_methods(),
              address_methods(), node_methods(), purse_methods(), fault_methods(),
              conflict_methods(), template_methods(), wait_methods(), chain_methods(),
              block_stats_methods(), coin_methods(), script_methods(), control_methods()}) {
            std::ranges::copy(room, std::back_inserter(all));
        }
        std::ranges::sort(all, {}, &Method::name);
        return all;
    }();
    return methods;
}

std::vector<MethodHelp> methods_of(const RpcNode& node) {
    std::vector<MethodHelp> methods;
    for (const Method& method : all_methods()) {
        if (is_purse_method(method.name) && !has_purse(node)) continue;
        methods.push_back({method.name, method.parameters, method.text});
    }
    if (node.settings.wallets != nullptr) {
        for (const WalletMethod& method : all_wallet_methods()) {
            methods.push_back({method.name, method.parameters, method.text});
        }
        std::ranges::sort(methods, {}, &MethodHelp::name);
    }
    return methods;
}

Json call_method(RpcNode& node, std::string_view name, const Json& arguments) {
    if (node.settings.wallets != nullptr) {
        if (const WalletMethod* const method = find_wallet_method(name)) {
            const WalletCall call(*node.settings.wallets, node.wallet_name);
            return call_wallet_method(*method, call, arguments);
        }
    }
    const Method* const method = find_method(name);
    const bool exists = method != nullptr && (has_purse(node) || !is_purse_method(name));
    if (!exists) throw RpcError(RpcCode::method_not_found, "Method not found");
    return method->run(node, Arguments(arguments, method->name, method->parameters));
}

}  // namespace petal::regtest::rpc
