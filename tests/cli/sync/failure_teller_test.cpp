#include "cli/sync/failure_teller.h"

#include <gtest/gtest.h>

#include <sstream>

namespace petal::cli {
namespace {

using std::chrono::seconds;

/// A search for peers, and what is said of it on standard error.
class FailureTellerWhileSearching : public testing::Test {
protected:
    /// What is said of it at this time, in this phase.
    std::string told(seconds time, net::SyncPhase phase = net::SyncPhase::no_peer) {
        err_.str({});
        net::SyncStatus status;
        status.phase = phase;
        teller_.update(status, start_ + time);
        return err_.str();
    }

    std::istringstream in_;
    std::ostringstream out_;
    std::ostringstream err_;
    Console console_{in_, out_, err_, {}, /*no_colour=*/true};
    FailureTeller::Clock::time_point start_ = FailureTeller::Clock::now();
    FailureTeller teller_{console_, "regtest", /*searches=*/true, [] {}, [](auto&, auto&) {}};
    net::SpvResult so_far_;
};

TEST_F(FailureTellerWhileSearching, WarnsOnceOfEachTroubleWhileThereIsNoPeer) {
    EXPECT_EQ(told(seconds{60}), "") << "nothing has failed";
    so_far_.offline = true;
    teller_.on_failure(so_far_, {});
    EXPECT_EQ(told(seconds{4}), "") << "a search takes its time";
    const std::string offline = told(seconds{60});
    EXPECT_TRUE(offline.starts_with("warning: no peer yet: ")) << offline;
    EXPECT_TRUE(offline.ends_with("; petal goes on trying\n")) << offline;
    EXPECT_EQ(told(seconds{61}), "") << "it was told";

    so_far_.offline = false;
    const std::string unknown = told(seconds{62});
    EXPECT_TRUE(unknown.starts_with("warning: no peer yet: ")) << unknown;
    EXPECT_NE(unknown, offline);
}

TEST_F(FailureTellerWhileSearching, WarnsAgainOnceAPeerIsLost) {
    so_far_.offline = true;
    teller_.on_failure(so_far_, {});
    EXPECT_NE(told(seconds{60}), "");
    EXPECT_EQ(told(seconds{70}, net::SyncPhase::headers), "");
    EXPECT_EQ(told(seconds{74}), "") << "a search takes its time again";
    EXPECT_NE(told(seconds{75}), "");
}

}  // namespace
}  // namespace petal::cli
