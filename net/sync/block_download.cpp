#include "net/sync/block_download.h"

#include <algorithm>
#include <utility>

#include "net/sync/full_block.h"

namespace petal::net {

using chain::Unexpected;

namespace {

// A wallet's payments come in swarms: what comes now is noticed soon, and remembered for long.
constexpr double kLatestBlocks = 100;
constexpr double kRememberedBlocks = 2'000;

}  // namespace

Message BlockDownload::load_filter(bloom::BloomFilter filter) {
    FilterLoad message{filter.encode()};
    ++loads_;
    change_filter(Mirror{std::move(filter)});
    return message;
}

Message BlockDownload::add_to_filter(const chain::Outpoint& outpoint) {
    change_filter(outpoint);
    ++added_;
    const auto element = outpoint.serialize();
    return FilterAdd{{element.begin(), element.end()}};
}

void BlockDownload::change_filter(std::variant<Mirror, chain::Outpoint> what) {
    coming_changes_.push_back({++changes_, std::move(what)});
    follow_filter_changes();
}

// The server works its filters and requests off in the order in which it gets them.
void BlockDownload::follow_filter_changes() {
    while (
        !coming_changes_.empty() &&
        (requests_.empty() || coming_changes_.front().number <= requests_.front().filter_changes)) {
        auto& what = coming_changes_.front().what;
        if (auto* loaded = std::get_if<Mirror>(&what)) {
            mirror_ = std::move(*loaded);
            ++load_in_use_;
        } else {
            mirror_->on_added(std::get<chain::Outpoint>(what));
        }
        coming_changes_.pop_front();
    }
}

void BlockDownload::on_announced(const chain::Txid& txid, std::size_t max) {
    if (mirror_) mirror_->on_announced(txid, max);
    for (FilterChange& change : coming_changes_) {
        if (auto* coming = std::get_if<Mirror>(&change.what)) coming->on_announced(txid, max);
    }
}

void BlockDownload::on_unconfirmed(const chain::Transaction& transaction, const chain::Txid& txid) {
    if (mirror_) mirror_->replay(transaction, txid);
}

std::vector<Message> BlockDownload::request(std::span<const chain::BlockRef> blocks,
                                            BlockPurpose purpose, Coverage::Mark asked_at,
                                            std::uint64_t nonce) {
    GetData getdata;
    getdata.entries.reserve(blocks.size());
    for (const chain::BlockRef& block : blocks) {
        const InventoryType type = type_for(block);
        getdata.entries.push_back({type, chain::Hash256{block.hash.bytes}});
        requests_.push_back({block, type, purpose, asked_at, changes_, loads_, true});
    }
    requested_ += blocks.size();
    fences_.push_back({nonce, requested_});
    return {std::move(getdata), Ping{nonce}};
}

void BlockDownload::ask_for_full_blocks(std::optional<std::uint32_t> witnesses_from) {
    asks_for_whole_ = true;
    witnesses_from_ = witnesses_from;
}

InventoryType BlockDownload::type_for(const chain::BlockRef& block) const {
    if (!asks_for_whole_) return InventoryType::filtered_block;
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
    filter_before_ = mirror_->snapshot();
    return complete_if_whole();
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
    auto replay = mirror_->replay(transaction, txid);
    if (!replay.explained) {
        return Unexpected(Violation{DisconnectReason::contradicts_filter, txid.to_hex()});
    }
    inserted_.insert(inserted_.end(), replay.inserted.begin(), replay.inserted.end());
    const auto taken = arriving_->take(std::move(transaction));
    if (!taken) return Unexpected(taken.error());
    return complete_if_whole();
}

chain::Expected<std::optional<Delivery>, Violation> BlockDownload::complete_if_whole() {
    if (!arriving_->complete()) return std::optional<Delivery>{};
    return std::optional(answer_front(std::move(*arriving_).finish(), std::move(inserted_)));
}

Delivery BlockDownload::answer_front(chain::ProvenBlock block,
                                     std::vector<chain::Outpoint> inserted) {
    const Request& request = requests_.front();
    const auto insertions = static_cast<double>(inserted.size() + std::exchange(added_, 0));
    insertions_lately_ += (insertions - insertions_lately_) / kLatestBlocks;
    insertions_before_ += (insertions - insertions_before_) / kRememberedBlocks;
    Delivery delivery{std::move(block), std::move(inserted), request.wanted,
                      request.purpose,  request.asked_at,    std::move(filter_before_)};
    served_by_load_ = request.filter_loads;
    drop_front();
    return delivery;
}

void BlockDownload::drop_front() {
    requests_.pop_front();
    arriving_.reset();
    inserted_.clear();
    follow_filter_changes();
}

bool BlockDownload::expects_whole_block(const chain::BlockHash& hash) const {
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

const Mirror* BlockDownload::mirror() const {
    for (auto change = coming_changes_.rbegin(); change != coming_changes_.rend(); ++change) {
        if (const auto* coming = std::get_if<Mirror>(&change->what)) return coming;
    }
    return mirror_ ? &*mirror_ : nullptr;
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
        if (request.is_for_scan() && request.filter_loads == served_by_load_) {
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
