// Few enough histories for a build with sanitizers; more_histories_test.cpp plays the next ones.
#include <gtest/gtest.h>

#include "tests/net/sync/simulations/play_histories.h"

namespace petal {
namespace {

TEST(RandomHistories, EndInTheWholeTruth) {
    test::play_histories(1, 5);
}

}  // namespace
}  // namespace petal
