#include "net/sync/blocks/block_download.h"

#include <algorithm>
#include <utility>

#include "net/sync/blocks/full_block.h"

namespace petal::net {

using chain::Unexpected;

Message BlockDownload::load_filter(bloom::BloomFilter filter) {
    FilterLoad message{filter.encode()};
    filter_.load(std::move(filter));
    follow_filter_changes();
    return message;
}

Message BlockDownload::add_to_filter(const chain::Outpoint& outpoint) {
    filter_.add(outpoint);
    insertion_rate_.on_added();
    follow_filter_changes();
    const auto element = outpoint.serialize();
    return FilterAdd{{element.begin(), element.end()}};
}

void BlockDownload::follow_filter_changes() {
    filter_.follow_to(requests_.empty() ? std::nullopt : std::optional(requests_.front().filter));
}

std::vector<Message> BlockDownload::request(std::span<const chain::BlockRef> blocks,
                                            BlockPurpose purpose, Coverage::Mark asked_at,
                                            std::uint64_t nonce) {
    GetData getdata;
    getdata.entries.reserve(blocks.size());
    for (const chain::BlockRef& block : blocks) {
        const InventoryType type = type_for(block);
        getdata.entries.push_back({type, chain::Hash256{block.hash.bytes}});
        requests_.push_back({block, type, purpose, asked_at, filter_.mark(), true});
    }
    requested_ += blocks.size();
    fences_.push_back({nonce, requested_});
    return {std::move(getdata), Ping{nonce}};
}

void BlockDownload::ask_for_full_blocks(std::optional<std::uint32_t> witnesses_from) {
    asks_for_full_blocks_ = true;
    witnesses_from_ = witnesses_from;
}

InventoryType BlockDownload::type_for(const chain::BlockRef& block) const {
    if (!asks_for_full_blocks_) return InventoryType::filtered_block;
    const bool with_witnesses = witnesses_from_ && block.height >= *witnesses_from_;
    return with_witnesses ? InventoryType::witness_block : InventoryType::block;
}

// Moves on to the request that this block answers.
chain::Expected<void, Violation> BlockDownload::expect_next(const chain::BlockHash& hash,
                                                            bool filtered) {
    if (arriving_) {
        return Unexpected(
            Violation{DisconnectReason::incomplete, std::to_string(arriving_->missing()) +
                                                        " transactions of the block before " +
                                                        hash.to_hex() + " did not come"});
    }
    // A block that is off the best chain by now may stay unanswered.
    while (!requests_.empty() && !requests_.front().wanted &&
           requests_.front().block.hash != hash) {
        drop_front();
    }
    const bool is_next = !requests_.empty() && requests_.front().block.hash == hash;
    if (is_next && filtered == (requests_.front().type == InventoryType::filtered_block)) return {};
    const bool skipped =
        !is_next && std::any_of(requests_.begin(), requests_.end(),
                                [&](const auto& r) { return r.block.hash == hash; });
    return Unexpected(Violation{
        skipped ? DisconnectReason::incomplete : DisconnectReason::unrequested, hash.to_hex()});
}

chain::Expected<std::optional<Delivery>, Violation> BlockDownload::on_merkle_block(
    const MerkleBlock& message) {
    const auto next = expect_next(message.header.hash(), /*filtered=*/true);
    if (!next) return Unexpected(next.error());
    auto block = FilteredBlock::start(message, requests_.front().block);
    if (!block) return Unexpected(block.error());

    arriving_ = *std::move(block);
    inserted_.clear();
    filter_before_ = filter_.in_use().snapshot();
    return take_if_complete();
}

chain::Expected<std::optional<Delivery>, Violation> BlockDownload::on_full_block(
    FullBlock message, WatchIndex& watched) {
    const auto next = expect_next(message.block.header.hash(), /*filtered=*/false);
    if (!next) return Unexpected(next.error());
    const Request& request = requests_.front();
    auto searched = search_full_block(std::move(message), request.block, request.type, watched);
    if (!searched) return Unexpected(searched.error());
    return std::optional(answer_front(std::move(searched->block), std::move(searched->found)));
}

chain::Expected<std::optional<Delivery>, Violation> BlockDownload::on_transaction(
    chain::Transaction transaction, const chain::Txid& txid) {
    auto replay = filter_.in_use().replay(transaction, txid);
    if (!replay.explained) {
        return Unexpected(Violation{DisconnectReason::contradicts_filter, txid.to_hex()});
    }
    inserted_.insert(inserted_.end(), replay.inserted.begin(), replay.inserted.end());
    const auto taken = arriving_->take(std::move(transaction));
    if (!taken) return Unexpected(taken.error());
    return take_if_complete();
}

chain::Expected<std::optional<Delivery>, Violation> BlockDownload::take_if_complete() {
    if (!arriving_->complete()) return std::optional<Delivery>{};
    return std::optional(answer_front(std::move(*arriving_).finish(), std::move(inserted_)));
}

Delivery BlockDownload::answer_front(chain::ProvenBlock block,
                                     std::vector<chain::Outpoint> inserted) {
    const Request& request = requests_.front();
    insertion_rate_.on_block(inserted.size());
    Delivery delivery{std::move(block), std::move(inserted), request.wanted,
                      request.purpose,  request.asked_at,    std::move(filter_before_)};
    served_by_load_ = request.filter.loads;
    drop_front();
    return delivery;
}

void BlockDownload::drop_front() {
    requests_.pop_front();
    arriving_.reset();
    inserted_.clear();
    follow_filter_changes();
}

bool BlockDownload::expects_full_block(const chain::BlockHash& hash) const {
    return std::ranges::any_of(requests_, [&](const Request& request) {
        return request.type != InventoryType::filtered_block && request.block.hash == hash;
    });
}

std::vector<chain::BlockRef> BlockDownload::on_pong(const Pong& pong) {
    std::vector<chain::BlockRef> passed_over;
    const auto fence = std::find_if(fences_.begin(), fences_.end(),
                                    [&](const Fence& f) { return f.nonce == pong.nonce; });
    if (fence == fences_.end()) return passed_over;
    const std::uint64_t due = fence->last_request;
    fences_.erase(fences_.begin(), fence + 1);
    while (requested_ - requests_.size() < due) {
        if (requests_.front().wanted) passed_over.push_back(requests_.front().block);
        drop_front();
    }
    return passed_over;
}

std::vector<chain::BlockRef> BlockDownload::on_not_found(const NotFound& message) {
    std::vector<chain::BlockRef> passed_over;
    for (const Inventory& entry : message.entries) {
        const auto request =
            std::find_if(requests_.begin(), requests_.end(),
                         [&](const Request& r) { return r.block.hash.bytes == entry.hash.bytes; });
        if (request == requests_.end() || entry.type != request->type || !request->wanted) continue;
        passed_over.push_back(request->block);
        request->wanted = false;
    }
    return passed_over;
}

std::vector<std::uint32_t> BlockDownload::wanted() const {
    std::vector<std::uint32_t> heights;
    for (const Request& request : requests_) {
        if (request.is_for_scan()) heights.push_back(request.block.height);
    }
    return heights;
}

HeightRanges BlockDownload::covered_by_last() const {
    HeightRanges covered;
    for (const Request& request : requests_) {
        if (request.is_for_scan() && request.filter.loads == served_by_load_) {
            covered.add(request.block.height);
        }
    }
    return covered;
}

void BlockDownload::discard_above(std::uint32_t height) {
    for (Request& request : requests_) {
        if (request.block.height > height) request.wanted = false;
    }
}

void BlockDownload::discard(std::uint32_t height) {
    for (Request& request : requests_) {
        if (request.block.height == height) request.wanted = false;
    }
}

}  // namespace petal::net
