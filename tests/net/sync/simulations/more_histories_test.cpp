// The histories after those of histories_test.cpp.
#include <gtest/gtest.h>

#include "tests/net/sync/simulations/play_histories.h"

namespace petal {
namespace {

TEST(MoreRandomHistories, EndInTheWholeTruth) {
    test::play_histories(6, 40);
}

}  // namespace
}  // namespace petal
