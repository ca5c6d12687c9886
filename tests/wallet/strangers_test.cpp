#include "wallet/strangers.h"

#include <gtest/gtest.h>

#include "tests/wallet/wallet_scene.h"

namespace petal::wallet {
namespace {

Strangers::Stranger stranger(std::uint32_t number, std::size_t script_bytes = 10) {
    auto transaction = test::spend({test::foreign_coin(number)}, {{1, chain::Bytes(script_bytes)}});
    return {transaction.txid(), transaction, number};
}

bool anyone(const Strangers::Stranger&) {
    return true;
}

TEST(Strangers, GivesOutTheFirstThatIsWantedOnce) {
    Strangers strangers;
    EXPECT_FALSE(strangers.take_first(anyone));
    for (const std::uint32_t number : {1U, 2U, 3U}) strangers.add(stranger(number));
    const auto later = [](const Strangers::Stranger& s) { return s.seen_time >= 2; };

    EXPECT_EQ(strangers.take_first(later)->seen_time, 2);
    EXPECT_EQ(strangers.take_first(later)->seen_time, 3);
    EXPECT_FALSE(strangers.take_first(later));
    EXPECT_EQ(strangers.take_first(anyone)->txid, stranger(1).txid);
    EXPECT_EQ(strangers.size(), 0U);
}

TEST(Strangers, KeepsOneOfEach) {
    Strangers strangers;
    strangers.add(stranger(1));
    strangers.add(stranger(1));
    EXPECT_EQ(strangers.size(), 1U);
}

TEST(Strangers, ForgetsTheOldestAboveTheCount) {
    Strangers strangers;
    for (std::uint32_t number = 0; number <= Strangers::kMaxCount; ++number) {
        strangers.add(stranger(number));
    }
    EXPECT_EQ(strangers.size(), Strangers::kMaxCount);
    EXPECT_EQ(strangers.take_first(anyone)->seen_time, 1);
}

TEST(Strangers, ForgetsTheOldestAboveTheBytes) {
    Strangers strangers;
    constexpr std::size_t kScript = 100'000;
    const std::size_t overhead = stranger(0, kScript).transaction.serialize().size() - kScript;
    const std::size_t half = Strangers::kMaxBytes / 2 - overhead;
    strangers.add(stranger(1, half));
    strangers.add(stranger(2, half));
    EXPECT_EQ(strangers.size(), 2U);
    strangers.add(stranger(3));
    EXPECT_EQ(strangers.size(), 2U);
    EXPECT_EQ(strangers.take_first(anyone)->seen_time, 2);

    strangers.add(stranger(4, Strangers::kMaxBytes));
    EXPECT_EQ(strangers.size(), 1U) << "too long by itself";
}

}  // namespace
}  // namespace petal::wallet
