#include "net/sync/block_intake.h"

#include <utility>

namespace petal::net {

using chain::Unexpected;
using std::chrono::milliseconds;

namespace {

// A delivered block waits at most this long for its batch, which is applied at this size.
constexpr milliseconds kHoldTime{2'000};
constexpr std::size_t kHoldBytes = 4'000'000;

}  // namespace

Outcome BlockIntake::on_merkle_block(SyncPeer& peer, const MerkleBlock& message, Now now) {
    auto arriving = peer.blocks.on_merkle_block(message);
    peer.transactions.expect_of_block(peer.blocks.missing_transactions());
    return on_delivery(peer, std::move(arriving), now);
}

Outcome BlockIntake::on_full_block(SyncPeer& peer, const FullBlock& message, Now now) {
    auto arriving = source_.search(peer, message);
    if (arriving && *arriving) filter_hashes_.on_full_block(message.block);
    return on_delivery(peer, std::move(arriving), now);
}

Outcome BlockIntake::on_compact_filter(SyncPeer& peer, const CFilter& message, Now now) {
    return on_delivery(peer, source_.match(peer, message), now);
}

Outcome BlockIntake::on_transaction(SyncPeer& peer, chain::Transaction transaction,
                                    const chain::Txid& txid, Now now) {
    return on_delivery(peer, peer.blocks.on_transaction(std::move(transaction), txid), now);
}

Outcome BlockIntake::on_delivery(SyncPeer& peer, Arriving arriving, Now now) {
    if (!arriving) return Unexpected(arriving.error());
    if (!*arriving) return {};
    Delivery& delivery = **arriving;
    peer.pacer.on_answered(peer.blocks.in_flight(), now.steady);
    peer.served_at = now.steady;
    const auto overdue_at = peer.pacer.overdue_at();
    peer.is_silent = overdue_at && *overdue_at <= now.steady;
    peer.connection.cancel_pong_deadline();
    peer.slowness.on_block(delivery.sent_transactions);
    ++sync_.peers.report(peer.id()).blocks;
    SyncCounts& counts = sync_.status.counts;
    ++counts.blocks_in(delivery.form);
    // The block is no longer wanted: only the mirror of the peer's filter needed its insertions.
    if (!delivery.wanted) return {};
    if (delivery.purpose == BlockPurpose::testimony) {
        return filter_hashes_.on_testimony(peer, std::move(delivery));
    }
    if (delivery.purpose == BlockPurpose::second_opinion) {
        return accept_second_opinion(peer, std::move(delivery));
    }
    const std::uint32_t height = delivery.block.block.height;
    const bool is_settled = source_.settle(delivery);
    if (!is_settled) sync_.scan.expect_full_block(height);
    if (!is_settled || !cross_checker_.on_first_answer(peer, delivery)) {
        sync_.scan.on_lost(peer.id(), {height});
        return {};
    }
    filter_hashes_.on_searched(peer, delivery);
    accept(peer, std::move(delivery), now);
    return {};
}

void BlockIntake::accept(SyncPeer& peer, Delivery delivery, Now now) {
    const std::uint32_t height = delivery.block.block.height;
    sync_.status.counts.transactions += delivery.block.transactions.size();
    sync_.peers.trace(peer.id()).served.add(height);
    if (sync_.scan.schedule().is_requested_from_two(height)) {
        for (auto& [id, other] : sync_.peers) other.blocks.requests().discard(height);
    }
    // The server has added the outpoints itself, unless a new filter is on its way to it.
    const SyncPeer* const has_them = delivery.is_in_latest_filter ? &peer : nullptr;
    const auto found = sync_.scan.deliver(std::move(delivery));
    if (!held_since_ && sync_.scan.held().ready() > 0) held_since_ = now.steady;
    source_.on_found(found, has_them);
    unconfirmed_.ask_again_for_unjudged();
}

Outcome BlockIntake::accept_second_opinion(SyncPeer& peer, Delivery delivery) {
    if (!cross_checker_.awaits(peer, delivery)) return {};
    if (!source_.settle(delivery)) {
        cross_checker_.forget(delivery.block.block.height);
        search_again(delivery.block.block.height);
        return {};
    }
    auto verdict = cross_checker_.on_second_opinion(peer, delivery);
    if (verdict.has_more) {
        const SyncPeer* const has_them = delivery.is_in_latest_filter ? &peer : nullptr;
        source_.on_found(sync_.scan.deliver_more(std::move(delivery)), has_them);
    }
    // Stored at once: another process must not treat doubtful blocks as covered.
    if (verdict.any_omitted) apply();
    return verdict.on_second;
}

// The first answer may lack transactions of this second opinion, which does not prove them.
void BlockIntake::search_again(std::uint32_t height) {
    HeightRanges again;
    again.add(height);
    sync_.scan.distrust(again);
    apply();
}

void BlockIntake::apply_if_due() {
    const bool is_enough = sync_.scan.held().ready() >= sync_.options.blocks.per_batch ||
                           sync_.scan.held().bytes() >= kHoldBytes ||
                           sync_.scan.schedule().open() == 0;
    if (is_enough || source_.must_apply_first()) apply();
}

void BlockIntake::apply() {
    held_since_.reset();
    const auto applied = sync_.scan.apply();
    invalid_blocks_.insert(invalid_blocks_.end(), applied.invalid_blocks.begin(),
                           applied.invalid_blocks.end());
    if (!applied.grew) return;
    search_anew();
    if (on_grown) on_grown();
}

void BlockIntake::search_anew() {
    source_.on_watched_changed();
    discard_above(sync_.scan.next_height() - 1);
}

void BlockIntake::start_over() {
    sync_.scan.restart();
    search_anew();
}

void BlockIntake::discard_above(std::uint32_t height) {
    for (auto& [id, peer] : sync_.peers) peer.blocks.requests().discard_above(height);
    cross_checker_.drop_above(height);
    filter_hashes_.drop_above(height);
}

// A transaction that is unconfirmed again may be replaced, and its coins may be unspent again. So
// filters need its inputs.
void BlockIntake::on_reorganised(const chain::ChainMove& move) {
    discard_above(move.fork.height);
    sync_.peers.forget_served_above(move.fork.height);
    sync_.scan.on_chain_moved(move);
    source_.on_watched_changed();
}

std::optional<milliseconds> BlockIntake::wakes_at() const {
    return held_since_ ? std::optional(*held_since_ + kHoldTime) : std::nullopt;
}

}  // namespace petal::net
