// Peers that deliver something now and then, each time just before they would time out.
#include "net/peer/slow_peer_detector.h"

#include <gtest/gtest.h>

namespace petal {
namespace {

using net::SlowPeerDetector;
using std::chrono::milliseconds;

constexpr milliseconds kStart{1'000};

/// Whether a peer is too slow that delivered this much while it owed blocks for this long.
bool is_too_slow(std::size_t blocks, std::size_t transactions,
                 milliseconds time = SlowPeerDetector::kWindow) {
    SlowPeerDetector detector;
    detector.observe(true, kStart);
    for (std::size_t i = 0; i < blocks; ++i) detector.on_block(i == 0 ? transactions : 0);
    detector.observe(true, kStart + time);
    return detector.is_too_slow();
}

TEST(SlowPeerDetector, FindsAPeerWithFewBlocksAndTransactionsInAWindow) {
    EXPECT_TRUE(
        is_too_slow(SlowPeerDetector::kLeastBlocks - 1, SlowPeerDetector::kLeastTransactions - 1));
    EXPECT_FALSE(is_too_slow(SlowPeerDetector::kLeastBlocks, 0));
    EXPECT_FALSE(is_too_slow(1, SlowPeerDetector::kLeastTransactions))
        << "large blocks over a slow line";
    EXPECT_FALSE(is_too_slow(1, 0, SlowPeerDetector::kWindow - milliseconds{1}));
}

TEST(SlowPeerDetector, JudgesEachWindowSeparately) {
    SlowPeerDetector detector;
    detector.observe(true, kStart);
    detector.observe(true, kStart + SlowPeerDetector::kWindow);
    EXPECT_TRUE(detector.is_too_slow());
    for (std::size_t i = 0; i < SlowPeerDetector::kLeastBlocks; ++i) detector.on_block(0);
    detector.observe(true, kStart + 2 * SlowPeerDetector::kWindow);
    EXPECT_FALSE(detector.is_too_slow());
    detector.observe(true, kStart + 3 * SlowPeerDetector::kWindow);
    EXPECT_TRUE(detector.is_too_slow()) << "deliveries before the window do not count";
}

TEST(SlowPeerDetector, DoesNotBlameAPeerWithoutOutstandingRequests) {
    SlowPeerDetector detector;
    detector.observe(true, kStart);
    detector.observe(false, kStart + milliseconds{1});
    detector.observe(true, kStart + SlowPeerDetector::kWindow);
    EXPECT_FALSE(detector.is_too_slow());
    detector.observe(true, kStart + 2 * SlowPeerDetector::kWindow);
    EXPECT_TRUE(detector.is_too_slow());
    detector.observe(false, kStart + 2 * SlowPeerDetector::kWindow);
    EXPECT_FALSE(detector.is_too_slow());
}

}  // namespace
}  // namespace petal
