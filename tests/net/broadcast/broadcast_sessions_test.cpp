// The states of a broadcast's sessions, and how long it waits for its peers.
#include "net/broadcast/broadcast_sessions.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <vector>

#include "tests/net/broadcast/session_samples.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using Event = RelayEvent;

/// The states of the README's table, in the order of its rows: each event in each state.
TEST(BroadcastSessions, MovesOnlyByTheTransitionsOfTheReadme) {
    using enum RelayState;
    const std::vector<RelayState> kStates{connecting, handshake_complete,
                                          no_relay,   fee_too_low,
                                          observing,  relayed,
                                          announced,  ignored,
                                          fetched,    silent,
                                          accepted,   rejected};
    // clang-format off
    const std::vector<std::pair<Event, std::vector<RelayState>>> kRows{
        {Event::declines_all,    {no_relay,           handshake_complete, no_relay, fee_too_low, observing,   relayed, announced, ignored,  fetched,  silent,   accepted, rejected}},
        {Event::takes_some,      {handshake_complete, handshake_complete, no_relay, fee_too_low, observing,   relayed, announced, ignored,  fetched,  silent,   accepted, rejected}},
        {Event::declines_fee,    {connecting,         fee_too_low,        no_relay, fee_too_low, fee_too_low, relayed, announced, ignored,  fetched,  silent,   accepted, rejected}},
        {Event::takes_fee,       {connecting,         observing,          no_relay, observing,   observing,   relayed, announced, ignored,  fetched,  silent,   accepted, rejected}},
        {Event::announced_to_it, {connecting,         handshake_complete, no_relay, fee_too_low, announced,   relayed, announced, ignored,  fetched,  silent,   accepted, rejected}},
        {Event::announced_by_it, {connecting,         relayed,            relayed,  relayed,     relayed,     relayed, announced, ignored,  accepted, accepted, accepted, rejected}},
        {Event::fetched,         {connecting,         handshake_complete, no_relay, fee_too_low, observing,   relayed, fetched,   fetched,  fetched,  silent,   accepted, rejected}},
        {Event::returned,        {connecting,         handshake_complete, no_relay, fee_too_low, observing,   relayed, accepted,  accepted, accepted, accepted, accepted, accepted}},
        {Event::rejected,        {connecting,         handshake_complete, no_relay, fee_too_low, observing,   relayed, rejected,  rejected, rejected, rejected, accepted, rejected}},
        {Event::overdue,         {connecting,         handshake_complete, no_relay, fee_too_low, observing,   relayed, ignored,   ignored,  silent,   silent,   accepted, rejected}},
    };
    // clang-format on
    for (const auto& [event, expected] : kRows) {
        for (std::size_t i = 0; i < kStates.size(); ++i) {
            BroadcastSessions sessions;
            auto& session = sessions.all.emplace_back(test::session_of(1, kStates[i]));
            EXPECT_EQ(sessions.apply(session, event, {}), kStates[i] != expected[i]);
            EXPECT_EQ(session.shown.state, expected[i])
                << static_cast<int>(event) << " in state " << i;
        }
    }
}

constexpr milliseconds kAtOnce{0};
constexpr milliseconds kAnnounced{100'000};
constexpr milliseconds kLater{200'000};
constexpr Now kLaterOn{kLater, 0};

struct EndCase {
    const char* what;
    std::optional<milliseconds> end;
    std::function<void(BroadcastSessions&)> happen;
};

BroadcastSession& recipient(BroadcastSessions& sessions) {
    return sessions.all.front();
}

BroadcastSession& observer(BroadcastSessions& sessions) {
    return sessions.all.back();
}

/// Each row starts with one peer to which the transaction was announced and one that observes, and
/// no further peer can come. The row then changes this.
const EndCase kEndCases[] = {
    {"a recipient requests it within 30 seconds", milliseconds{130'000}, [](auto&) {}},
    {"a relay is announced within a minute of the last request", milliseconds{260'000},
     [](auto& sessions) {
         sessions.apply(recipient(sessions), Event::fetched, {kAnnounced});
         sessions.apply(recipient(sessions), Event::fetched, kLaterOn);
     }},
    {"a later announcement does not shorten this wait", milliseconds{260'000},
     [](auto& sessions) {
         sessions.apply(recipient(sessions), Event::fetched, kLaterOn);
         sessions.apply(recipient(sessions), Event::returned, kLaterOn);
         sessions.apply(observer(sessions), Event::announced_to_it, kLaterOn);
     }},
    {"without an observer, the recipient shows it as late", milliseconds{260'000},
     [](auto& sessions) {
         sessions.all.pop_back();
         sessions.apply(recipient(sessions), Event::fetched, kLaterOn);
     }},
    {"other peers follow the first within five seconds", milliseconds{205'000},
     [](auto& sessions) {
         sessions.all.push_back(test::session_of(3, RelayState::observing));
         sessions.apply(sessions.all[1], Event::announced_by_it, kLaterOn);
     }},
    {"a second relay does not extend this wait", milliseconds{205'000},
     [](auto& sessions) {
         sessions.all.push_back(test::session_of(3, RelayState::observing));
         sessions.all.push_back(test::session_of(4, RelayState::observing));
         sessions.apply(sessions.all[1], Event::announced_by_it, kLaterOn);
         sessions.apply(sessions.all[2], Event::announced_by_it, {2 * kLater});
     }},
    {"a peer that had it before waits for as long", milliseconds{205'000},
     [](auto& sessions) { sessions.apply(recipient(sessions), Event::returned, kLaterOn); }},
    {"no peer is left that may show more", kAtOnce,
     [](auto& sessions) { sessions.apply(observer(sessions), Event::announced_by_it, kLaterOn); }},
    {"another may come that shows more", milliseconds{205'000},
     [](auto& sessions) {
         sessions.apply(observer(sessions), Event::announced_by_it, kLaterOn);
         sessions.availability = PeerAvailability::now;
     }},
    {"all recipients reject it", kAtOnce,
     [](auto& sessions) { sessions.apply(recipient(sessions), Event::rejected, kLaterOn); }},
    {"another may come that takes it", milliseconds{130'000},
     [](auto& sessions) {
         sessions.apply(recipient(sessions), Event::rejected, kLaterOn);
         sessions.all.push_back(test::session_of(3, RelayState::handshake_complete));
     }},
    {"all have it, and none observes", kAtOnce,
     [](auto& sessions) {
         sessions.all.pop_back();
         sessions.apply(recipient(sessions), Event::returned, kLaterOn);
     }},
    {"it was announced to no peer", kAtOnce,
     [](auto& sessions) {
         sessions.progress = BroadcastProgress::none;
         sessions.all.pop_front();
     }},
    {"it was announced to no peer yet", std::nullopt,
     [](auto& sessions) {
         sessions.progress = BroadcastProgress::none;
         sessions.all = {};
         sessions.availability = PeerAvailability::now;
     }},
    {"all have left", kAtOnce,
     [](auto& sessions) {
         for (auto& session : sessions.all) session.shown.ended = DisconnectReason::gone;
     }},
};

TEST(BroadcastSessions, WaitsAsLongAsMoreMayBeLearned) {
    for (const EndCase& row : kEndCases) {
        BroadcastSessions sessions;
        sessions.availability = PeerAvailability::none;
        sessions.all.push_back(test::session_of(1, RelayState::observing));
        sessions.all.push_back(test::session_of(2, RelayState::observing));
        sessions.apply(recipient(sessions), Event::announced_to_it, {kAnnounced});
        row.happen(sessions);
        EXPECT_EQ(sessions.enough_at(), row.end) << row.what;
    }
}

}  // namespace
}  // namespace petal::net
