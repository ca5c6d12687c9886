#include "net/discovery/known_peer.h"

#include <algorithm>

#include "chain/enum_table.h"

namespace petal::net {

namespace {

constexpr std::int64_t kLongestPause = 60 * kDay;

/// The code of an outcome, the pause after the first failure, and the maximum pause. The pause
/// doubles with each consecutive failure.
struct OutcomeRow {
    std::string_view code;
    std::int64_t first_pause;
    std::int64_t last_pause;
};

constexpr auto kOutcomes = chain::enum_table<PeerOutcome, OutcomeRow>({
    {PeerOutcome::served, {"served", 0, 0}},
    {PeerOutcome::answered, {"answered", 0, 0}},
    {PeerOutcome::unreachable, {"unreachable", 10 * kMinute, kDay}},
    {PeerOutcome::lacks_services, {"lacks-services", 0, 0}},  // lacks_services()
    {PeerOutcome::too_old, {"too-old", 7 * kDay, kLongestPause}},
    {PeerOutcome::wrong_network, {"wrong-network", 7 * kDay, kLongestPause}},
    {PeerOutcome::too_slow, {"too-slow", 10 * kMinute, kDay}},
    {PeerOutcome::bad_data, {"bad-data", kDay, 30 * kDay}},
    {PeerOutcome::refused, {"refused", 5 * kMinute, 6 * kHour}},
    {PeerOutcome::low_work, {"low-work", 10 * kMinute, 6 * kHour}},  // the limit varies by run
    // The stored chain may be the wrong one.
    {PeerOutcome::lighter_chain, {"lighter-chain", 10 * kMinute, 6 * kHour}},
    {PeerOutcome::other_chain, {"other-chain", kDay, 30 * kDay}},
    {PeerOutcome::lesser_branch, {"other-chain", 10 * kMinute, 6 * kHour}},
});

/// Whether the cause may end within a minute, such as a restart of the node.
bool is_passing(PeerOutcome outcome) {
    return is_silence(outcome) || outcome == PeerOutcome::refused;
}

}  // namespace

std::string_view code_of(PeerOutcome outcome) {
    return kOutcomes[outcome].code;
}

std::optional<PeerOutcome> parse_peer_outcome(std::string_view code) {
    return kOutcomes.find(&OutcomeRow::code, code);
}

std::optional<PeerOutcome> outcome_of(DisconnectReason reason, PeerService service) {
    using enum DisconnectReason;
    static constexpr auto kByReason =
        chain::enum_table<DisconnectReason, std::optional<PeerOutcome>>({
            {finished, std::nullopt},
            {unreachable, PeerOutcome::unreachable},
            {gone, PeerOutcome::refused},
            {wrong_network, PeerOutcome::wrong_network},
            // A captive network may answer connections itself.
            {not_bitcoin, PeerOutcome::unreachable},
            {no_bloom, PeerOutcome::lacks_services},
            {no_compact_filters, PeerOutcome::lacks_services},
            {no_network, PeerOutcome::lacks_services},
            {pruned, PeerOutcome::lacks_services},
            {upload_limit, PeerOutcome::refused},
            {too_old, PeerOutcome::too_old},
            {self, std::nullopt},
            {duplicate, std::nullopt},
            {timed_out, PeerOutcome::too_slow},
            {incomplete, PeerOutcome::bad_data},
            // Bitcoin Core answers nothing while its index is incomplete.
            {lacks_filters, PeerOutcome::too_slow},
            {malformed_message, PeerOutcome::bad_data},
            {invalid_header, PeerOutcome::bad_data},
            {invalid_proof, PeerOutcome::bad_data},
            {invalid_block, PeerOutcome::bad_data},
            {unrequested, PeerOutcome::bad_data},
            {contradicts_filter, PeerOutcome::bad_data},
            {left_out, PeerOutcome::bad_data},
            {false_filter, PeerOutcome::bad_data},
            {unproven_filters, PeerOutcome::refused},
            {low_work, PeerOutcome::low_work},
            {ahead_of_clock, std::nullopt},
            {lighter_chain, PeerOutcome::lighter_chain},
            {excluded_branch, PeerOutcome::lighter_chain},
            {lesser_branch, PeerOutcome::lesser_branch},
            {other_chain, PeerOutcome::other_chain},
            {invalid_transaction, PeerOutcome::bad_data},
        });
    const bool has_served = (reason == finished && service != PeerService::none) ||
                            (reason == gone && service == PeerService::advanced);
    return has_served ? PeerOutcome::served : kByReason[reason];
}

bool is_silence(PeerOutcome outcome) {
    return outcome == PeerOutcome::unreachable || outcome == PeerOutcome::too_slow;
}

bool is_by_stored_chain(PeerOutcome outcome) {
    using enum PeerOutcome;
    return outcome == low_work || outcome == lighter_chain || outcome == other_chain ||
           outcome == lesser_branch;
}

std::int64_t pause_after(PeerOutcome outcome, std::uint32_t failures, bool by_user) {
    constexpr std::uint32_t kMaxDoublings = 20;
    const OutcomeRow& row = kOutcomes[outcome];
    const auto pause =
        std::min(row.first_pause << std::min(failures, kMaxDoublings), row.last_pause);
    return by_user && is_passing(outcome) ? std::min(pause, kMinute) : pause;
}

void record_success(KnownPeer& peer, PeerOutcome outcome, std::int64_t now) {
    peer.last_outcome = outcome;
    peer.last_success = peer.last_seen = now;
    peer.failures = 0;
    peer.not_before = 0;
}

void record_failure(KnownPeer& peer, PeerOutcome outcome, std::int64_t now) {
    peer.last_outcome = outcome;
    if (outcome == PeerOutcome::lacks_services) return;  // no fault of the node
    peer.not_before = now + pause_after(outcome, peer.failures, peer.by_user);
    ++peer.failures;
}

bool has_stated_services(const KnownPeer& peer, std::int64_t now) {
    return peer.services_time > now - kServicesLast && peer.services_time <= now;
}

bool lacks_services(const KnownPeer& peer, std::uint64_t services, std::int64_t now) {
    return has_stated_services(peer, now) && !has_services(peer, services);
}

bool is_left_alone(const KnownPeer& peer, std::int64_t now) {
    return peer.not_before > now && peer.not_before <= now + kLongestPause;
}

}  // namespace petal::net
