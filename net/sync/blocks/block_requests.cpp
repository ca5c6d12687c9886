#include "net/sync/blocks/block_requests.h"

#include <algorithm>
#include <array>
#include <utility>

namespace petal::net {

std::optional<InventoryType> inventory_type(BlockForm form) {
    switch (form) {
        case BlockForm::filtered:
            return InventoryType::filtered_block;
        case BlockForm::full:
            return InventoryType::block;
        case BlockForm::full_with_witnesses:
            return InventoryType::witness_block;
        case BlockForm::compact_filter:
            break;
    }
    return std::nullopt;
}

void BlockRequests::add(const BlockRequest& request) {
    requests_.push_back(request);
    ++requested_;
    if (is_full(request.form)) ++full_blocks_;
}

void BlockRequests::pop_front() {
    if (is_full(front().form)) --full_blocks_;
    requests_.pop_front();
}

void BlockRequests::skip_unwanted_before(const chain::BlockHash& hash, BlockForm form) {
    const auto is_answered = [&] {
        return front().block.hash == hash && have_same_answer(front().form, form);
    };
    while (!requests_.empty() && !front().wanted && !is_answered()) pop_front();
}

std::vector<BlockRequest> BlockRequests::pass_fence(std::uint64_t nonce) {
    std::vector<BlockRequest> passed_over;
    const auto fence = std::ranges::find(fences_, nonce, &Fence::nonce);
    if (fence == fences_.end()) return passed_over;
    const std::uint64_t due = fence->last_request;
    fences_.erase(fences_.begin(), fence + 1);
    while (requested_ - requests_.size() < due) {
        if (front().wanted) passed_over.push_back(front());
        pop_front();
    }
    return passed_over;
}

std::vector<BlockRequest> BlockRequests::on_not_found(const NotFound& message) {
    // Sorted, since a peer may send many entries while many requests are under way.
    using Entry = std::pair<std::array<chain::Byte, 32>, InventoryType>;
    std::vector<Entry> missing;
    for (const Inventory& entry : message.entries) {
        missing.emplace_back(entry.hash.bytes, entry.type);
    }
    std::ranges::sort(missing);
    std::vector<BlockRequest> passed_over;
    for (BlockRequest& request : requests_) {
        if (!request.wanted) continue;
        const auto type = inventory_type(request.form);
        if (!type) continue;
        const Entry entry(request.block.hash.bytes, *type);
        if (!std::ranges::binary_search(missing, entry)) continue;
        passed_over.push_back(request);
        request.wanted = false;
    }
    return passed_over;
}

void BlockRequests::discard_above(std::uint32_t height) {
    for (BlockRequest& request : requests_) {
        if (request.block.height > height) request.wanted = false;
    }
}

void BlockRequests::discard(std::uint32_t height) {
    for (BlockRequest& request : requests_) {
        if (request.block.height == height) request.wanted = false;
    }
}

bool BlockRequests::contains(const chain::BlockHash& hash) const {
    return std::ranges::any_of(
        requests_, [&](const BlockRequest& request) { return request.block.hash == hash; });
}

bool BlockRequests::expects_full_block(const chain::BlockHash& hash) const {
    return std::ranges::any_of(requests_, [&](const BlockRequest& request) {
        return is_full(request.form) && request.block.hash == hash;
    });
}

bool BlockRequests::expects_compact_filter() const {
    return std::ranges::find(requests_, BlockForm::compact_filter, &BlockRequest::form) !=
           requests_.end();
}

std::vector<std::uint32_t> BlockRequests::wanted() const {
    std::vector<std::uint32_t> heights;
    for (const BlockRequest& request : requests_) {
        if (request.is_for_scan()) heights.push_back(request.block.height);
    }
    return heights;
}

HeightRanges BlockRequests::wanted_of_load(std::uint64_t loads) const {
    HeightRanges heights;
    for (const BlockRequest& request : requests_) {
        if (request.is_for_scan() && request.filter.loads == loads) {
            heights.add(request.block.height);
        }
    }
    return heights;
}

}  // namespace petal::net
