#include "net/sync/matches/full_block_source.h"

namespace petal::net {

namespace {

// Nodes read ahead of their output: a longer queue at one peer would only delay blocks that other
// peers could send.
constexpr std::size_t kBlocksInFlight = 128;

}  // namespace

FullBlockSource::FullBlockSource(SyncContext& sync)
    : MatchSource(sync, {.block_timeout = kFullBlockTimeout}) {}

// Without a filter, a peer relays all unconfirmed transactions or none.
PeerNeeds FullBlockSource::needs_of_next_peer() const {
    return {.relay = sync_.options.wait_unconfirmed.has_value()};
}

std::size_t FullBlockSource::window(SyncPeer& peer) {
    if (sync_.options.expected_peers == 1) return kBlocksInFlight;
    return peer.pacer.window(kBlocksInFlight);
}

void FullBlockSource::request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                              BlockPurpose purpose) {
    const std::uint32_t segwit_height = sync_.chain.network().segwit_height;
    const bool has_witnesses = peer.connection.serves_witnesses();
    std::vector<WantedBlock> wanted;
    wanted.reserve(blocks.size());
    for (const chain::BlockRef& block : blocks) {
        const bool with_witnesses = has_witnesses && block.height >= segwit_height;
        wanted.push_back(
            {block, with_witnesses ? InventoryType::witness_block : InventoryType::block});
    }
    send_request(peer, wanted, purpose);
}

chain::Expected<std::optional<Delivery>, Violation> FullBlockSource::search(SyncPeer& peer,
                                                                            FullBlock block) {
    if (!index_) index_ = make_watch_index();
    return search_by(*index_, peer, std::move(block));
}

}  // namespace petal::net
