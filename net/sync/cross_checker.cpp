#include "net/sync/cross_checker.h"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

namespace petal::net {

// Answers keep filters in memory, so an answer is kept only if a second peer will be asked about
// it.
bool CrossChecker::on_first_answer(const SyncPeer& peer, const Delivery& delivery) {
    if (!delivery.filter) {
        opinions_.forget(delivery.block.block.height);
        return true;
    }
    const bool has_others = sync_.options.expected_peers > 1 || sync_.peers.size() > 1;
    if (!has_others || !opinions_.is_selected_for_check(delivery.block.block.height)) return true;
    while (opinions_.is_full() && !is_pending()) opinions_.drop_lowest();
    const SecondOpinions::Answer answer{peer.id(), delivery.filter, delivery.block};
    // There may be no room for this one, which was in flight.
    while (!opinions_.add(answer)) {
        if (is_pending()) return false;
        opinions_.drop_lowest();
    }
    return true;
}

std::vector<chain::BlockRef> CrossChecker::take(const SyncPeer& peer, std::size_t max,
                                                std::uint32_t last) {
    if (peer.is_silent) return {};
    return opinions_.take(
        peer.id(), max, last, [&](PeerId first) { return may_check(peer, first); },
        [this](PeerId other) { return is_silent(other); });
}

CrossChecker::Verdict CrossChecker::on_second_opinion(SyncPeer& peer, const Delivery& delivery) {
    const auto compared = opinions_.compare({peer.id(), delivery.filter, delivery.block});
    Verdict verdict{compared.has_more, !compared.omitters.empty()};
    for (const PeerId omitter : compared.omitters) {
        if (!distrust(omitter)) continue;
        const Violation violation{DisconnectReason::left_out,
                                  "of block " + delivery.block.block.hash.to_hex()};
        if (omitter == peer.id()) {
            verdict.on_second = chain::Unexpected(violation);
        } else {
            punish(omitter, violation);
        }
    }
    return verdict;
}

void CrossChecker::punish(PeerId peer, const Violation& violation) {
    if (SyncPeer* const connected = sync_.peers.find(peer)) {
        sync_.peers.drop(*connected, violation);
    } else if (PeerReport* const gone = find_report(sync_.status.peers, peer)) {
        ++gone->misbehaviour;
    }
}

bool CrossChecker::on_invalid_block(const chain::InvalidBlock& invalid) {
    const chain::BlockRef& block = invalid.block;
    const Violation violation{DisconnectReason::invalid_block, block.hash.to_hex()};
    bool any_distrusted = false;
    for (const PeerId server : sync_.peers.servers_of(block.height)) {
        sync_.peers.trace(server).served.remove_above(block.height - 1);
        if (!distrust(server)) continue;
        any_distrusted = true;
        punish(server, violation);
    }
    return any_distrusted;
}

// If the peer's filter does not match a transaction, either the peer withheld earlier transactions
// that changed the filter, or the transaction does not belong to the answer. The blocks that the
// peer served are searched again.
bool CrossChecker::on_violation(PeerId peer, const Violation& why) {
    return why.reason == DisconnectReason::contradicts_filter &&
           !sync_.peers.trace(peer).served.empty() && distrust(peer);
}

// A sync of months cannot keep a trace of every peer that served a block.
void CrossChecker::on_lost(PeerId peer) {
    opinions_.on_lost(peer);
    sync_.peers.forget_traces([this](PeerId gone) { return opinions_.has_answers_of(gone); });
}

// Schedules all blocks that the peer served to be searched again. Returns false if the peer was
// already distrusted.
bool CrossChecker::distrust(PeerId peer) {
    PeerTrace& trace = sync_.peers.trace(peer);
    if (std::exchange(trace.caught, true)) return false;
    sync_.scan.distrust(trace.served);
    return true;
}

// A second opinion from the network group of the first peer may be worthless. A pruned node may
// lack the block.
bool CrossChecker::may_check(const SyncPeer& peer, PeerId first) const {
    const chain::Bytes& group = sync_.peers.trace(first).network_group;
    const auto may_give_one = [](const SyncPeer& of) {
        return of.is_ready() && of.first_block() == 0;
    };
    if (peer.id() == first || !may_give_one(peer)) return false;
    if (peer.network_group != group) return true;
    return std::none_of(sync_.peers.begin(), sync_.peers.end(), [&](const auto& entry) {
        return may_give_one(entry.second) && entry.second.network_group != group;
    });
}

bool CrossChecker::can_ask_about(PeerId first, std::uint32_t height) const {
    const std::uint32_t tip = sync_.chain.tip().height;
    return std::any_of(sync_.peers.begin(), sync_.peers.end(), [&](const auto& entry) {
        const SyncPeer& peer = entry.second;
        return may_check(peer, first) && height <= peer.chain.last_block(tip) && !peer.is_silent;
    });
}

bool CrossChecker::is_pending() const {
    const auto can_ask = [this](PeerId first, std::uint32_t height) {
        return can_ask_about(first, height);
    };
    return opinions_.is_pending(can_ask, [this](PeerId other) { return is_silent(other); });
}

std::size_t CrossChecker::room() const {
    return is_pending() ? opinions_.room() : std::numeric_limits<std::size_t>::max();
}

// A peer without open requests will not answer either.
bool CrossChecker::is_silent(PeerId peer) const {
    const SyncPeer* const connected = sync_.peers.find(peer);
    return connected == nullptr || connected->is_silent || connected->blocks.in_flight() == 0;
}

}  // namespace petal::net
