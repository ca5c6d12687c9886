#include "net/io/spv_dialler.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "net/discovery/addrman.h"
#include "net/io/clocks.h"
#include "net/io/search/endpoint_finder.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;

/// The user of a driver that is never run.
struct IdleUser final : DriverUser {
    void on_no_peer_left() override {}
    void on_joined(PeerLink& /*link*/, PeerIdentity /*identity*/) override {}
    void on_received(PeerLink& /*link*/) override {}
    void on_left(PeerLink& /*link*/) override {}
    milliseconds next_wake_up() const override { return milliseconds::max(); }
    void on_wake_up(Now /*now*/) override {}
    void on_signal() override {}
};

/// A newly made dialler, none of whose dials and lookups ever completes.
class SpvDiallerTest : public testing::Test {
protected:
    struct Parts {
        explicit Parts(const SpvOptions& options)
            : search(options.search, /*by_proxy=*/false),
              dialler(options, test::regtest_params().magic, driver, search, result, nullptr),
              driver(user, dialler, route()) {}
        ~Parts() = default;
        Parts(const Parts&) = delete;
        Parts& operator=(const Parts&) = delete;

        static DriverRoute route() {
            DriverRoute how;
            how.magic = test::regtest_params().magic;
            return how;
        }

        IdleUser user;
        SpvResult result;
        PeerSearch search;
        SpvDialler dialler;
        Driver driver;
    };

    static constexpr milliseconds kFeelerInterval = 4'000ms;

    SpvDiallerTest() { options.search = &finder; }

    EndpointFinderOptions finder_options() const {
        EndpointFinderOptions how;
        how.seeds = {"silent"};
        how.feeler_interval = kFeelerInterval;
        return how;
    }

    /// When the dialler looks again after it has looked at `time`; empty if it gives up.
    std::optional<milliseconds> next_look(SpvDialler& dialler, milliseconds time) const {
        const auto next = dialler.dial_more({time, start.unix_seconds});
        if (!next) return std::nullopt;
        return std::chrono::duration_cast<milliseconds>(next->time_since_epoch());
    }

    const Now start = read_clocks();
    AddrMan addrman{AddrManOptions{}};
    EndpointFinder finder{addrman, finder_options(), start};
    SpvOptions options;
};

TEST_F(SpvDiallerTest, GivesUpInTimeWhileASeedIsBeingLookedUp) {
    options.redial.give_up_after = 3'000ms;
    Parts parts{options};
    const milliseconds made = read_clocks().steady;
    const auto gives_up = next_look(parts.dialler, made);
    ASSERT_TRUE(gives_up);
    EXPECT_GE(*gives_up, start.steady + 3'000ms);
    EXPECT_LE(*gives_up, made + 3'000ms);
    EXPECT_EQ(next_look(parts.dialler, *gives_up - 1ms), gives_up);
    EXPECT_FALSE(next_look(parts.dialler, *gives_up));
}

TEST_F(SpvDiallerTest, WaitsForAPeerThatIsBeingDialledBeforeItGivesUp) {
    options.redial.give_up_after = 3'000ms;
    options.max_peers = 2;
    Parts parts{options};
    addrman.add_by_user({AddressKind::ipv4, {20, 1, 1, 1}, 8333}, start.unix_seconds);
    const milliseconds late = read_clocks().steady + 3'000ms;
    ASSERT_TRUE(next_look(parts.dialler, start.steady));
    EXPECT_EQ(parts.result.endpoints.at(0).dials, 1U);
    EXPECT_GT(next_look(parts.dialler, late), late);
    parts.dialler.on_dial_failed(0, DialError::timed_out);
    EXPECT_FALSE(next_look(parts.dialler, late));
}

TEST_F(SpvDiallerTest, LooksForOtherNodesBeforeItGivesUp) {
    EndpointFinder unseeded{addrman, {}, start};
    options.search = &unseeded;
    int asked = 0;
    options.events.on_exhausted = [&] {
        addrman.add_by_user({AddressKind::ipv4, {21, 1, 1, 1}, 8333}, start.unix_seconds);
        return ++asked == 1;
    };
    Parts parts{options};
    addrman.add_by_user({AddressKind::ipv4, {20, 1, 1, 1}, 8333}, start.unix_seconds);
    ASSERT_TRUE(next_look(parts.dialler, start.steady));
    EXPECT_EQ(asked, 0);
    parts.dialler.on_dial_failed(0, DialError::refused);
    ASSERT_TRUE(next_look(parts.dialler, read_clocks().steady));
    EXPECT_EQ(asked, 1);
    ASSERT_EQ(parts.result.endpoints.size(), 2U);
    parts.dialler.on_dial_failed(1, DialError::refused);
    EXPECT_FALSE(next_look(parts.dialler, read_clocks().steady));
    EXPECT_EQ(asked, 2);
}

// Such a run does not give up, but no node of this kind can be found.
TEST_F(SpvDiallerTest, LooksForOtherNodesInAPatientRun) {
    EndpointFinder unseeded{addrman, {}, start};
    options.search = &unseeded;
    for (const bool is_persistent : {false, true}) {
        options.persistent = is_persistent;
        options.timeout = is_persistent ? std::nullopt : std::optional{milliseconds{60'000}};
        int asked = 0;
        options.events.on_exhausted = [&asked] { return ++asked == 1; };
        Parts parts{options};
        EXPECT_TRUE(next_look(parts.dialler, start.steady));
        EXPECT_EQ(asked, 2);
    }
}

TEST_F(SpvDiallerTest, LooksForNoOtherNodesOffline) {
    options.events.on_exhausted = [] {
        ADD_FAILURE();
        return false;
    };
    Parts parts{options};
    ASSERT_TRUE(next_look(parts.dialler, start.steady));
    finder.on_answer("silent", chain::Unexpected{ResolveError::no_answer}, start);
    EXPECT_FALSE(next_look(parts.dialler, start.steady));
}

TEST_F(SpvDiallerTest, LooksAgainWhenAFeelerIsDue) {
    options.max_peers = 1;
    options.feelers = true;
    options.persistent = true;
    Parts parts{options};
    addrman.add_by_user({AddressKind::ipv4, {20, 1, 1, 1}, 8333}, start.unix_seconds);
    const milliseconds due = start.steady + kFeelerInterval;
    EXPECT_EQ(next_look(parts.dialler, start.steady), due);
    EXPECT_EQ(parts.result.endpoints.at(0).dials, 1U);
    EXPECT_EQ(next_look(parts.dialler, due), due + kFeelerInterval) << "no peer has served yet";
}

TEST_F(SpvDiallerTest, SendsNoFeelerUnlessAskedFor) {
    options.max_peers = 1;
    options.persistent = true;
    Parts parts{options};
    addrman.add_by_user({AddressKind::ipv4, {20, 1, 1, 1}, 8333}, start.unix_seconds);
    EXPECT_GT(next_look(parts.dialler, start.steady), start.steady + kFeelerInterval);
    EXPECT_EQ(parts.result.endpoints.at(0).dials, 1U);
}

// A sync of months cannot remember all.
TEST_F(SpvDiallerTest, ReportsNoMoreThan500Endpoints) {
    options.max_peers = 1;
    options.persistent = true;
    Parts parts{options};
    for (std::uint32_t i = 0; i < 600; ++i) {
        const auto high = static_cast<chain::Byte>(20 + i / 250);
        const auto low = static_cast<chain::Byte>(i % 250);
        addrman.add({AddressKind::ipv4, {high, low, 1, 1}, 8333}, kNodeNetwork | kNodeBloom,
                    start.unix_seconds, {high, low}, start.unix_seconds);
    }
    for (int dial = 0; dial < 501; ++dial) {
        ASSERT_TRUE(next_look(parts.dialler, read_clocks().steady));
        for (std::size_t index = 0; index < parts.result.endpoints.size(); ++index) {
            parts.dialler.on_dial_failed(index, DialError::refused);  // the one that was dialled
        }
    }
    const auto peers = addrman.peers();
    const auto is_dialled = [](const KnownPeer& peer) { return peer.last_attempt != 0; };
    EXPECT_EQ(std::ranges::count_if(peers, is_dialled), 501);
    EXPECT_EQ(parts.result.endpoints.size(), 500U);
}

}  // namespace
}  // namespace petal::net
