/// The events of a regtest node, for other programs.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>

#include "cli/json.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/node_peers.h"

namespace petal::cli {

/// An event in words, for a terminal, with hashes in their short forms.
std::string words_of(const Json& event);

/// Compares chain and connections with their former state, and reports changes: `reorg`, `block`,
/// `transaction`, `connection` and, if it is asked to, `filter`.
class NodeEvents {
public:
    using Tell = std::function<void(const Json& event)>;

    NodeEvents(Tell tell, bool tells_of_filters)
        : tell_(std::move(tell)), tells_of_filters_(tells_of_filters) {}

    /// Sets the initial state without reporting it.
    void begin(const regtest::RegtestChain& chain);
    void on_change(const regtest::RegtestChain& chain, const regtest::NodePeers& peers);

private:
    void tell_of_transactions(const regtest::RegtestChain& chain);
    void tell_of_blocks(const regtest::RegtestChain& chain);
    void tell_of_connections(const regtest::NodePeers& peers);
    void tell_of_filters(const regtest::NodePeers& peers);

    Tell tell_;
    bool tells_of_filters_;
    chain::BlockHash tip_;
    std::size_t transactions_ = 0;
    std::map<std::uint64_t, std::string> connections_;  // addresses by id, once they have greeted
    std::map<std::uint64_t, std::uint64_t> filter_loads_;  // by connection
};

}  // namespace petal::cli
