#include "client/sync/source_choice.h"

#include <algorithm>

#include "chain/enum_table.h"

namespace petal::client {
namespace {

using net::MatchSourceKind;
using net::SourceFacts;
using net::SourcePeer;
using std::chrono::milliseconds;

// How long the choice waits for further named nodes after the first handshake.
constexpr milliseconds kOtherNodes{1'000};
// How long it waits for an answer that is measured. A link over which no such answer comes in this
// time is slow: an answer has 162 kB.
constexpr milliseconds kMeasuring{2'000};
// The answers after which a link counts as slow: TCP's slow start takes the first ones.
constexpr std::size_t kEnoughAnswers = 3;
// A compact filter has 1.5 % of its block's bytes. With a Bloom filter, a node searches 150 MB of
// blocks a second. So both take the same time on a link of 2.2 MB a second.
constexpr double kSlowBytesPerSecond = 2'000'000;
// A node sends 850 MB of blocks a second, so that on loopback and on a network of 1 Gbit/s blocks
// arrive as fast as a node searches them. The measured rate includes the time that headers take
// here, and has a resolution of a millisecond.
constexpr double kFastBytesPerSecond = 25'000'000;
constexpr milliseconds kFastRoundTrip{1};

constexpr std::int64_t kBlockSeconds = 600;
constexpr std::uint64_t kMainnetBlockBytes = 1'700'000;
constexpr std::uint64_t kOtherBlockBytes = 1'000'000;

bool serves(const SourcePeer& peer, MatchSourceKind source) {
    const std::uint64_t needed = net::services_needed(source);
    return (peer.services & needed) == needed;
}

bool any_serves(const SourceFacts& facts, MatchSourceKind source) {
    return std::ranges::any_of(facts.peers,
                               [&](const SourcePeer& peer) { return serves(peer, source); });
}

bool all_serve(const SourceFacts& facts, MatchSourceKind source) {
    return std::ranges::all_of(facts.peers,
                               [&](const SourcePeer& peer) { return serves(peer, source); });
}

enum class Speed : std::uint8_t { unknown, slow, medium, fast };

Speed speed_of(const net::LinkSpeed& link) {
    if (link.bytes_per_second >= kFastBytesPerSecond && link.round_trip <= kFastRoundTrip) {
        return Speed::fast;
    }
    if (link.bytes_per_second >= kSlowBytesPerSecond) return Speed::medium;
    return link.answers > 0 ? Speed::slow : Speed::unknown;
}

/// The speed of the fastest link to a node that serves the source.
Speed speed_for(const SourceFacts& facts, MatchSourceKind source) {
    Speed best = Speed::unknown;
    for (const SourcePeer& peer : facts.peers) {
        if (serves(peer, source)) best = std::max(best, speed_of(peer.link));
    }
    return best;
}

/// Whether another answer to a request for headers may show that a link is faster.
bool may_measure_more(const SourceFacts& facts) {
    std::size_t answers = 0;
    for (const SourcePeer& peer : facts.peers) answers += peer.link.answers;
    return !facts.has_all_headers && answers < kEnoughAnswers && facts.since_handshake < kMeasuring;
}

bool may_be_fast(const SourceFacts& facts) {
    return std::ranges::any_of(
        facts.peers, [](const SourcePeer& peer) { return peer.link.round_trip <= kFastRoundTrip; });
}

}  // namespace

std::string_view code_of(SourceReason reason) {
    using enum SourceReason;
    static constexpr auto kCodes = chain::enum_table<SourceReason, std::string_view>({
        {requested, "requested"},
        {by_default, "default"},
        {as_before, "as-before"},
        {index, "index"},
        {slow_link, "slow-link"},
        {unconfirmed, "unconfirmed"},
        {no_index, "no-index"},
        {fast_link, "fast-link"},
        {only_blocks, "only-blocks"},
        {privacy_profile, "privacy-profile"},
        {none_found, "none-found"},
    });
    return kCodes[reason];
}

std::optional<MatchSourceKind> fixed_source(SourceOption option, bool finds_nodes) {
    switch (option) {
        case SourceOption::by_default:
            if (finds_nodes) return std::nullopt;
            return MatchSourceKind::filtered_blocks;
        case SourceOption::automatic:
            break;
        case SourceOption::bloom:
            return MatchSourceKind::filtered_blocks;
        case SourceOption::compact:
            return MatchSourceKind::compact_filters;
        case SourceOption::blocks:
            return MatchSourceKind::full_blocks;
    }
    return std::nullopt;
}

std::uint64_t estimated_block_bytes(const chain::NetworkParams& network, std::int64_t since,
                                    std::int64_t now) {
    const auto blocks = static_cast<std::uint64_t>(std::max<std::int64_t>(now - since, 0)) /
                        static_cast<std::uint64_t>(kBlockSeconds);
    return blocks * (network.name == "mainnet" ? kMainnetBlockBytes : kOtherBlockBytes);
}

std::optional<SourceChoice> choose_by_link(const SourceFacts& facts, const SourceWishes& wishes) {
    using enum MatchSourceKind;
    if (facts.peers.empty()) return std::nullopt;
    const bool all_are_there = facts.peers.size() >= wishes.expected_peers;
    if (!all_are_there && facts.since_handshake < kOtherNodes) return std::nullopt;

    const bool any_compact = any_serves(facts, compact_filters);
    if (any_compact && wishes.has_compact_history) {
        return SourceChoice{compact_filters, SourceReason::as_before};
    }
    const bool any_bloom = any_serves(facts, filtered_blocks);
    if (any_bloom && wishes.listens) {
        return SourceChoice{filtered_blocks, SourceReason::unconfirmed};
    }
    const bool all_compact = all_serve(facts, compact_filters);
    const bool all_bloom = all_serve(facts, filtered_blocks);
    // Not if that leaves a node out which serves Bloom filters.
    const bool may_use_compact = any_compact && (all_compact || !all_bloom);
    if (may_use_compact && !any_bloom) return SourceChoice{compact_filters, SourceReason::index};
    if (may_use_compact) {
        const Speed speed = speed_for(facts, compact_filters);
        if (speed < Speed::medium && may_measure_more(facts)) return std::nullopt;
        return speed == Speed::slow ? SourceChoice{filtered_blocks, SourceReason::slow_link}
                                    : SourceChoice{compact_filters, SourceReason::index};
    }
    const Speed speed = speed_for(facts, full_blocks);
    if (!any_bloom) return SourceChoice{full_blocks, SourceReason::only_blocks};
    if (speed == Speed::fast) return SourceChoice{full_blocks, SourceReason::fast_link};
    if (may_be_fast(facts) && may_measure_more(facts)) return std::nullopt;
    return SourceChoice{filtered_blocks, SourceReason::no_index};
}

void SourceSearch::add(const SourceWishes& wishes) {
    any_has_history_ = any_has_history_ || wishes.has_compact_history;
    any_is_private_ = any_is_private_ || wishes.privacy == net::Privacy::private_;
    may_download_blocks_ = may_download_blocks_ && wishes.missing_bytes <= kMaxUnaskedBytes;
}

std::vector<MatchSourceKind> SourceSearch::sources() const {
    using enum MatchSourceKind;
    std::vector<MatchSourceKind> sources{filtered_blocks, compact_filters};
    if (prefers_compact_filters()) std::ranges::reverse(sources);
    if (may_download_blocks_) sources.push_back(full_blocks);
    return sources;
}

MatchSourceKind SourceSearch::wanted() const {
    const auto all = sources();
    return all[(skipped_ + passed_) % all.size()];
}

void SourceSearch::on_searched(milliseconds since_connection) {
    passed_ = std::max(passed_, static_cast<std::size_t>(since_connection / kSourcePatience));
}

bool SourceSearch::skip() {
    if (skipped_ + passed_ + 1 >= sources().size()) return false;
    ++skipped_;
    return true;
}

SourceChooser::SourceChooser(const SourceWishes& wishes, SourceSearch& search)
    : wishes_(wishes), search_(search) {}

net::SourceDecision SourceChooser::decide(const SourceFacts& facts) {
    choice_ = wishes_.finds_nodes ? choose_of_found(facts) : choose_by_link(facts, wishes_);
    if (choice_) return {choice_->source, net::services_needed(choice_->source)};
    if (!wishes_.finds_nodes) return {};
    search_.on_searched(facts.since_connection);
    return {std::nullopt, net::services_needed(search_.wanted())};
}

std::optional<SourceChoice> SourceChooser::choose_of_found(const SourceFacts& facts) const {
    const auto sources = search_.sources();
    for (const MatchSourceKind source : sources) {
        if (!any_serves(facts, source)) continue;
        if (source != sources.front()) return SourceChoice{source, SourceReason::none_found};
        return SourceChoice{source, search_.any_has_history() ? SourceReason::as_before
                                                              : SourceReason::privacy_profile};
    }
    return std::nullopt;
}

}  // namespace petal::client
