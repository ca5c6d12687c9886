#include "net/io/driver.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <optional>
#include <thread>
#include <utility>

#include "net/io/clocks.h"
#include "tests/net/io/scripted_peer.h"
#include "tests/support/test_chain.h"

namespace petal::net {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using std::chrono::steady_clock;
using test::ScriptedConnection;
using test::ScriptedPeer;

/// Dials one endpoint, once.
struct OneDial final : Dialler {
    std::optional<steady_clock::time_point> dial_more(Now /*now*/) override {
        if (!std::exchange(is_dialled, true)) driver->serve(0);
        return steady_clock::time_point::max();
    }
    const Endpoint& endpoint_at(std::size_t /*index*/) const override { return endpoint; }
    void on_dial_failed(std::size_t /*index*/, DialError /*error*/) override { driver->finish(); }

    Endpoint endpoint;
    Driver* driver = nullptr;
    bool is_dialled = false;
};

/// Is stopped as soon as it has a connection, from before its next deadline until after it. Judges
/// the peer at the first deadline after that, by the bytes that were read.
struct StoppedUser final : DriverUser {
    void on_no_peer_left() override {}
    void on_joined(PeerLink& link, PeerIdentity /*identity*/) override {
        joined = &link;
        is_written.wait();
        const auto due = std::max(steady_clock::time_point{deadline}, steady_clock::now());
        std::this_thread::sleep_until(due + 1'100ms);
    }
    void on_received(PeerLink& /*link*/) override {}
    void on_left(PeerLink& /*link*/) override {}
    milliseconds next_wake_up() const override { return deadline; }
    void on_wake_up(Now now) override {
        deadline = now.steady + 100ms;
        if (joined == nullptr) return;
        bytes_at_deadline = joined->connection().bytes_received();
        driver->finish();
    }
    void on_signal() override {}

    std::future<void> is_written;
    milliseconds deadline = read_clocks().steady + 100ms;
    PeerLink* joined = nullptr;
    Driver* driver = nullptr;
    std::uint64_t bytes_at_deadline = 0;
};

// As after a SIGSTOP or a slow disk. More bytes wait than one read takes.
TEST(Driver, ReadsWhatHasArrivedBeforeItJudgesPeersAfterAStop) {
    constexpr std::size_t kBytes = 60'000;
    std::promise<void> written;
    const ScriptedPeer peer{{[&](ScriptedConnection& connection) {
        connection.write(chain::Bytes(kBytes));
        written.set_value();
        connection.hold();
    }}};
    OneDial dialler;
    dialler.endpoint = peer.endpoint();
    StoppedUser user;
    user.is_written = written.get_future();
    DriverRoute route;
    route.magic = test::regtest_params().magic;
    Driver driver{user, dialler, route};
    dialler.driver = user.driver = &driver;
    driver.run();
    EXPECT_EQ(user.bytes_at_deadline, kBytes);
}

}  // namespace
}  // namespace petal::net
