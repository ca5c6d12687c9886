#include "wallet/keys/secret_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>

namespace petal::wallet {
namespace {

using Secret = SecretArray<32>;

TEST(SecretArray, IsZeroWhenMadeAndHoldsWhatItIsGiven) {
    EXPECT_EQ(Secret{}, Secret{chain::Bytes(32, 0)});
    chain::Bytes bytes(40, 7);
    bytes[31] = 8;
    const Secret secret{bytes};
    EXPECT_EQ(secret.view().back(), 8);
    EXPECT_EQ(secret.view().front(), 7);
    EXPECT_EQ(secret, Secret{chain::ByteView{bytes}.first(32)});
    EXPECT_FALSE(secret == Secret{});
}

TEST(SecretArray, LeavesNothingBehind) {
    alignas(Secret) std::array<std::byte, sizeof(Secret)> storage{};
    auto* const secret = new (storage.data()) Secret{chain::Bytes(32, 0xa5)};
    EXPECT_EQ(storage.front(), std::byte{0xa5});
    secret->~Secret();
    EXPECT_TRUE(std::all_of(storage.begin(), storage.end(),
                            [](std::byte byte) { return byte == std::byte{0}; }));
}

TEST(SecretBytes, GrowLikeAnyVector) {
    SecretBytes secret;
    for (int i = 0; i < 1'000; ++i) secret.push_back(static_cast<chain::Byte>(i));
    EXPECT_EQ(secret.size(), 1'000U);
    EXPECT_EQ(secret[999], 999 % 256);
    EXPECT_EQ(SecretBytes{secret}, secret);
}

}  // namespace
}  // namespace petal::wallet
