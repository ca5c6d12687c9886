#include "wallet/ledger/orphan_pool.h"

#include <gtest/gtest.h>

#include "tests/support/wallet_scene.h"

namespace petal::wallet {
namespace {

OrphanPool::Orphan orphan(std::uint32_t number, std::size_t script_bytes = 10) {
    auto transaction = test::spend({test::foreign_coin(number)}, {{1, chain::Bytes(script_bytes)}});
    return {transaction.txid(), transaction, number};
}

bool anyone(const OrphanPool::Orphan&) {
    return true;
}

std::size_t size_of(OrphanPool& orphans) {
    std::size_t size = 0;
    orphans.take_first([&size](const OrphanPool::Orphan&) {
        ++size;
        return false;
    });
    return size;
}

TEST(OrphanPool, TakesTheFirstMatchingOrphanOnce) {
    OrphanPool orphans;
    EXPECT_FALSE(orphans.take_first(anyone));
    for (const std::uint32_t number : {1U, 2U, 3U}) orphans.add(orphan(number));
    const auto later = [](const OrphanPool::Orphan& s) { return s.seen_time >= 2; };

    EXPECT_EQ(orphans.take_first(later)->seen_time, 2);
    EXPECT_EQ(orphans.take_first(later)->seen_time, 3);
    EXPECT_FALSE(orphans.take_first(later));
    EXPECT_EQ(orphans.take_first(anyone)->txid, orphan(1).txid);
    EXPECT_EQ(size_of(orphans), 0U);
}

TEST(OrphanPool, KeepsEachOrphanOnce) {
    OrphanPool orphans;
    orphans.add(orphan(1));
    orphans.add(orphan(1));
    EXPECT_EQ(size_of(orphans), 1U);
}

TEST(OrphanPool, ForgetsTheOldestAboveTheCount) {
    OrphanPool orphans;
    for (std::uint32_t number = 0; number <= OrphanPool::kMaxCount; ++number) {
        orphans.add(orphan(number));
    }
    EXPECT_EQ(size_of(orphans), OrphanPool::kMaxCount);
    EXPECT_EQ(orphans.take_first(anyone)->seen_time, 1);
}

TEST(OrphanPool, ForgetsTheOldestAboveTheBytes) {
    OrphanPool orphans;
    constexpr std::size_t kScript = 100'000;
    const std::size_t overhead = orphan(0, kScript).transaction.serialize().size() - kScript;
    const std::size_t half = OrphanPool::kMaxBytes / 2 - overhead;
    orphans.add(orphan(1, half));
    orphans.add(orphan(2, half));
    EXPECT_EQ(size_of(orphans), 2U);
    orphans.add(orphan(3));
    EXPECT_EQ(size_of(orphans), 2U);
    EXPECT_EQ(orphans.take_first(anyone)->seen_time, 2);

    orphans.add(orphan(4, OrphanPool::kMaxBytes));
    EXPECT_EQ(size_of(orphans), 1U) << "this orphan alone is too large";
}

}  // namespace
}  // namespace petal::wallet
