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

/// Whether compact filters take more time than Bloom filters on the fastest link to a node that
/// serves them. Empty: another answer to a request for headers may show that a link is faster.
std::optional<bool> has_slow_link(const SourceFacts& facts) {
    std::size_t answers = 0;
    double best = 0;
    bool is_measured = false;
    for (const SourcePeer& peer : facts.peers) {
        answers += peer.link.answers;
        if (!serves(peer, MatchSourceKind::compact_filters) || peer.link.answers == 0) continue;
        is_measured = true;
        best = std::max(best, peer.link.bytes_per_second);
    }
    if (best >= kSlowBytesPerSecond) return false;
    const bool is_too_late = facts.since_handshake >= kMeasuring;
    if (!facts.has_all_headers && answers < kEnoughAnswers && !is_too_late) return std::nullopt;
    // Headers are missing, and not one answer has arrived in all the time.
    if (answers == 0) return !facts.has_all_headers;
    return is_measured;
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
        {index_incomplete, "index-incomplete"},
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

std::optional<SourceChoice> choose_by_link(const SourceFacts& facts, const ChoiceInputs& inputs,
                                           SharedChoice& shared) {
    using enum MatchSourceKind;
    if (facts.peers.empty()) return std::nullopt;
    const bool all_are_there = facts.peers.size() >= inputs.expected_peers;
    if (!all_are_there && facts.since_handshake < kOtherNodes) return std::nullopt;

    const bool any_compact = any_serves(facts, compact_filters);
    if (any_compact && inputs.has_compact_history) {
        return SourceChoice{compact_filters, SourceReason::as_before};
    }
    // One node that states no compact filters must not get the filter of a private wallet.
    if (any_compact && inputs.privacy == net::Privacy::private_) {
        return SourceChoice{compact_filters, SourceReason::privacy_profile};
    }
    const bool any_bloom = any_serves(facts, filtered_blocks);
    if (any_bloom && inputs.listens) {
        return SourceChoice{filtered_blocks, SourceReason::unconfirmed};
    }
    const bool all_compact = all_serve(facts, compact_filters);
    const bool all_bloom = all_serve(facts, filtered_blocks);
    // Not if that leaves a node out which serves Bloom filters.
    const bool may_use_compact = any_compact && (all_compact || !all_bloom);
    if (may_use_compact && !any_bloom) return SourceChoice{compact_filters, SourceReason::index};
    if (may_use_compact) {
        if (!shared.has_slow_link) shared.has_slow_link = has_slow_link(facts);
        if (!shared.has_slow_link) return std::nullopt;
        return *shared.has_slow_link ? SourceChoice{filtered_blocks, SourceReason::slow_link}
                                     : SourceChoice{compact_filters, SourceReason::index};
    }
    const bool is_incomplete = std::ranges::any_of(facts.peers, &SourcePeer::has_left_filters_out);
    const MatchSourceKind source = any_bloom ? filtered_blocks : full_blocks;
    if (is_incomplete) return SourceChoice{source, SourceReason::index_incomplete};
    return SourceChoice{source, any_bloom ? SourceReason::no_index : SourceReason::only_blocks};
}

SourceSearch::SourceSearch(const ChoiceInputs& inputs, const SharedChoice& shared)
    : inputs_(inputs), shared_(shared) {}

std::vector<MatchSourceKind> SourceSearch::sources() const {
    using enum MatchSourceKind;
    std::vector<MatchSourceKind> sources{filtered_blocks, compact_filters};
    if (inputs_.has_compact_history || inputs_.privacy == net::Privacy::private_) {
        std::ranges::reverse(sources);
    }
    if (shared_.missing_bytes <= kMaxUnaskedBytes) sources.push_back(full_blocks);
    return sources;
}

MatchSourceKind SourceSearch::wanted() const {
    const auto all = sources();
    return all[std::min(tried_, all.size() - 1)];
}

void SourceSearch::on_time(milliseconds since_start, bool is_searching) {
    last_time_ = since_start;
    if (!is_searching) began_ = since_start;
    if (since_start - began_ < inputs_.patience) return;
    if (!skip()) restart();
}

void SourceSearch::restart() {
    tried_ = 0;
    began_ = last_time_;
}

bool SourceSearch::skip() {
    if (tried_ + 1 >= sources().size()) return false;
    ++tried_;
    began_ = last_time_;
    return true;
}

SourceChooser::SourceChooser(const ChoiceInputs& inputs, SharedChoice& shared)
    : inputs_(inputs), shared_(shared), search_(inputs_, shared_) {
    shared_.missing_bytes += inputs_.missing_bytes;
}

net::SourceDecision SourceChooser::decide(const SourceFacts& facts) {
    choice_ =
        inputs_.finds_nodes ? choose_of_found(facts) : choose_by_link(facts, inputs_, shared_);
    return {choice_ ? std::optional{choice_->source} : std::nullopt, services()};
}

void SourceChooser::on_time(milliseconds since_start, bool is_online) {
    if (inputs_.finds_nodes) search_.on_time(since_start, is_online && !choice_);
}

bool SourceChooser::skip() {
    return inputs_.finds_nodes && !choice_ && search_.skip();
}

std::uint64_t SourceChooser::services() const {
    if (choice_) return net::services_needed(choice_->source);
    return inputs_.finds_nodes ? net::services_needed(search_.wanted()) : net::kNodeNetwork;
}

std::optional<SourceChoice> SourceChooser::choose_of_found(const SourceFacts& facts) const {
    const auto sources = search_.sources();
    for (const MatchSourceKind source : sources) {
        if (!any_serves(facts, source)) continue;
        if (source != sources.front()) return SourceChoice{source, SourceReason::none_found};
        return SourceChoice{source, inputs_.has_compact_history ? SourceReason::as_before
                                                                : SourceReason::privacy_profile};
    }
    return std::nullopt;
}

}  // namespace petal::client
