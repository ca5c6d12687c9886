#include "net/discovery/known_peer.h"

#include <algorithm>

namespace petal::net {

namespace {

constexpr std::int64_t kLongestPause = 60 * kDay;

struct Backoff {
    std::int64_t first;
    std::int64_t last;
};

/// How long a node is left alone after the first failure in a row, and at most.
Backoff backoff_of(PeerOutcome outcome) {
    switch (outcome) {
        case PeerOutcome::served:
        case PeerOutcome::answered:
            return {0, 0};
        case PeerOutcome::unreachable:
            return {10 * kMinute, kDay};
        case PeerOutcome::no_bloom:
            return {kDay, 30 * kDay};
        case PeerOutcome::wrong_network:
            return {7 * kDay, kLongestPause};
        case PeerOutcome::too_slow:
            return {10 * kMinute, kDay};
        case PeerOutcome::bad_data:
            return {kDay, 30 * kDay};
        case PeerOutcome::refused:
            return {5 * kMinute, 6 * kHour};
        case PeerOutcome::low_work:
            return {kDay, 30 * kDay};
    }
    return {0, 0};
}

/// What may be over in a minute: nodes are restarted now and then.
bool is_passing(PeerOutcome outcome) {
    return is_silence(outcome) || outcome == PeerOutcome::refused;
}

}  // namespace

std::string_view code_of(PeerOutcome outcome) {
    switch (outcome) {
        case PeerOutcome::served:
            return "served";
        case PeerOutcome::answered:
            return "answered";
        case PeerOutcome::unreachable:
            return "unreachable";
        case PeerOutcome::no_bloom:
            return "no-bloom";
        case PeerOutcome::wrong_network:
            return "wrong-network";
        case PeerOutcome::too_slow:
            return "too-slow";
        case PeerOutcome::bad_data:
            return "bad-data";
        case PeerOutcome::refused:
            return "refused";
        case PeerOutcome::low_work:
            return "low-work";
    }
    return "unknown";
}

std::optional<PeerOutcome> parse_peer_outcome(std::string_view code) {
    using enum PeerOutcome;
    for (const auto outcome : {served, answered, unreachable, no_bloom, wrong_network, too_slow,
                               bad_data, refused, low_work}) {
        if (code_of(outcome) == code) return outcome;
    }
    return std::nullopt;
}

std::optional<PeerOutcome> outcome_of(DisconnectReason reason, PeerService service) {
    if (is_misbehaviour(reason)) return PeerOutcome::bad_data;
    switch (reason) {
        case DisconnectReason::finished:
            return service == PeerService::none ? std::nullopt : std::optional{PeerOutcome::served};
        case DisconnectReason::unreachable:
            return PeerOutcome::unreachable;
        case DisconnectReason::gone:
            return service == PeerService::advanced ? PeerOutcome::served : PeerOutcome::refused;
        case DisconnectReason::wrong_network:
        case DisconnectReason::not_bitcoin:
            return PeerOutcome::wrong_network;
        case DisconnectReason::no_bloom:
        case DisconnectReason::no_network:
        case DisconnectReason::too_old:
            return PeerOutcome::no_bloom;
        case DisconnectReason::low_work:
            return PeerOutcome::low_work;
        case DisconnectReason::timed_out:
            return PeerOutcome::too_slow;
        default:  // ourselves
            return std::nullopt;
    }
}

bool is_silence(PeerOutcome outcome) {
    return outcome == PeerOutcome::unreachable || outcome == PeerOutcome::too_slow;
}

std::int64_t pause_after(PeerOutcome outcome, std::uint32_t failures, bool by_user) {
    constexpr std::uint32_t kMaxDoublings = 20;
    const auto [first, last] = backoff_of(outcome);
    const auto pause = std::min(first << std::min(failures, kMaxDoublings), last);
    return by_user && is_passing(outcome) ? std::min(pause, kMinute) : pause;
}

bool is_left_alone(const KnownPeer& peer, std::int64_t now) {
    return peer.not_before > now && peer.not_before <= now + kLongestPause;
}

}  // namespace petal::net
