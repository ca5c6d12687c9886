#include "net/sync/matches/full_block_source.h"

#include <algorithm>

namespace petal::net {

namespace {

// The bytes of blocks in flight from one peer: 100 ms of 160 MB a second. When the watch list
// grows, the blocks in flight are requested again. Bitcoin Core sends up to 1 MB ahead of the
// receiver, and reads nothing from a peer before its requests are answered.
constexpr std::size_t kBytesInFlight = 16'000'000;

}  // namespace

FullBlockSource::FullBlockSource(SyncContext& sync)
    : MatchSource(sync, {.block_timeout = kFullBlockTimeout}) {}

std::size_t FullBlockSource::window(SyncPeer& peer) {
    const std::size_t limit =
        std::min(sync_.options.blocks.in_flight, block_size_.blocks_in(kBytesInFlight));
    const bool is_lone = sync_.options.expected_peers == 1;
    return peer.pacer.window(limit, is_lone ? kLoneReserve : RequestPacer::kReserve);
}

void FullBlockSource::request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                              BlockPurpose purpose) {
    std::vector<WantedBlock> wanted;
    wanted.reserve(blocks.size());
    for (const chain::BlockRef& block : blocks) {
        wanted.push_back({block, full_form(peer, block)});
    }
    send_request(peer, wanted, purpose);
}

chain::Expected<std::optional<Delivery>, Violation> FullBlockSource::search(
    SyncPeer& peer, const FullBlock& block) {
    block_size_.on_block(block.block.bytes().size());
    if (!index_) index_ = make_watch_index();
    return search_by(*index_, peer, block);
}

}  // namespace petal::net
