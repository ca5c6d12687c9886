#include <utility>

#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/rpc_wait.h"

namespace petal::regtest::rpc {
namespace {

using std::chrono::milliseconds;

Json tip_json(const RegtestChain& chain) {
    return {{"hash", chain.tip().to_hex()}, {"height", chain.height()}};
}

/// The limit of a call in milliseconds. Empty for no limit.
std::optional<milliseconds> time_limit(const Arguments& arguments, std::size_t position) {
    const auto limit = arguments.number(position, 0);
    if (limit < 0) throw RpcError(RpcCode::misc, "Negative timeout");
    return limit == 0 ? std::nullopt : std::optional(milliseconds{limit});
}

/// The tip as soon as `is_met` holds, or when the time is over.
template <typename Condition>
Json wait_for(const RegtestChain& chain, std::optional<milliseconds> limit, Condition is_met) {
    if (is_met(chain)) return tip_json(chain);
    throw RpcWait([&chain, limit, is_met](milliseconds waited) -> std::optional<Json> {
        const bool is_over = limit && waited >= *limit;
        if (!is_over && !is_met(chain)) return std::nullopt;
        return tip_json(chain);
    });
}

Json wait_for_new_block(RpcNode& node, const Arguments& arguments) {
    const auto limit = time_limit(arguments, 0);
    const auto tip = arguments.has(1) ? arguments.hash<chain::BlockHash>(1) : node.chain.tip();
    return wait_for(node.chain, limit,
                    [tip](const RegtestChain& chain) { return chain.tip() != tip; });
}

Json wait_for_block(RpcNode& node, const Arguments& arguments) {
    const auto tip = arguments.hash<chain::BlockHash>(0);
    const auto limit = time_limit(arguments, 1);
    return wait_for(node.chain, limit,
                    [tip](const RegtestChain& chain) { return chain.tip() == tip; });
}

Json wait_for_block_height(RpcNode& node, const Arguments& arguments) {
    const std::int64_t height = arguments.number(0);
    const auto limit = time_limit(arguments, 1);
    return wait_for(node.chain, limit, [height](const RegtestChain& chain) {
        return std::int64_t{chain.height()} >= height;
    });
}

/// Here, each call sees the effects of all calls before.
Json sync_with_validation_queue(RpcNode& /*node*/, const Arguments& /*arguments*/) {
    return nullptr;
}

}  // namespace

std::vector<Method> wait_methods() {
    using enum ArgumentKind;
    return {
        {"waitfornewblock",
         {{"timeout", number, false}, {"current_tip", text, false}},
         wait_for_new_block,
         "the tip, as soon as it is another block, or after so many milliseconds"},
        {"waitforblock",
         {{"blockhash", text}, {"timeout", number, false}},
         wait_for_block,
         "the tip, as soon as it is this block, or after so many milliseconds"},
        {"waitforblockheight",
         {{"height", number}, {"timeout", number, false}},
         wait_for_block_height,
         "the tip, as soon as it has this height, or after so many milliseconds"},
        {"syncwithvalidationinterfacequeue",
         {},
         sync_with_validation_queue,
         "returns at once: nothing is done later"},
    };
}

}  // namespace petal::regtest::rpc
