#include "net/sync/blocks/block_download.h"

#include <utility>

#include "net/sync/blocks/full_block.h"

namespace petal::net {

using chain::Unexpected;

std::vector<Message> BlockDownload::load_filter(bloom::BloomFilter filter, std::uint64_t nonce) {
    FilterLoad message{filter.encode()};
    filter_.load(std::move(filter));
    ping_behind_load_ = nonce;
    follow_filter_changes();
    return {std::move(message), Ping{nonce}};
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

std::vector<Message> BlockDownload::request(std::span<const WantedBlock> blocks,
                                            BlockPurpose purpose, Coverage::Mark asked_at,
                                            std::uint64_t nonce) {
    GetData getdata;
    getdata.entries.reserve(blocks.size());
    for (const auto& [block, type] : blocks) {
        getdata.entries.push_back({type, chain::Hash256{block.hash.bytes}});
        requests_.add({block, type, purpose, asked_at, filter_.mark()});
    }
    requests_.add_fence(nonce);
    return {std::move(getdata), Ping{nonce}};
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
    requests_.skip_unwanted_before(hash, filtered);
    follow_requests();
    const bool is_next = !requests_.empty() && requests_.front().block.hash == hash;
    if (is_next && filtered != requests_.front().is_full()) return {};
    const bool skipped = !is_next && requests_.contains(hash);
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
    const FullBlock& message, WatchIndex& watched, Coverage::Mark known) {
    const auto next = expect_next(message.block.hash(), /*filtered=*/false);
    if (!next) return Unexpected(next.error());
    const BlockRequest& request = requests_.front();
    auto searched = search_full_block(message.block, request.block, request.type, watched);
    if (!searched) return Unexpected(searched.error());
    auto delivery = answer_front(std::move(searched->block), std::move(searched->found));
    // It is searched for everything that is known now, a filtered one for what the filter held.
    delivery.searched_for = known;
    delivery.sent_transactions = delivery.block.transaction_count;
    return std::optional(std::move(delivery));
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
    const bool needs_full_block = arriving_->needs_full_block();
    const std::uint64_t load = requests_.front().filter.loads;
    auto delivery = answer_front(std::move(*arriving_).finish(), std::move(inserted_));
    delivery.filter = std::move(filter_before_);
    delivery.sent_transactions = delivery.block.transactions.size();
    delivery.needs_full_block = needs_full_block;
    delivery.is_in_latest_filter = load == filter_.mark().loads;
    // The filter that found the outpoints holds them: of the blocks in flight, those that this peer
    // serves by it are searched for them.
    if (!delivery.inserted.empty()) delivery.covered = requests_.wanted_of_load(load);
    return std::optional(std::move(delivery));
}

Delivery BlockDownload::answer_front(chain::ProvenBlock block,
                                     std::vector<chain::Outpoint> inserted) {
    const BlockRequest& request = requests_.front();
    insertion_rate_.on_block(inserted.size());
    Delivery delivery{.block = std::move(block),
                      .inserted = std::move(inserted),
                      .wanted = request.wanted,
                      .purpose = request.purpose,
                      .searched_for = request.asked_at};
    requests_.pop_front();
    follow_requests();
    return delivery;
}

// The request in front has been answered or passed over.
void BlockDownload::follow_requests() {
    arriving_.reset();
    inserted_.clear();
    follow_filter_changes();
}

std::vector<BlockRequest> BlockDownload::on_pong(const Pong& pong) {
    if (pong.nonce == ping_behind_load_) filter_.confirm();
    const std::size_t before = requests_.size();
    auto passed_over = requests_.pass_fence(pong.nonce);
    if (requests_.size() < before) follow_requests();
    return passed_over;
}

}  // namespace petal::net
