#include "net/io/dial/known_port.h"

#include <algorithm>
#include <array>

#include "chain/enum_table.h"

namespace petal::net {

namespace {

struct PortRow {
    std::uint16_t port;
    PortUse use;
    std::string_view network;  // empty: not specific to a network
};

constexpr std::array kPorts = std::to_array<PortRow>({
    {8332, PortUse::rpc, "mainnet"},
    {18332, PortUse::rpc, "testnet3"},
    {48332, PortUse::rpc, "testnet4"},
    {38332, PortUse::rpc, "signet"},
    {18443, PortUse::rpc, "regtest"},
    {28332, PortUse::zmq, ""},
    {50001, PortUse::electrum, "mainnet"},
    {50002, PortUse::electrum, "mainnet"},
    {60001, PortUse::electrum, "testnet3"},
    {60002, PortUse::electrum, "testnet3"},
    {40001, PortUse::electrum, "testnet4"},
    {60601, PortUse::electrum, "signet"},
    {60401, PortUse::electrum, "regtest"},
    {9050, PortUse::tor_socks, ""},
    {9150, PortUse::tor_socks, ""},
    {9051, PortUse::tor_control, ""},
    {9151, PortUse::tor_control, ""},
});

}  // namespace

std::optional<KnownPort> known_port(std::uint16_t port) {
    for (const chain::NetworkParams& network : chain::all_networks()) {
        if (network.default_port == port) return KnownPort{PortUse::peers, &network};
    }
    const auto* const row = std::ranges::find(kPorts, port, &PortRow::port);
    if (row == kPorts.end()) return std::nullopt;
    return KnownPort{row->use, chain::find_network(row->network)};
}

std::string_view describe(PortUse use) {
    using enum PortUse;
    static constexpr auto kTexts = chain::enum_table<PortUse, std::string_view>({
        {peers, "the port of nodes"},
        {rpc, "Bitcoin Core's RPC port"},
        {zmq, "Bitcoin Core's ZeroMQ port"},
        {electrum, "a port of Electrum servers"},
        {tor_socks, "Tor's SOCKS port"},
        {tor_control, "Tor's control port"},
    });
    return kTexts[use];
}

}  // namespace petal::net
