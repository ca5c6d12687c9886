#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <optional>

#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/fee_choice.h"
#include "regtest/rpc/rpc_method.h"

namespace petal::regtest::rpc {
namespace {

/// The version of Bitcoin Core whose answers these methods give. Clients check it before they call
/// other methods.
constexpr int kCoreVersion = 310000;
constexpr chain::Satoshis kIncrementalRelayFeeRate = 100;

/// A service bit with a name (Bitcoin Core: serviceFlagToStr).
struct ServiceRow {
    unsigned bit;
    std::string_view name;
};

constexpr std::array kServices = {
    ServiceRow{0, "NETWORK"},          ServiceRow{2, "BLOOM"},
    ServiceRow{3, "WITNESS"},          ServiceRow{6, "COMPACT_FILTERS"},
    ServiceRow{10, "NETWORK_LIMITED"}, ServiceRow{11, "P2P_V2"},
};

std::string service_name(unsigned bit) {
    const auto* const row = std::ranges::find(kServices, bit, &ServiceRow::bit);
    if (row != kServices.end()) return std::string(row->name);
    return "UNKNOWN[2^" + std::to_string(bit) + "]";
}

std::string services_hex(std::uint64_t services) {
    std::array<char, 17> text{};
    std::snprintf(text.data(), text.size(), "%016llx", static_cast<unsigned long long>(services));
    return text.data();
}

Json services_names(std::uint64_t services) {
    Json names = Json::array();
    for (unsigned bit = 0; bit < 64; ++bit) {
        if ((services >> bit & 1U) != 0) names.push_back(service_name(bit));
    }
    return names;
}

/// As in a bitcoind without a proxy.
Json networks_json() {
    Json networks = Json::array();
    for (const std::string_view name : {"ipv4", "ipv6", "onion", "i2p", "cjdns"}) {
        const bool is_reachable = name.starts_with("ipv");
        networks.push_back({{"name", name},
                            {"limited", !is_reachable},
                            {"reachable", is_reachable},
                            {"proxy", ""},
                            {"proxy_randomize_credentials", false}});
    }
    return networks;
}

double seconds_of(std::chrono::milliseconds time) {
    return std::chrono::duration<double>(time).count();
}

Json height_json(std::optional<std::uint32_t> height) {
    return height ? Json(*height) : Json(-1);
}

Json peer_json(const PeerRecord& peer) {
    Json json = {{"id", peer.id},
                 {"addr", peer.address},
                 {"addrbind", peer.bound},
                 {"network", peer.network}};
    const net::Version said = peer.version.value_or(net::Version{});
    const std::uint64_t services = peer.version ? said.services : 0;
    json["services"] = services_hex(services);
    json["servicesnames"] = services_names(services);
    json["relaytxes"] = peer.relay.is_on;
    json["last_inv_sequence"] = peer.relay.last_inv_sequence;
    json["inv_to_send"] = peer.relay.waiting_announcements;
    json["lastsend"] = peer.traffic.last_sent;
    json["lastrecv"] = peer.traffic.last_received;
    json["last_transaction"] = peer.relay.last_transaction;
    json["last_block"] = peer.blocks.last_block;
    json["bytessent"] = peer.traffic.bytes_sent;
    json["bytesrecv"] = peer.traffic.bytes_received;
    json["conntime"] = peer.connected_time;
    json["timeoffset"] = peer.time_offset;
    if (peer.pings.last) json["pingtime"] = seconds_of(*peer.pings.last);
    if (peer.pings.least) json["minping"] = seconds_of(*peer.pings.least);
    if (peer.pings.wait && peer.pings.wait->count() > 0)
        json["pingwait"] = seconds_of(*peer.pings.wait);
    json["version"] = peer.version ? static_cast<std::int64_t>(said.protocol) : 0;
    json["subver"] = peer.version ? said.user_agent : "";
    json["inbound"] = peer.is_inbound;
    json["bip152_hb_to"] = false;
    json["bip152_hb_from"] = peer.blocks.wants_compact;
    json["presynced_headers"] = -1;  // no presync on regtest
    json["synced_headers"] = height_json(peer.blocks.known_height);
    json["synced_blocks"] = height_json(peer.blocks.common_height);
    json["inflight"] = peer.blocks.requested_heights;
    // Addresses are sent on request, and never accepted.
    json["addr_relay_enabled"] = false;
    json["addr_processed"] = 0;
    json["addr_rate_limited"] = 0;
    json["permissions"] = Json::array();
    json["minfeefilter"] = btc_json(peer.relay.fee_filter);
    json["bytessent_per_msg"] = peer.traffic.sent;
    json["bytesrecv_per_msg"] = peer.traffic.received;
    json["connection_type"] = peer.is_inbound ? "inbound" : "manual";
    json["transport_protocol_type"] = "v1";
    json["session_id"] = "";
    return json;
}

Json get_peer_info(RpcNode& node, const Arguments& /*arguments*/) {
    Json peers = Json::array();
    for (const auto& peer : node.peers.peers()) peers.push_back(peer_json(peer));
    return peers;
}

Json get_connection_count(RpcNode& node, const Arguments& /*arguments*/) {
    return node.peers.peers().size();
}

Json get_network_info(RpcNode& node, const Arguments& /*arguments*/) {
    const NodeBehaviour& behaviour = node.peers.behaviour();
    const auto peers = node.peers.peers();
    const auto inbound = std::ranges::count(peers, true, &PeerRecord::is_inbound);
    return {{"version", kCoreVersion},
            {"subversion", behaviour.user_agent},
            {"protocolversion", net::kProtocolVersion},
            {"localservices", services_hex(behaviour.services)},
            {"localservicesnames", services_names(behaviour.services)},
            {"localrelay", behaviour.takes_transactions},
            {"timeoffset", 0},
            {"networkactive", node.peers.is_network_active()},
            {"connections", peers.size()},
            {"connections_in", inbound},
            {"connections_out", std::ssize(peers) - inbound},
            {"networks", networks_json()},
            {"relayfee", btc_json(node.settings.policy.least_fee_rate)},
            {"incrementalfee", btc_json(kIncrementalRelayFeeRate)},
            {"localaddresses", Json::array()},
            {"warnings", Json::array()}};
}

Json disconnect_node(RpcNode& node, const Arguments& arguments) {
    const std::string address = arguments.has(0) ? arguments.text(0) : "";
    const auto id = arguments.has(1) ? arguments.number<std::int64_t>(1) : 0;
    const bool by_address = arguments.has(0) && !arguments.has(1);
    if (!by_address && (!arguments.has(1) || !address.empty())) {
        throw RpcError(RpcCode::invalid_params,
                       "Only one of address and nodeid should be provided.");
    }
    const auto peers = node.peers.peers();
    const auto found = std::ranges::find_if(peers, [&](const PeerRecord& peer) {
        return by_address ? peer.address == address : static_cast<std::int64_t>(peer.id) == id;
    });
    if (found == peers.end()) {
        throw RpcError(RpcCode::node_not_connected, "Node not found in connected nodes");
    }
    node.peers.disconnect(found->id);
    return nullptr;
}

Json add_node(RpcNode& node, const Arguments& arguments) {
    const std::string& place = arguments.text(0);
    const std::string& command = arguments.text(1);
    arguments.take_only(2, false);
    constexpr std::string_view kCommands[] = {"add", "remove", "onetry"};
    if (std::ranges::find(kCommands, command) == std::end(kCommands)) {
        throw RpcError(RpcCode::misc, "the command is add, remove or onetry");
    }
    if (place.find_first_not_of(" \f\n\r\t\v") == place.npos) {
        throw RpcError(RpcCode::invalid_parameter, "Error: Node address cannot be empty");
    }
    if (command == "onetry") {
        node.peers.try_node(place);
    } else if (command == "add") {
        if (!node.peers.add_node(place)) {
            throw RpcError(RpcCode::node_already_added, "Error: Node already added");
        }
    } else if (!node.peers.remove_node(place)) {
        throw RpcError(RpcCode::node_not_added,
                       "Error: Node could not be removed. It has not been added previously.");
    }
    return nullptr;
}

/// Bitcoin Core's answer if there is no data for an estimate.
Json estimate_smart_fee(RpcNode& /*node*/, const Arguments& arguments) {
    check_confirmation_target(arguments, 0);
    if (arguments.has(1)) check_estimate_mode(arguments, 1);
    return {{"errors", Json::array({"Insufficient data or no feerate found"})}, {"blocks", 0}};
}

Json get_uptime(RpcNode& node, const Arguments& /*arguments*/) {
    return node.settings.machine_time() - node.settings.start_time;
}

Json stop_node(RpcNode& node, const Arguments& /*arguments*/) {
    node.settings.stop();
    return node.settings.program + " stopping";
}

Json get_help(RpcNode& node, const Arguments& arguments) {
    const auto methods = methods_of(node);
    if (!arguments.has(0)) {
        std::string lines;
        for (const MethodHelp& method : methods) {
            lines += (lines.empty() ? "" : "\n") + usage_of(method.name, method.parameters);
        }
        return lines;
    }
    const auto found = std::ranges::find(methods, arguments.text(0), &MethodHelp::name);
    if (found == methods.end()) return "help: unknown command: " + arguments.text(0);
    return usage_of(found->name, found->parameters) + "\n\n" + std::string(found->text);
}

}  // namespace

std::vector<Method> node_methods() {
    using enum ArgumentKind;
    return {
        {"getpeerinfo", {}, get_peer_info, "the connections"},
        {"getconnectioncount", {}, get_connection_count, "how many they are"},
        {"getnetworkinfo", {}, get_network_info, "what the node says of itself"},
        {"addnode",
         {{"node", text}, {"command", text}, {"v2transport", boolean, false}},
         add_node,
         "connects to HOST[:PORT] from now on (add), no longer (remove), or once (onetry)"},
        {"disconnectnode",
         {{"address", text, false}, {"nodeid", number, false}},
         disconnect_node,
         "closes a connection"},
        {"estimatesmartfee",
         {{"conf_target", number}, {"estimate_mode", text, false}},
         estimate_smart_fee,
         "no estimate: the blocks of a test show no fees to learn from"},
        {"uptime", {}, get_uptime, "seconds since the start"},
        {"stop", {{"wait", number, false}}, stop_node, "ends the node, at once"},
        {"help", {{"command", text, false}}, get_help, "all methods, or one"},
    };
}

}  // namespace petal::regtest::rpc
