#include "net/sync/matches/chosen_source.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "net/sync/matches/compact_filter_source.h"
#include "net/sync/matches/filtered_block_source.h"
#include "net/sync/matches/full_block_source.h"

namespace petal::net {

using std::chrono::milliseconds;

namespace {

// How often facts are shown that change without an event.
constexpr milliseconds kLookInterval{100};

std::unique_ptr<MatchSource> make_source(SyncContext& sync, MatchSourceKind kind) {
    switch (kind) {
        case MatchSourceKind::filtered_blocks:
            return std::make_unique<FilteredBlockSource>(sync);
        case MatchSourceKind::full_blocks:
            return std::make_unique<FullBlockSource>(sync);
        case MatchSourceKind::compact_filters:
            return std::make_unique<CompactFilterSource>(sync);
    }
    return nullptr;
}

}  // namespace

ChosenSource::ChosenSource(SyncContext& sync)
    : MatchSource(sync, {.block_timeout = sync.options.timeouts.answer}) {
    if (!sync.options.blocks.choose_source) use(sync.options.blocks.source);
}

void ChosenSource::use(MatchSourceKind kind) {
    source_ = make_source(sync_, kind);
    set_traits(source_->traits());
    sync_.status.source = kind;
    looks_again_at_.reset();
    // Another source was used before, and this one may have blocks searched again.
    if (sync_.scan.is_aligned() && on_changed) on_changed();
}

bool ChosenSource::choose(bool has_all_headers, Now now) {
    if (!sync_.options.blocks.choose_source) return true;
    forget_source_without_servers();
    if (source_) return true;
    const SourceFacts known = facts(has_all_headers, now);
    const SourceDecision decision = sync_.options.blocks.choose_source(known);
    services_ = decision.services;
    looks_again_at_.reset();
    if (!known.peers.empty()) looks_again_at_ = now.steady + kLookInterval;
    if (!decision.source) return false;
    use(*decision.source);
    drop_unsuitable_peers();
    return true;
}

void ChosenSource::on_connected(bool has_all_headers, Now now) {
    accepts_pruned_ = !sync_.options.has_substitutes || needs_recent_blocks_only(now);
    // The new peer needs the services of this moment.
    if (!source_) choose(has_all_headers, now);
}

// By the time of the watcher's last block: the stored headers may end long before the chain's tip.
bool ChosenSource::needs_recent_blocks_only(Now now) const {
    constexpr std::int64_t kBlockSeconds = 600;
    const auto& covered = sync_.keeper.checkpoint().covered;
    if (!covered || !sync_.chain.is_on_best_chain(covered->hash)) return false;
    const std::int64_t age = now.unix_seconds - sync_.chain.header_at(covered->height).time;
    return age < kBlockSeconds * chain::kReorganisationReach;
}

// The engine calls choose() after each event.
void ChosenSource::on_wake(Now now) {
    if (looks_again_at_) looks_again_at_ = now.steady + kLookInterval;
}

// Without a ready peer, no block is in flight. The omissions before the choice are known to it.
void ChosenSource::forget_source_without_servers() {
    if (sync_.status.source != MatchSourceKind::compact_filters) return;
    const std::size_t omissions = count_omissions();
    if (omissions == known_omissions_) return;
    for (const auto& [id, peer] : sync_.peers) {
        if (peer.is_ready() || !has_left_filters_out(peer)) return;
    }
    known_omissions_ = omissions;
    source_.reset();
    services_ = kNodeNetwork;
    sync_.status.source.reset();
}

std::size_t ChosenSource::count_omissions() const {
    const auto lacks_filters = [](const PeerReport& peer) {
        return peer.ended == DisconnectReason::lacks_filters;
    };
    return static_cast<std::size_t>(std::ranges::count_if(sync_.status.peers, lacks_filters));
}

bool ChosenSource::has_left_filters_out(const SyncPeer& peer) const {
    const std::string& node = sync_.peers.report(peer.id()).node;
    return std::ranges::any_of(sync_.status.peers, [&node](const PeerReport& earlier) {
        return earlier.node == node && earlier.ended == DisconnectReason::lacks_filters;
    });
}

SourceFacts ChosenSource::facts(bool has_all_headers, Now now) {
    SourceFacts facts;
    for (const auto& [id, peer] : sync_.peers) {
        if (!peer.is_ready()) continue;
        std::uint64_t services = peer.connection.version()->services;
        if (is_pruned(services)) services |= kNodeNetwork;  // it was accepted
        const bool has_left_out = has_left_filters_out(peer);
        if (has_left_out) services &= ~std::uint64_t{kNodeCompactFilters};
        facts.peers.push_back({services, peer.link, has_left_out});
    }
    if (facts.peers.empty()) handshake_at_.reset();
    if (!facts.peers.empty() && !handshake_at_) handshake_at_ = now.steady;
    facts.has_all_headers = has_all_headers;
    facts.since_handshake = now.steady - handshake_at_.value_or(now.steady);
    return facts;
}

Outcome ChosenSource::on_handshake_complete(const SyncPeer& peer) const {
    if (!source_) return {};
    // The handshake has judged whether a pruned node is accepted.
    const HandshakeAims aims{.services = needs_of_next_peer().services, .accepts_pruned = true};
    const auto missing = missing_service(aims, *peer.connection.version());
    if (missing) return chain::Unexpected(*missing);
    const bool needs_filters = sync_.options.blocks.choose_source &&
                               sync_.status.source == MatchSourceKind::compact_filters;
    if (needs_filters && has_left_filters_out(peer)) {
        return chain::Unexpected(
            Violation{DisconnectReason::lacks_filters, "as in an earlier connection"});
    }
    return {};
}

void ChosenSource::drop_unsuitable_peers() {
    for (auto entry = sync_.peers.begin(); entry != sync_.peers.end();) {
        SyncPeer& peer = (entry++)->second;  // it may be dropped
        if (!peer.is_ready()) continue;
        if (const auto outcome = on_handshake_complete(peer); !outcome) {
            sync_.peers.drop(peer, outcome.error());
        }
    }
}

PeerNeeds ChosenSource::needs_of_next_peer() const {
    PeerNeeds needs{.services = services_};
    if (source_) needs = source_->needs_of_next_peer();
    needs.accepts_pruned = accepts_pruned_;
    return needs;
}

void ChosenSource::prepare(SyncPeer& peer) {
    if (source_) source_->prepare(peer);
}

void ChosenSource::request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                           BlockPurpose purpose) {
    assert(source_);
    source_->request(peer, blocks, purpose);
}

chain::Expected<std::optional<Delivery>, Violation> ChosenSource::match(SyncPeer& peer,
                                                                        const CFilter& filter) {
    return source_ ? source_->match(peer, filter) : MatchSource::match(peer, filter);
}

chain::Expected<std::optional<Delivery>, Violation> ChosenSource::search(SyncPeer& peer,
                                                                         const FullBlock& block) {
    assert(source_);  // SyncPeer::expects() lets no other block pass
    return source_->search(peer, block);
}

void ChosenSource::request_in_full(const chain::BlockRef& block) {
    if (source_) source_->request_in_full(block);
}

bool ChosenSource::settle(Delivery& answer) {
    assert(source_);
    return source_->settle(answer);
}

void ChosenSource::on_found(const std::vector<chain::Outpoint>& outpoints,
                            const SyncPeer* has_them) {
    if (source_) source_->on_found(outpoints, has_them);
}

void ChosenSource::on_watched_changed() {
    if (source_) source_->on_watched_changed();
}

void ChosenSource::on_unconfirmed_changed() {
    if (source_) source_->on_unconfirmed_changed();
}

}  // namespace petal::net
