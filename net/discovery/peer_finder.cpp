#include "net/discovery/peer_finder.h"

#include <algorithm>
#include <span>
#include <utility>

#include "net/discovery/dns_seed_list.h"

namespace petal::net {

namespace {

using std::chrono::milliseconds;

constexpr std::int64_t kBanSeconds = 24 * 60 * 60;
constexpr milliseconds kLookAgain{10'000};
// A seed says nothing of when it saw a node (Bitcoin Core: ThreadDNSAddressSeed).
constexpr std::int64_t kSeenBySeed = 3 * 24 * 60 * 60;

chain::Bytes bytes_of(const std::string& text) {
    return {text.begin(), text.end()};
}

}  // namespace

PeerFinder::PeerFinder(AddrMan& addrman, FinderOptions options, Now now)
    : addrman_(addrman),
      options_(std::move(options)),
      start_(now.steady),
      next_feeler_(now.steady + options_.feeler_interval),
      not_before_(now.steady) {}

std::vector<PeerAddress> PeerFinder::choose(std::size_t count, Now now) {
    if (count == 0 || now.steady < not_before_) return {};
    std::set<chain::Bytes> groups;
    for (const PeerAddress& address : in_use_) groups.insert(network_group(address));
    if (feeler_) groups.insert(network_group(*feeler_));
    auto chosen = addrman_.choose(count, groups, options_.reach, now.unix_seconds, with_anchors_);
    addrman_has_no_more_ = chosen.size() < count;
    for (const PeerAddress& address : chosen) {
        in_use_.insert(address);
        addrman_.on_attempt(address, now.unix_seconds);
    }
    return chosen;
}

std::vector<std::string> PeerFinder::choose_seeds(std::size_t free_places, Now now,
                                                  std::size_t most) {
    if (free_places == 0 || !needs_seeds(now)) return {};
    if (next_round_ && now.steady >= *next_round_) begin_round(now);

    std::vector<std::string> names;
    while (names.size() < most && questions_ < kSeedsAtOnce && next_seed_ < options_.seeds.size()) {
        names.push_back(options_.seeds[next_seed_++]);
        ++questions_;
    }
    return names;
}

bool PeerFinder::needs_seeds(Now now) const {
    const bool in_vain = !any_served_ && now.steady >= start_ + kAddrManAlone;
    return addrman_has_no_more_ || in_vain || failures_ >= kOfflineAfter;
}

void PeerFinder::begin_round(Now now) {
    next_round_.reset();
    next_seed_ = 0;
    seed_pause_ = round_found_any_ ? kFirstSeedPause : std::min(2 * seed_pause_, kLastSeedPause);
    round_found_any_ = false;
    not_before_ = now.steady;
}

void PeerFinder::on_seed_answer(const std::string& seed, const std::vector<PeerAddress>& nodes,
                                Now now) {
    --questions_;
    for (const PeerAddress& node : std::span{nodes}.first(std::min(nodes.size(), kMostOfSeed))) {
        const auto seen = now.unix_seconds - kSeenBySeed;
        addrman_.add(node, services_asked_of(seed), seen, bytes_of(seed), now.unix_seconds);
    }
    if (!nodes.empty()) {
        any_answer_ = round_found_any_ = true;
        addrman_has_no_more_ = false;
        failures_ = 0;
    }
    if (questions_ == 0 && next_seed_ == options_.seeds.size()) {
        next_round_ = now.steady + seed_pause_;
    }
}

void PeerFinder::on_answer(Now now) {
    any_contact_ = true;
    failures_ = 0;
    not_before_ = now.steady;
    addrman_.on_contact(now.unix_seconds, now.unix_seconds);
}

void PeerFinder::on_heard(milliseconds connected_at, Now now) {
    failures_ = 0;
    const auto lasts = std::chrono::floor<std::chrono::seconds>(now.steady - connected_at);
    addrman_.on_contact(now.unix_seconds - lasts.count(), now.unix_seconds);
}

void PeerFinder::on_version(const PeerAddress& address, std::uint64_t services, Now now) {
    addrman_.on_version(address, services, now.unix_seconds);
}

void PeerFinder::on_service(const PeerAddress& address, PeerService service, Now now) {
    any_served_ = true;
    if (service != PeerService::none) serving_.insert(address);
    if (service != PeerService::advanced) return;
    addrman_.on_outcome(address, PeerOutcome::served, now.unix_seconds);
}

bool PeerFinder::on_gossip(const chain::Bytes& source, const std::vector<GossipedAddress>& nodes,
                           std::size_t told, milliseconds connected_at, Now now) {
    const auto later = static_cast<std::size_t>((now.steady - connected_at) / kGossipInterval);
    const std::size_t allowed = kFirstGossip + later;
    const std::size_t count = std::min(nodes.size(), allowed - std::min(told, allowed));
    bool any_new = false;
    for (std::size_t i = 0; i < count; ++i) {
        const GossipedAddress& node = nodes[i];
        any_new |= addrman_.add(node.address, node.services, node.time, source, now.unix_seconds);
    }
    if (any_new) addrman_has_no_more_ = false;
    return any_new;
}

void PeerFinder::on_ended(const PeerAddress& address, DisconnectReason reason, PeerService service,
                          Now now) {
    in_use_.erase(address);
    any_served_ = any_served_ || service != PeerService::none;
    if (reason == DisconnectReason::finished && service != PeerService::none) {
        serving_.insert(address);
    } else {
        serving_.erase(address);
    }
    if (reason == DisconnectReason::unreachable) note_failure(now);
    if (reason == DisconnectReason::self) addrman_.forget(address);
    if (const auto outcome = outcome_of(reason, service)) {
        addrman_.on_outcome(address, *outcome, now.unix_seconds);
    }
    if (is_proof_of_bad_data(reason)) {
        addrman_.ban(address, {.until = now.unix_seconds + kBanSeconds, .by_user = false});
    }
}

std::optional<PeerAddress> PeerFinder::choose_feeler(Now now) {
    if (feeler_ || now.steady < next_feeler_) return std::nullopt;
    next_feeler_ = now.steady + options_.feeler_interval;
    if (!any_served_ || failures_ > 0) return std::nullopt;  // this machine may be offline
    const auto contested = addrman_.choose_contested(options_.reach, now.unix_seconds);
    if (contested && in_use_.contains(*contested)) {
        // It serves us just now (Bitcoin Core: ThreadOpenConnections).
        addrman_.on_outcome(*contested, PeerOutcome::answered, now.unix_seconds);
    } else {
        feeler_ = contested;
    }
    if (!feeler_) {
        feeler_ = addrman_.choose_newcomer(in_use_, options_.reach, now.unix_seconds);
    }
    if (feeler_) addrman_.on_attempt(*feeler_, now.unix_seconds);
    return feeler_;
}

std::optional<milliseconds> PeerFinder::next_feeler_at() const {
    return feeler_ ? std::nullopt : std::optional{next_feeler_};
}

void PeerFinder::on_feeler_answered(std::uint64_t services, Now now) {
    if (!feeler_) return;
    const PeerAddress address = *std::exchange(feeler_, std::nullopt);
    on_answer(now);
    addrman_.on_version(address, services, now.unix_seconds);
    addrman_.on_outcome(address, PeerOutcome::answered, now.unix_seconds);
}

void PeerFinder::on_feeler_failed(DisconnectReason reason, Now now) {
    if (!feeler_) return;
    const PeerAddress address = *std::exchange(feeler_, std::nullopt);
    if (reason == DisconnectReason::self) addrman_.forget(address);
    if (const auto outcome = outcome_of(reason, PeerService::none)) {
        addrman_.on_outcome(address, *outcome, now.unix_seconds);
    }
}

void PeerFinder::on_no_verdict(const PeerAddress& address, Now now) {
    in_use_.erase(address);
    note_failure(now);
}

void PeerFinder::note_failure(Now now) {
    ++failures_;
    if (seems_offline()) not_before_ = now.steady + kOfflinePause;
}

bool PeerFinder::has_no_candidates() const {
    return addrman_has_no_more_ && has_asked_all();
}

bool PeerFinder::seems_offline() const {
    return failures_ >= kOfflineAfter && has_asked_all();
}

bool PeerFinder::reached_nobody() const {
    // That a few nodes can't be reached tells nothing of this machine.
    const bool tells = !options_.seeds.empty() || failures_ >= kOfflineAfter;
    return tells && !any_contact_ && !any_answer_;
}

milliseconds PeerFinder::look_again_at(Now now) const {
    auto time = now.steady + kLookAgain;
    if (not_before_ > now.steady) time = std::min(time, not_before_);
    if (next_round_ && needs_seeds(now)) time = std::min(time, std::max(*next_round_, now.steady));
    const auto alone_until = start_ + kAddrManAlone;
    if (!any_served_ && alone_until > now.steady) time = std::min(time, alone_until);
    return time;
}

}  // namespace petal::net
