#include "net/sync/blocks/block_download.h"

#include <utility>

#include "net/sync/blocks/full_block.h"

namespace petal::net {

using chain::Unexpected;

namespace {

/// The requests for the blocks, in this order. Consecutive heights share a `getcfilters`.
std::vector<Message> request_messages(std::span<const WantedBlock> blocks) {
    std::vector<Message> messages;
    std::uint32_t last_filter = 0;  // height
    for (const auto& [block, form] : blocks) {
        if (const auto type = inventory_type(form)) {
            if (messages.empty() || !std::holds_alternative<GetData>(messages.back())) {
                messages.emplace_back(GetData{});
            }
            auto& entries = std::get<GetData>(messages.back()).entries;
            entries.push_back({*type, chain::Hash256{block.hash.bytes}});
            continue;
        }
        auto* const range = messages.empty() ? nullptr : std::get_if<GetCFilters>(&messages.back());
        const bool is_next = range != nullptr && block.height == last_filter + 1 &&
                             block.height - range->start_height < kMaxFiltersPerRequest;
        if (is_next) {
            range->stop = block.hash;
        } else {
            messages.emplace_back(GetCFilters{BlockFilterType::basic, block.height, block.hash});
        }
        last_filter = block.height;
    }
    return messages;
}

}  // namespace

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
    for (const auto& [block, form] : blocks) {
        requests_.add({block, form, purpose, asked_at, filter_.mark()});
    }
    requests_.add_fence(nonce);
    std::vector<Message> messages = request_messages(blocks);
    messages.emplace_back(Ping{nonce});
    return messages;
}

// Moves on to the request that this block answers.
chain::Expected<void, Violation> BlockDownload::expect_next(const chain::BlockHash& hash,
                                                            BlockForm form) {
    if (arriving_) {
        return Unexpected(
            Violation{DisconnectReason::incomplete, std::to_string(arriving_->missing()) +
                                                        " transactions of the block before " +
                                                        hash.to_hex() + " did not come"});
    }
    requests_.skip_unwanted_before(hash, form);
    follow_requests();
    const bool is_next = !requests_.empty() && requests_.front().block.hash == hash;
    if (is_next && have_same_answer(requests_.front().form, form)) return {};
    const bool skipped = !is_next && requests_.contains(hash);
    return Unexpected(Violation{
        skipped ? DisconnectReason::incomplete : DisconnectReason::unrequested, hash.to_hex()});
}

chain::Expected<std::optional<Delivery>, Violation> BlockDownload::on_merkle_block(
    const MerkleBlock& message) {
    const auto next = expect_next(message.header.hash(), BlockForm::filtered);
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
    const auto next = expect_next(message.block.hash(), BlockForm::full);
    if (!next) return Unexpected(next.error());
    const BlockRequest& request = requests_.front();
    auto searched = search_full_block(message.block, request.block, request.form, watched);
    if (!searched) return Unexpected(searched.error());
    auto delivery = answer_front(std::move(searched->block), std::move(searched->found));
    // It is searched for everything that is known now, a filtered one for what the filter held.
    delivery.searched_for = known;
    delivery.sent_transactions = delivery.block.transaction_count;
    return std::optional(std::move(delivery));
}

chain::Expected<std::optional<Delivery>, Violation> BlockDownload::on_compact_filter(
    const CFilter& message, const FilterMatcher& matches, Coverage::Mark known) {
    const auto next = expect_next(message.block, BlockForm::compact_filter);
    if (!next) return Unexpected(next.error());
    const chain::BlockRef block = requests_.front().block;
    const auto match = matches(block);
    if (!match) return Unexpected(match.error());
    auto delivery = answer_front({block, {}, 0, {}}, {});
    delivery.searched_for = known;
    delivery.needs_full_block = *match;
    delivery.filter_hash = chain::hash_filter(message.filter);
    if (delivery.purpose == BlockPurpose::testimony) delivery.compact_filter = message.filter;
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
    // The server added the outpoints to its filter, so it also searches the blocks in flight that
    // it serves by this filter.
    if (!delivery.inserted.empty()) delivery.covered = requests_.wanted_of_load(load);
    return std::optional(std::move(delivery));
}

Delivery BlockDownload::answer_front(chain::ProvenBlock block,
                                     std::vector<chain::Outpoint> inserted) {
    const BlockRequest& request = requests_.front();
    insertion_rate_.on_block(inserted.size());
    Delivery delivery{.block = std::move(block),
                      .inserted = std::move(inserted),
                      .form = request.form,
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
