#include "net/sync/matches/match_source.h"

#include <utility>

namespace petal::net {

WatchIndex MatchSource::make_watch_index() const {
    WatchIndex index(sync_.watcher.watched_elements(0), sync_.watcher.watched_outpoints());
    index.match_also(sync_.keeper.filter_base());
    for (const auto& outpoint : sync_.keeper.checkpoint().matched()) index.insert(outpoint);
    return index;
}

chain::Expected<std::optional<Delivery>, Violation> MatchSource::search_by(
    WatchIndex& index, SyncPeer& peer, const FullBlock& block) const {
    const auto known = sync_.keeper.checkpoint().coverage.mark();
    return peer.blocks.on_full_block(block, index, known);
}

chain::Expected<std::optional<Delivery>, Violation> MatchSource::match(SyncPeer& /*peer*/,
                                                                       const CFilter& filter) {
    return chain::Unexpected(Violation{DisconnectReason::unrequested, filter.block.to_hex()});
}

void MatchSource::request_now(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                              BlockPurpose purpose, Now now) {
    if (peer.blocks.in_flight() == 0) {
        peer.served_at = now.steady;
        peer.is_silent = false;
    }
    request(peer, blocks, purpose);
    peer.pacer.on_asked(blocks.size(), peer.blocks.in_flight(), now.steady);
}

BlockForm MatchSource::full_form(const SyncPeer& peer, const chain::BlockRef& block) const {
    const bool with_witnesses =
        peer.connection.serves_witnesses() && block.height >= sync_.chain.network().segwit_height;
    return with_witnesses ? BlockForm::full_with_witnesses : BlockForm::full;
}

void MatchSource::send_request(SyncPeer& peer, std::span<const WantedBlock> blocks,
                               BlockPurpose purpose) {
    const auto known = sync_.keeper.checkpoint().coverage.mark();
    for (Message& message : peer.blocks.request(blocks, purpose, known, sync_.random.next())) {
        sync_.outbox.send(peer.id(), std::move(message));
    }
}

}  // namespace petal::net
