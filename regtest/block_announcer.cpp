#include "regtest/block_announcer.h"

#include <algorithm>
#include <utility>

namespace petal::regtest {
namespace {

/// Bitcoin Core: net_processing.cpp, MAX_BLOCKS_TO_ANNOUNCE.
constexpr std::size_t kMaxBlocksToAnnounce = 8;

}  // namespace

BlockAnnouncer::BlockAnnouncer(const RegtestChain& chain, std::optional<std::uint32_t> forks_after,
                               std::size_t headers_per_message)
    : chain_(chain),
      forks_after_(forks_after),
      headers_per_message_(headers_per_message),
      announced_tip_(chain.tip()) {}

std::optional<net::Headers> BlockAnnouncer::answer(const net::GetHeaders& request) {
    if (request.locator.empty()) {
        const auto* const entry = chain_.blocks().find(request.stop);
        if (entry == nullptr || chain_.blocks().is_invalid(*entry)) return std::nullopt;
        best_sent_ = request.stop;
        return in_formats_of_fork({{entry->header}});
    }

    net::Headers answer;
    std::uint32_t height = first_height_behind(request.locator);
    best_sent_ = chain_.tip();
    for (; height <= chain_.height(); ++height) {
        const auto& header = chain_.blocks().at(height).header;
        answer.headers.push_back(header);
        const auto hash = header.hash();
        if (answer.headers.size() == headers_per_message_ || hash == request.stop) {
            best_sent_ = hash;
            break;
        }
    }
    return in_formats_of_fork(std::move(answer));
}

net::Headers BlockAnnouncer::in_formats_of_fork(net::Headers message) const {
    if (!forks_after_) return message;
    const auto first = std::ranges::find_if(message.headers, [this](const auto& header) {
        return chain_.blocks().find(header.hash())->height > *forks_after_;
    });
    message.in_other_format = static_cast<std::size_t>(message.headers.end() - first);
    message.headers.erase(first, message.headers.end());
    return message;
}

/// The height after the first locator block on the active chain. Without one, the height after the
/// genesis block.
std::uint32_t BlockAnnouncer::first_height_behind(
    const std::vector<chain::BlockHash>& locator) const {
    const auto known =
        std::ranges::find_if(locator, [this](const auto& hash) { return is_active(hash); });
    return known == locator.end() ? 1 : chain_.blocks().find(*known)->height + 1;
}

net::Inv BlockAnnouncer::answer(const net::GetBlocks& request) const {
    net::Inv answer;
    std::uint32_t height = first_height_behind(request.locator);
    for (; height <= chain_.height() && answer.entries.size() < kMaxBlocksPerAnswer; ++height) {
        const auto& hash = chain_.blocks().at(height).hash;
        if (hash == request.stop) break;
        answer.entries.push_back({net::InventoryType::block, {hash.bytes}});
    }
    return answer;
}

std::optional<net::Message> BlockAnnouncer::announce() {
    const auto tip = chain_.tip();
    if (tip == announced_tip_) return std::nullopt;
    if (block_of_peer_ && is_active(*block_of_peer_)) best_sent_ = block_of_peer_;
    block_of_peer_.reset();
    const auto blocks = new_blocks();
    announced_tip_ = tip;
    if (prefers_headers_ && blocks.size() <= kMaxBlocksToAnnounce) {
        if (auto headers = headers_of(blocks)) {
            if (headers->headers.empty()) return std::nullopt;
            best_sent_ = tip;
            return in_formats_of_fork(*std::move(headers));
        }
    }
    if (peer_has(tip)) return std::nullopt;
    return net::Inv{{{net::InventoryType::block, {tip.bytes}}}};
}

/// The active chain's blocks since the last announcement, oldest first: the newest, at most one
/// more than kMaxBlocksToAnnounce.
std::vector<chain::BlockHash> BlockAnnouncer::new_blocks() const {
    const auto& known = chain_.blocks();
    const auto* const fork = &known.fork_point(*known.find(announced_tip_));
    std::vector<chain::BlockHash> blocks;
    const auto* entry = &known.tip();
    for (; entry != fork && blocks.size() <= kMaxBlocksToAnnounce; entry = entry->parent) {
        blocks.push_back(entry->hash);
    }
    std::ranges::reverse(blocks);
    return blocks;
}

bool BlockAnnouncer::is_active(const chain::BlockHash& hash) const {
    const auto* const entry = chain_.blocks().find(hash);
    return entry != nullptr && chain_.blocks().is_active(*entry);
}

bool BlockAnnouncer::peer_has(const chain::BlockHash& hash) const {
    const auto& known = chain_.blocks();
    const auto* ancestor = best_sent_ ? known.find(*best_sent_) : nullptr;
    if (ancestor == nullptr) return false;
    const auto& entry = *known.find(hash);
    if (known.is_active(*ancestor)) {
        return known.is_active(entry) && entry.height <= ancestor->height;
    }
    while (ancestor->height > entry.height) ancestor = ancestor->parent;
    return ancestor == &entry;
}

/// The headers of the blocks that the peer lacks. Empty if the headers would not connect to the
/// peer's chain.
std::optional<net::Headers> BlockAnnouncer::headers_of(
    const std::vector<chain::BlockHash>& blocks) const {
    net::Headers message;
    for (const auto& hash : blocks) {
        if (message.headers.empty() && peer_has(hash)) continue;
        const auto& header = chain_.blocks().find(hash)->header;
        if (message.headers.empty() && !peer_has(header.previous)) return std::nullopt;
        message.headers.push_back(header);
    }
    return message;
}

}  // namespace petal::regtest
