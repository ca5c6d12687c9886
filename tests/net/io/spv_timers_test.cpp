#include "net/io/spv_timers.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

class SpvTimersTest : public testing::Test {
protected:
    static constexpr milliseconds kStart{1'000'000};

    SpvTimersTest() {
        options.events.on_progress = [this](const SyncStatus&, const Traffic&) { ++reports; };
    }

    /// Call this once the options are complete.
    void start() {
        timers.emplace(
            options, status, [] { return Traffic{}; }, [this] { ++timeouts; }, kStart);
    }
    /// The next deadline, in time after the start.
    milliseconds next() const { return timers->next().value() - kStart; }
    void wake(milliseconds after_start) { timers->wake({kStart + after_start, 0}); }

    /// Makes the reporter report everything at the start, so that no other report is due for long.
    void become_idle() {
        status.phase = SyncPhase::listening;
        start();
        wake(0ms);
        ASSERT_EQ(reports, 1);
    }

    SpvOptions options;
    SyncStatus status;
    int reports = 0;
    int timeouts = 0;
    std::optional<SpvTimers> timers;
};

// To another process, a sync that reports nothing would seem suspended.
TEST(ProgressReporter, GoesOnReportingWhileNothingHappens) {
    SpvOptions options;
    int reports = 0;
    options.events.on_progress = [&](const SyncStatus&, const Traffic&) { ++reports; };
    SyncStatus status;
    HeaderFlusher headers(options.saves, status, 0ms);
    ProgressReporter reporter(
        options, status, headers, [] { return Traffic{}; }, 0ms);
    Timers timers;
    timers.add(reporter);
    status.phase = SyncPhase::listening;
    timers.wake({1'000ms, 0});
    ASSERT_TRUE(reporter.is_idle());
    for (auto now = 1'500ms; now < 3'000ms; now += 500ms) timers.wake({now, 0});
    EXPECT_EQ(reports, 1);
    timers.wake({3'000ms, 0});
    EXPECT_EQ(reports, 2);
}

TEST_F(SpvTimersTest, ReportTenTimesASecondWhileMuchHappens) {
    start();
    EXPECT_EQ(next(), 100ms);
    wake(99ms);
    EXPECT_EQ(reports, 0);
    wake(100ms);
    EXPECT_EQ(reports, 1);
    EXPECT_EQ(next(), 200ms);
}

TEST_F(SpvTimersTest, ReportAnotherPhaseWithoutWaiting) {
    start();
    wake(100ms);
    status.phase = SyncPhase::handshake;
    wake(110ms);
    EXPECT_EQ(reports, 2);
    EXPECT_EQ(next(), 210ms);
}

TEST_F(SpvTimersTest, ReportAnEventSoonIfTheSyncWasIdle) {
    become_idle();
    EXPECT_EQ(next(), 2'000ms);
    timers->on_event();
    EXPECT_EQ(next(), 100ms);
    wake(100ms);
    EXPECT_EQ(reports, 2);
    EXPECT_EQ(next(), 2'100ms);
}

TEST_F(SpvTimersTest, FlushHeadersSomeTimeAfterTheyCame) {
    int flushes = 0;
    options.saves.flush_headers = [&] { ++flushes; };
    become_idle();
    timers->on_event();
    wake(1'950ms);
    ASSERT_EQ(next(), 3'950ms) << "no header has come";
    status.counts.headers = 1;
    EXPECT_EQ(next(), 2'000ms);
    wake(1'999ms);
    EXPECT_EQ(flushes, 0);
    wake(2'000ms);
    EXPECT_EQ(flushes, 1);
    EXPECT_EQ(next(), 3'950ms) << "the headers are flushed";
}

// Other processes compare what the report leads them to with the stored headers.
TEST_F(SpvTimersTest, FlushHeadersBeforeAReportThatAllBlocksAreIn) {
    int flushes = 0;
    int flushes_at_report = -1;
    options.saves.flush_headers = [&] { ++flushes; };
    options.events.on_progress = [&](const SyncStatus&, const Traffic&) {
        flushes_at_report = flushes;
    };
    start();
    status.phase = SyncPhase::blocks;
    status.counts.headers = 1;
    wake(100ms);
    EXPECT_EQ(flushes_at_report, 0) << "an initial search reports often";
    status.phase = SyncPhase::listening;
    wake(101ms);
    EXPECT_EQ(flushes_at_report, 1);
    wake(201ms);
    EXPECT_EQ(flushes, 1) << "nothing has come since";
    status.counts.headers = 2;
    wake(2'201ms);
    EXPECT_EQ(flushes_at_report, 2);
}

TEST_F(SpvTimersTest, FlushHeadersAtOnceIfManyArrive) {
    int flushes = 0;
    options.saves.flush_headers = [&] { ++flushes; };
    become_idle();
    status.counts.headers = HeaderFlusher::kArrivalsPerFlush - 1;
    status.counts.filtered_blocks = 1;
    EXPECT_EQ(next(), 0ms);
    wake(1ms);
    EXPECT_EQ(flushes, 1);
    status.counts.full_blocks = HeaderFlusher::kArrivalsPerFlush;
    wake(1ms);
    EXPECT_EQ(flushes, 2);
}

TEST_F(SpvTimersTest, SavePeersAtIntervalsWhetherOrNotAReportIsDue) {
    int saved = 0;
    options.saves.save_peers = [&] { ++saved; };
    options.saves.save_peers_every = 1'500ms;
    become_idle();
    EXPECT_EQ(next(), 1'500ms);
    wake(1'499ms);
    EXPECT_EQ(saved, 0);
    wake(1'500ms);
    EXPECT_EQ(saved, 1);
    EXPECT_EQ(reports, 1);
    wake(2'000ms);
    EXPECT_EQ(next(), 3'000ms);
}

TEST_F(SpvTimersTest, SaveAllAtTheEnd) {
    int flushes = 0;
    int saved = 0;
    start();
    timers->save_all();
    options.saves.flush_headers = [&] { ++flushes; };
    options.saves.save_peers = [&] { ++saved; };
    timers->save_all();
    EXPECT_EQ(flushes, 1);
    EXPECT_EQ(saved, 1);
}

TEST_F(SpvTimersTest, EndTheRunOnceByItsTimeout) {
    options.timeout = 1'234ms;
    become_idle();
    EXPECT_EQ(next(), 1'234ms);
    wake(1'233ms);
    EXPECT_EQ(timeouts, 0);
    wake(1'234ms);
    wake(1'300ms);
    EXPECT_EQ(timeouts, 1);
    EXPECT_EQ(next(), 2'000ms);
}

}  // namespace
}  // namespace petal::net
