#include "regtest/serve/node_events.h"

namespace petal::regtest {

void NodeEvents::begin(const RegtestChain& chain) {
    tip_ = chain.tip();
    transactions_ = chain.history().submitted().size();
}

void NodeEvents::on_change(const RegtestChain& chain, const NodePeers& peers) {
    report_transactions(chain);
    report_blocks(chain);
    report_connections(peers);
    report_filters(peers);
}

void NodeEvents::report_transactions(const RegtestChain& chain) {
    const auto& submitted = chain.history().submitted();
    for (; transactions_ < submitted.size(); ++transactions_) {
        report_(TransactionEvent{submitted[transactions_]});
    }
}

void NodeEvents::report_blocks(const RegtestChain& chain) {
    if (tip_ == chain.tip()) return;
    const auto& old_tip = *chain.blocks().find(tip_);
    const auto& fork = chain.blocks().fork_point(old_tip);
    if (fork.hash != tip_) {
        report_(ReorganisationEvent{
            {old_tip.height, tip_}, {chain.height(), chain.tip()}, {fork.height, fork.hash}});
    }
    for (std::uint32_t height = fork.height + 1; height <= chain.height(); ++height) {
        const auto& block = chain.blocks().at(height);
        report_(BlockEvent{{height, block.hash}, block.header.time, block.txids.size()});
    }
    tip_ = chain.tip();
}

void NodeEvents::report_connections(const NodePeers& peers) {
    std::map<std::uint64_t, std::string> gone = connections_;
    for (const auto& peer : peers.peers()) {
        gone.erase(peer.id);
        if (!peer.version || !connections_.emplace(peer.id, peer.address).second) continue;
        report_(ConnectionEvent{peer.id, peer.address, peer.is_inbound, peer.version->user_agent});
    }
    for (const auto& [id, address] : gone) {
        connections_.erase(id);
        filter_loads_.erase(id);
        report_(EndOfConnectionEvent{id, address});
    }
}

void NodeEvents::report_filters(const NodePeers& peers) {
    for (const auto& peer : peers.peers()) {
        if (!connections_.contains(peer.id) || filter_loads_[peer.id] == peer.relay.filter.loads)
            continue;
        filter_loads_[peer.id] = peer.relay.filter.loads;
        report_(FilterEvent{peer.id, peer.relay.filter});
    }
}

}  // namespace petal::regtest
