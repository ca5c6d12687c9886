#include <algorithm>
#include <array>

#include "regtest/rpc/rpc_method.h"

namespace petal::regtest::rpc {
namespace {

constexpr std::size_t kEchoedArguments = 10;

/// The call itself. No other call runs at the same time.
Json get_rpc_info(RpcNode& node, const Arguments& /*arguments*/) {
    return {{"active_commands", Json::array({{{"method", "getrpcinfo"}, {"duration", 0}}})},
            {"logpath", node.settings.log_path}};
}

Json echo_arguments(RpcNode& /*node*/, const Arguments& arguments) {
    Json echoed = Json::array();
    std::size_t count = kEchoedArguments;
    while (count > 0 && !arguments.has(count - 1)) --count;
    for (std::size_t i = 0; i < count; ++i) echoed.push_back(arguments.at(i));
    return echoed;
}

/// Bitcoin Core's categories (logging/categories.h).
constexpr std::array<std::string_view, 29> kLogCategories = {"addrman",
                                                             "bench",
                                                             "blockstorage",
                                                             "cmpctblock",
                                                             "coindb",
                                                             "estimatefee",
                                                             "http",
                                                             "i2p",
                                                             "ipc",
                                                             "kernel",
                                                             "leveldb",
                                                             "mempool",
                                                             "mempoolrej",
                                                             "net",
                                                             "privatebroadcast",
                                                             "proxy",
                                                             "prune",
                                                             "qt",
                                                             "rand",
                                                             "reindex",
                                                             "rpc",
                                                             "scan",
                                                             "selectcoins",
                                                             "tor",
                                                             "txpackages",
                                                             "txreconciliation",
                                                             "validation",
                                                             "walletdb",
                                                             "zmq"};

/// The log has no categories: none can be on.
Json get_logging(RpcNode& /*node*/, const Arguments& arguments) {
    for (const std::size_t position : {0U, 1U}) {
        if (!arguments.has(position)) continue;
        for (const Json& given : arguments.at(position)) {
            const std::string& name = Arguments::text_of(given);
            const bool is_known = name.empty() || name == "all" || name == "1" ||
                                  std::ranges::find(kLogCategories, name) != kLogCategories.end();
            if (is_known) continue;
            throw RpcError(RpcCode::invalid_parameter, "unknown logging category " + name);
        }
    }
    Json categories = Json::object();
    for (const std::string_view name : kLogCategories) categories[std::string(name)] = false;
    return categories;
}

/// No work of this node waits for a scheduler.
Json mock_scheduler(RpcNode& /*node*/, const Arguments& arguments) {
    constexpr std::int64_t kMaxSeconds = 3'600;
    const auto seconds = arguments.number<std::int64_t>(0);
    if (seconds <= 0 || seconds > kMaxSeconds) {
        throw RpcError(RpcCode::misc, "delta_time must be between 1 and 3600 seconds (1 hr)");
    }
    return nullptr;
}

Json ping_peers(RpcNode& node, const Arguments& /*arguments*/) {
    node.peers.ping_all();
    return nullptr;
}

Json get_net_totals(RpcNode& node, const Arguments& /*arguments*/) {
    const TotalTraffic total = node.peers.total_traffic();
    constexpr int kDay = 86'400;
    return {{"totalbytesrecv", total.received},
            {"totalbytessent", total.sent},
            {"timemillis", node.settings.now() * 1'000},
            {"uploadtarget",
             {{"timeframe", kDay},
              {"target", 0},
              {"target_reached", false},
              {"serve_historical_blocks", true},
              {"bytes_left_in_cycle", 0},
              {"time_left_in_cycle", 0}}}};
}

Json set_network_active(RpcNode& node, const Arguments& arguments) {
    node.peers.set_network_active(arguments.boolean(0, true));
    return node.peers.is_network_active();
}

Json get_added_node_info(RpcNode& node, const Arguments& arguments) {
    auto places = node.peers.added_nodes();
    if (arguments.has(0)) {
        const std::string& wanted = arguments.text(0);
        const auto is_other = [&wanted](const std::string& place) {
            return place != wanted && !place.starts_with(wanted + ":");
        };
        std::erase_if(places, is_other);
        if (places.empty()) {
            throw RpcError(RpcCode::node_not_added, "Error: Node has not been added.");
        }
    }
    Json nodes = Json::array();
    const auto peers = node.peers.peers();
    for (const std::string& place : places) {
        Json addresses = Json::array();
        for (const auto& peer : peers) {
            if (peer.address != place) continue;
            addresses.push_back(
                {{"address", place}, {"connected", peer.is_inbound ? "inbound" : "outbound"}});
        }
        nodes.push_back({{"addednode", place},
                         {"connected", !addresses.empty()},
                         {"addresses", std::move(addresses)}});
    }
    return nodes;
}

std::vector<Parameter> echo_parameters() {
    static constexpr std::array<std::string_view, kEchoedArguments> kNames = {
        "arg0", "arg1", "arg2", "arg3", "arg4", "arg5", "arg6", "arg7", "arg8", "arg9"};
    std::vector<Parameter> parameters;
    for (const std::string_view name : kNames) {
        parameters.push_back({name, ArgumentKind::any, false});
    }
    return parameters;
}

}  // namespace

std::vector<Method> control_methods() {
    using enum ArgumentKind;
    return {
        {"getrpcinfo", {}, get_rpc_info, "the running calls and the log file"},
        {"echo", echo_parameters(), echo_arguments, "its arguments"},
        {"echojson", echo_parameters(), echo_arguments, "its arguments"},
        {"logging",
         {{"include", array, false}, {"exclude", array, false}},
         get_logging,
         "the categories of the log, which are all off"},
        {"mockscheduler", {{"delta_time", number}}, mock_scheduler, "does nothing: nothing waits"},
        {"ping", {}, ping_peers, "sends a ping on each connection"},
        {"getnettotals", {}, get_net_totals, "the bytes of all connections"},
        {"setnetworkactive",
         {{"state", boolean}},
         set_network_active,
         "ends all connections, and allows none until it is called with true"},
        {"getaddednodeinfo",
         {{"node", text, false}},
         get_added_node_info,
         "the nodes of addnode, and whether they are connected"},
    };
}

}  // namespace petal::regtest::rpc
