#include "net/sync/matches/compact_filter_source.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>

#include "chain/block_filters/block_filter.h"
#include "net/sync/filters/privacy.h"

namespace petal::net {

namespace {

using chain::Unexpected;

// Two requests of the maximum size, so that a peer never waits for the next one.
constexpr std::size_t kFiltersInFlight = 2 * kMaxFiltersPerRequest;
// As many blocks in flight as in a sync with full blocks.
constexpr std::size_t kFiltersPerFullBlock = kFiltersInFlight / 128;
// A wallet that is paid and pays each week concerns a block in 500. With blocks and filters of
// mainnet's size, decoys add a seventh to the traffic.
constexpr std::uint64_t kBlocksPerDecoy = 512;

chain::SipHashKey key_of(const chain::FilterPadding& padding, std::string_view purpose) {
    const auto hash = chain::sha256({padding.secret, chain::as_bytes(purpose)});
    std::array<chain::Byte, 16> half{};
    std::copy_n(hash.begin(), half.size(), half.begin());
    return chain::sip_hash_key(half);
}

}  // namespace

CompactFilterSource::CompactFilterSource(SyncContext& sync)
    : MatchSource(sync,
                  {.block_timeout = sync.options.timeouts.answer, .has_compact_filters = true}),
      decoy_key_(key_of(sync.watcher.filter_padding(), "decoy blocks")),
      spread_key_(key_of(sync.watcher.filter_padding(), "servers of blocks")) {}

std::size_t CompactFilterSource::window(SyncPeer& peer) {
    const std::size_t full = peer.blocks.requests().full_blocks() * (kFiltersPerFullBlock - 1);
    const std::size_t filters = kFiltersInFlight - std::min(full, kFiltersInFlight - 1);
    return sync_.options.expected_peers == 1 ? filters : peer.pacer.window(filters);
}

std::uint64_t CompactFilterSource::rank(const SyncPeer& peer, std::uint32_t height) const {
    constexpr std::uint64_t kNotServer = std::uint64_t{1} << 63;
    const chain::BlockHash block = sync_.chain.hash_at(height);
    if (!full_blocks_.contains(block)) return 0;
    chain::Bytes bytes(block.bytes.begin(), block.bytes.end());
    const std::string& node = sync_.peers.report(peer.id()).node;
    bytes.insert(bytes.end(), node.begin(), node.end());
    const std::uint64_t hash = chain::sip_hash(spread_key_, bytes) >> 1;
    const auto server = filter_servers_.find(block);
    const bool is_server = server != filter_servers_.end() && server->second == peer.id();
    return is_server ? hash : hash | kNotServer;
}

bool CompactFilterSource::is_decoy(const chain::BlockHash& block) const {
    if (sync_.keeper.checkpoint().rate < rate_of(Privacy::private_)) return false;
    return chain::sip_hash(decoy_key_, block.bytes) % kBlocksPerDecoy == 0;
}

void CompactFilterSource::request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                                  BlockPurpose purpose) {
    std::vector<WantedBlock> wanted;
    wanted.reserve(blocks.size());
    for (const chain::BlockRef& block : blocks) {
        const bool in_full = purpose == BlockPurpose::scan && full_blocks_.contains(block.hash);
        wanted.push_back({block, in_full ? full_form(peer, block) : BlockForm::compact_filter});
    }
    send_request(peer, wanted, purpose);
}

chain::Expected<std::optional<Delivery>, Violation> CompactFilterSource::match(
    SyncPeer& peer, const CFilter& message) {
    if (!scripts_) scripts_ = sync_.watcher.watched_scripts();
    const auto matches = [&](const chain::BlockRef& block) -> chain::Expected<bool, Violation> {
        const auto filter = chain::decode_basic_filter(block.hash, message.filter);
        if (filter) return is_decoy(block.hash) || filter->has_any_of(*scripts_);
        return Unexpected(Violation{DisconnectReason::malformed_message,
                                    "filter of block " + block.hash.to_hex() + ": " +
                                        std::string(chain::describe(filter.error()))});
    };
    const auto known = sync_.keeper.checkpoint().coverage.mark();
    auto answer = peer.blocks.on_compact_filter(message, matches, known);
    if (answer && *answer && (*answer)->wanted) {
        chain::ProvenBlock& block = (*answer)->block;
        block.header = sync_.chain.header_at(block.block.height);
        if ((*answer)->needs_full_block) filter_servers_[block.block.hash] = peer.id();
    }
    return answer;
}

chain::Expected<std::optional<Delivery>, Violation> CompactFilterSource::search(
    SyncPeer& peer, const FullBlock& block) {
    if (!index_) index_ = make_watch_index();
    return search_by(*index_, peer, block);
}

bool CompactFilterSource::settle(Delivery& answer) {
    const chain::BlockRef& block = answer.block.block;
    if (is_full(answer.form)) {
        settled_.remove(block.height);
        if (!answer.inserted.empty()) answer.covered = settled_above(block.height);
        return true;
    }
    if (answer.needs_full_block) request_in_full(block);
    if (full_blocks_.contains(block.hash)) return false;
    sync_.keeper.mark_without_false_positives(block.height);
    settled_.add(block.height);
    return true;
}

HeightRanges CompactFilterSource::settled_above(std::uint32_t height) const {
    HeightRanges above;
    const auto& ranges = settled_.ranges();
    const auto next = ranges.upper_bound(height);
    if (next != ranges.begin() && std::prev(next)->second > height) {
        above.add(height + 1, std::prev(next)->second);
    }
    for (auto range = next; range != ranges.end(); ++range) above.add(range->first, range->second);
    return above;
}

void CompactFilterSource::on_watched_changed() {
    settled_ = {};  // not searched for the new scripts, whose coins a block below may pay
    scripts_.reset();
    index_.reset();
}

}  // namespace petal::net
