// How long a broadcast waits for its peers, given its connections and events.
#include "net/broadcast/broadcast_end.h"

#include <gtest/gtest.h>

#include <functional>
#include <optional>

#include "tests/net/broadcast/session_samples.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using test::announce_to;
using test::taker;

constexpr milliseconds kAtOnce{0};
constexpr milliseconds kTold{100'000};
constexpr milliseconds kLater{200'000};

struct EndCase {
    const char* what;
    std::optional<milliseconds> end;
    std::function<void(BroadcastMilestones&, BroadcastSessions&)> happen;
};

/// Each row starts with one peer that was told of the transaction and one that watches, and no
/// further peer can come. The row then changes this.
const EndCase kEndCases[] = {
    {"a peer that was told asks within 30 seconds", milliseconds{130'000}, [](auto&, auto&) {}},
    {"a relay is announced within a minute of the last request", milliseconds{260'000},
     [](auto& events, auto&) { events.last_fetched = kLater; }},
    {"without one that watches, it is shown as late", milliseconds{260'000},
     [](auto& events, auto& sessions) {
         events.last_fetched = kLater;
         sessions.all.pop_back();
     }},
    {"others follow the first within five seconds", milliseconds{205'000},
     [](auto& events, auto&) { events.first_seen = kLater; }},
    {"a peer that had it before waits for as long", milliseconds{205'000},
     [](auto& events, auto&) { events.first_held = kLater; }},
    {"no peer is left that may show more", kAtOnce,
     [](auto& events, auto& sessions) {
         events.first_seen = kLater;
         sessions.all.back().shown.saw_it = true;
     }},
    {"another may come that shows more", milliseconds{205'000},
     [](auto& events, auto& sessions) {
         events.first_seen = kLater;
         sessions.all.back().shown.saw_it = true;
         sessions.availability = PeerAvailability::now;
     }},
    {"all that were told refuse it", kAtOnce,
     [](auto&, auto& sessions) { sessions.all.front().shown.refusal = "dust"; }},
    {"another may come that takes it", milliseconds{130'000},
     [](auto&, auto& sessions) {
         sessions.all.front().shown.refusal = "dust";
         sessions.availability = PeerAvailability::now;
     }},
    {"all have it, and none watches", kAtOnce,
     [](auto&, auto& sessions) {
         sessions.all.pop_back();
         sessions.all.front().shown.has_it = true;
     }},
    {"none was told", kAtOnce,
     [](auto& events, auto& sessions) {
         events = {};
         sessions.all.pop_front();
     }},
    {"none was told yet", std::nullopt,
     [](auto& events, auto& sessions) {
         events = {};
         sessions.all = {};
         sessions.availability = PeerAvailability::now;
     }},
    {"all have left", kAtOnce,
     [](auto&, auto& sessions) {
         for (auto& session : sessions.all) session.shown.ended = DisconnectReason::gone;
     }},
};

TEST(BroadcastEnd, WaitsAsLongAsMoreMayBeLearned) {
    for (const EndCase& row : kEndCases) {
        BroadcastMilestones events{.last_announced = kTold};
        BroadcastSessions sessions;
        sessions.availability = PeerAvailability::none;
        announce_to(sessions.all.emplace_back(taker(1)));
        sessions.all.push_back(taker(2));
        row.happen(events, sessions);
        EXPECT_EQ(enough_at(events, sessions), row.end) << row.what;
    }
}

}  // namespace
}  // namespace petal::net
