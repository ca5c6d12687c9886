#include "net/io/progress_reporter.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

using namespace std::chrono_literals;

// Other processes take a sync that reports nothing for suspended.
TEST(ProgressReporter, GoesOnReportingWhileNothingHappens) {
    SpvOptions options;
    int reports = 0;
    options.events.on_progress = [&](const SyncStatus&, const Traffic&) { ++reports; };
    ProgressReporter reporter(options, [] { return Traffic{}; });
    SyncStatus status;
    status.phase = SyncPhase::listening;
    reporter.report_rest(status, 1'000ms);
    ASSERT_TRUE(reporter.is_idle(status));
    for (auto now = 1'500ms; now < 3'000ms; now += 500ms) reporter.report_rest(status, now);
    EXPECT_EQ(reports, 1);
    reporter.report_rest(status, 3'000ms);
    EXPECT_EQ(reports, 2);
}

}  // namespace
}  // namespace petal::net
