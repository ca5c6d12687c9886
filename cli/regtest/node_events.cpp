#include "cli/regtest/node_events.h"

#include <utility>

#include "cli/terminal/table.h"
#include "cli/text.h"

namespace petal::cli {
namespace {

Json place_json(std::uint32_t height, const chain::BlockHash& hash) {
    return {{"height", height}, {"hash", hash.to_hex()}};
}

}  // namespace

std::string words_of(const Json& event) {
    const auto text = [&event](const char* key) { return event.at(key).get<std::string>(); };
    const auto number = [&event](const char* key) { return event.at(key).get<std::uint64_t>(); };
    const auto name = text("event");
    if (name == "block") {
        return "block " + format_count(number("height")) + " with " +
               count_of(number("transactions"), "transaction") + ", " + short_ids(text("hash"));
    }
    if (name == "reorg") {
        return "reorganisation: " + count_of(number("disconnected"), "block") + " above block " +
               format_count(event.at("fork").at("height").get<std::uint64_t>()) + " replaced";
    }
    if (name == "transaction") return "payment " + short_ids(text("txid"));
    const std::string client = "client " + std::to_string(number("id"));
    if (name == "filter") {
        return client + " loaded a filter of " + count_of(number("bytes"), "byte") + " with " +
               count_of(number("hash_functions"), "hash function");
    }
    if (!event.at("connected").get<bool>()) return client + " left";
    return client + " at " + text("address") + ": " + text("user_agent");
}

void NodeEvents::begin(const regtest::RegtestChain& chain) {
    tip_ = chain.tip();
    transactions_ = chain.history().submitted().size();
}

void NodeEvents::on_change(const regtest::RegtestChain& chain, const regtest::NodePeers& peers) {
    tell_of_transactions(chain);
    tell_of_blocks(chain);
    tell_of_connections(peers);
    if (tells_of_filters_) tell_of_filters(peers);
}

void NodeEvents::tell_of_transactions(const regtest::RegtestChain& chain) {
    const auto& submitted = chain.history().submitted();
    for (; transactions_ < submitted.size(); ++transactions_) {
        tell_({{"event", "transaction"}, {"txid", submitted[transactions_].to_hex()}});
    }
}

void NodeEvents::tell_of_blocks(const regtest::RegtestChain& chain) {
    if (tip_ == chain.tip()) return;
    const auto& old_tip = *chain.blocks().find(tip_);
    const auto& fork = chain.blocks().fork_point(old_tip);
    if (fork.hash != tip_) {
        tell_({{"event", "reorg"},
               {"from", place_json(old_tip.height, tip_)},
               {"to", place_json(chain.height(), chain.tip())},
               {"fork", place_json(fork.height, fork.hash)},
               {"disconnected", old_tip.height - fork.height}});
    }
    for (std::uint32_t height = fork.height + 1; height <= chain.height(); ++height) {
        const auto& block = chain.blocks().at(height);
        tell_({{"event", "block"},
               {"height", height},
               {"hash", block.hash.to_hex()},
               {"time", block.header.time},
               {"transactions", block.txids.size()}});
    }
    tip_ = chain.tip();
}

void NodeEvents::tell_of_connections(const regtest::NodePeers& peers) {
    std::map<std::uint64_t, std::string> gone = connections_;
    for (const auto& peer : peers.peers()) {
        gone.erase(peer.id);
        if (!peer.version || !connections_.emplace(peer.id, peer.address).second) continue;
        tell_({{"event", "connection"},
               {"id", peer.id},
               {"address", peer.address},
               {"connected", true},
               {"inbound", peer.is_inbound},
               {"user_agent", printable(peer.version->user_agent)}});
    }
    for (const auto& [id, address] : gone) {
        connections_.erase(id);
        filter_loads_.erase(id);
        tell_({{"event", "connection"}, {"id", id}, {"address", address}, {"connected", false}});
    }
}

void NodeEvents::tell_of_filters(const regtest::NodePeers& peers) {
    for (const auto& peer : peers.peers()) {
        if (!connections_.contains(peer.id) || filter_loads_[peer.id] == peer.relay.filter.loads)
            continue;
        filter_loads_[peer.id] = peer.relay.filter.loads;
        tell_({{"event", "filter"},
               {"id", peer.id},
               {"bytes", peer.relay.filter.bytes},
               {"hash_functions", peer.relay.filter.hash_functions}});
    }
}

}  // namespace petal::cli
