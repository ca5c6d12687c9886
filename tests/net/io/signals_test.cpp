#include "net/io/signals.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <cstdlib>

namespace petal::net {
namespace {

volatile sig_atomic_t handled = 0;

void handle(int) {
    handled = handled + 1;
}

/// Sets `handler` for SIGTERM during its lifetime.
class TermHandler {
public:
    explicit TermHandler(void (*handler)(int)) {
        struct sigaction action {};
        action.sa_handler = handler;
        action.sa_flags = SA_RESTART;
        sigaction(SIGTERM, &action, &before_);
    }
    ~TermHandler() { sigaction(SIGTERM, &before_, nullptr); }
    TermHandler(const TermHandler&) = delete;
    TermHandler& operator=(const TermHandler&) = delete;

private:
    struct sigaction before_ {};
};

TEST(StopSignalWatch, NotesASignalAndCallsItsHandler) {
    handled = 0;
    {
        const TermHandler handler(handle);
        const StopSignalWatch watch;
        EXPECT_FALSE(is_stop_requested());
        raise(SIGTERM);
        EXPECT_EQ(handled, 1);
        EXPECT_TRUE(is_stop_requested());
        const StopSignalWatch another;
        EXPECT_TRUE(is_stop_requested()) << "also with another run";
    }
    EXPECT_TRUE(is_stop_requested()) << "the output after the run";
    const StopSignalWatch next;
    EXPECT_FALSE(is_stop_requested());
    request_stop();
    EXPECT_TRUE(is_stop_requested());
}

TEST(StopSignalWatch, TakesASignalThatComesTwiceAtOnceForOne) {
    handled = 0;
    const TermHandler handler(handle);
    const StopSignalWatch watch;
    raise(SIGTERM);
    raise(SIGTERM);
    EXPECT_EQ(handled, 2);
}

TEST(StopSignalWatch, EndsTheProcessByASignalAfterOneThatDidNot) {
    const auto raise_for_ever = [] {
        const TermHandler handler(handle);
        const StopSignalWatch watch;
        for (;;) raise(SIGTERM);
    };
    EXPECT_EXIT(raise_for_ever(), testing::KilledBySignal(SIGTERM), "");
}

TEST(StopSignalWatch, LeavesDefaultAndIgnoredSignalsAlone) {
    for (void (*const action)(int) : {SIG_DFL, SIG_IGN}) {
        const TermHandler handler(action);
        const StopSignalWatch watch;
        struct sigaction now {};
        sigaction(SIGTERM, nullptr, &now);
        EXPECT_EQ(now.sa_handler, action);
    }
}

}  // namespace
}  // namespace petal::net
