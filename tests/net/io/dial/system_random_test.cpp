#include "net/io/dial/system_random.h"

#include <gtest/gtest.h>

#include <array>

#include "chain/hash.h"

namespace petal::net {
namespace {

TEST(SystemRandom, SaltsTablesDifferentlyEachTime) {
    const std::array<chain::Byte, 32> hash{};
    const auto unsalted = chain::table_hash(hash);
    salt_tables();
    const auto first = chain::table_hash(hash);
    salt_tables();
    const auto second = chain::table_hash(hash);
    chain::salt_tables({});
    EXPECT_NE(first, unsalted);
    EXPECT_NE(second, first);
}

}  // namespace
}  // namespace petal::net
