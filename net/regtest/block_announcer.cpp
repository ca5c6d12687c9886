#include "net/regtest/block_announcer.h"

#include <algorithm>

namespace petal::net {
namespace {

/// Bitcoin Core: net_processing.cpp, MAX_BLOCKS_TO_ANNOUNCE.
constexpr std::size_t kMaxBlocksToAnnounce = 8;

}  // namespace

BlockAnnouncer::BlockAnnouncer(const RegtestChain& chain)
    : chain_(chain), announced_tip_(chain.tip()) {}

std::optional<Headers> BlockAnnouncer::answer(const GetHeaders& request) {
    if (request.locator.empty()) {
        const Block* const block = chain_.find(request.stop);
        if (block == nullptr) return std::nullopt;
        best_sent_ = request.stop;
        return Headers{{block->header}};
    }

    Headers answer;
    std::uint32_t height = first_height_behind(request.locator);
    best_sent_ = chain_.tip();
    for (; height <= chain_.height(); ++height) {
        const auto& header = chain_.block_at(height).header;
        answer.headers.push_back(header);
        const auto hash = header.hash();
        if (answer.headers.size() == kMaxHeadersPerMessage || hash == request.stop) {
            best_sent_ = hash;
            break;
        }
    }
    return answer;
}

/// Behind the first block of the locator that is on the active chain; a locator of which nothing is
/// known means the genesis block.
std::uint32_t BlockAnnouncer::first_height_behind(
    const std::vector<chain::BlockHash>& locator) const {
    const auto known =
        std::ranges::find_if(locator, [this](const auto& hash) { return chain_.is_active(hash); });
    return known == locator.end() ? 1 : *chain_.height_of(*known) + 1;
}

Inv BlockAnnouncer::answer(const GetBlocks& request) const {
    Inv answer;
    std::uint32_t height = first_height_behind(request.locator);
    for (; height <= chain_.height() && answer.entries.size() < kMaxBlocksPerAnswer; ++height) {
        const auto hash = chain_.block_at(height).header.hash();
        if (hash == request.stop) break;
        answer.entries.push_back({InventoryType::block, {hash.bytes}});
    }
    return answer;
}

std::optional<Message> BlockAnnouncer::announce() {
    const auto tip = chain_.tip();
    if (tip == announced_tip_) return std::nullopt;
    if (block_of_peer_ && chain_.is_active(*block_of_peer_)) best_sent_ = block_of_peer_;
    block_of_peer_.reset();
    const auto blocks = new_blocks();
    announced_tip_ = tip;
    if (prefers_headers_ && blocks.size() <= kMaxBlocksToAnnounce) {
        if (auto headers = headers_of(blocks)) {
            if (headers->headers.empty()) return std::nullopt;
            best_sent_ = tip;
            return *std::move(headers);
        }
    }
    if (peer_has(tip)) return std::nullopt;
    return Inv{{{InventoryType::block, {tip.bytes}}}};
}

/// The blocks of the active chain that were not on it at the last announcement, oldest first; of
/// more than can be announced, only the newest.
std::vector<chain::BlockHash> BlockAnnouncer::new_blocks() const {
    auto fork = announced_tip_;
    while (!chain_.is_active(fork)) fork = chain_.find(fork)->header.previous;

    std::vector<chain::BlockHash> blocks;
    auto hash = chain_.tip();
    while (hash != fork && blocks.size() <= kMaxBlocksToAnnounce) {
        blocks.push_back(hash);
        hash = chain_.find(hash)->header.previous;
    }
    std::ranges::reverse(blocks);
    return blocks;
}

bool BlockAnnouncer::peer_has(const chain::BlockHash& hash) const {
    if (!best_sent_ || chain_.find(*best_sent_) == nullptr) return false;
    const auto height = *chain_.height_of(hash);
    if (chain_.is_active(*best_sent_)) {
        return chain_.is_active(hash) && height <= *chain_.height_of(*best_sent_);
    }
    auto ancestor = *best_sent_;
    while (*chain_.height_of(ancestor) > height) ancestor = chain_.find(ancestor)->header.previous;
    return ancestor == hash;
}

/// The headers of those that the peer does not have; nothing where they would not connect to what
/// it has.
std::optional<Headers> BlockAnnouncer::headers_of(
    const std::vector<chain::BlockHash>& blocks) const {
    Headers message;
    for (const auto& hash : blocks) {
        if (message.headers.empty() && peer_has(hash)) continue;
        const auto& header = chain_.find(hash)->header;
        if (message.headers.empty() && !peer_has(header.previous)) return std::nullopt;
        message.headers.push_back(header);
    }
    return message;
}

}  // namespace petal::net
