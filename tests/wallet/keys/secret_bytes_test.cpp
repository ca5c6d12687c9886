#include "wallet/keys/secret_bytes.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <new>
#include <span>
#include <string_view>
#include <utility>

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

/// Whether the memory of a SecretString holds part of `text` after `use` has used and destroyed it.
template <typename Use>
bool leaves_behind(std::string_view text, Use use) {
    alignas(SecretString) std::array<char, sizeof(SecretString)> storage{};
    auto* const secret = new (storage.data()) SecretString(text);
    use(*secret);
    const std::string_view end = text.substr(text.size() - 3);
    return std::search(storage.begin(), storage.end(), end.begin(), end.end()) != storage.end();
}

TEST(SecretString, LeavesNothingOfAShortTextBehind) {
    constexpr std::string_view kPassword = "hunter2 hunter9";  // the longest within a string
    EXPECT_TRUE(leaves_behind(kPassword, [](SecretString& /*kept*/) {}));
    EXPECT_FALSE(leaves_behind(kPassword, [](SecretString& secret) { secret.~SecretString(); }));
    EXPECT_FALSE(leaves_behind(kPassword, [&](SecretString& secret) {
        const SecretString moved(std::move(secret));
        EXPECT_EQ(moved, kPassword);
    }));
    EXPECT_FALSE(leaves_behind(kPassword, [&](SecretString& secret) {
        SecretString assigned;
        assigned = std::move(secret);
        EXPECT_EQ(assigned, kPassword);
    }));
    EXPECT_FALSE(leaves_behind(kPassword, [](SecretString& secret) {
        secret.resize(100, 'x');  // now on the heap, with a part of the password left in the string
        secret.~SecretString();
    }));
}

TEST(SecretString, LeavesNothingOfAConcatenationBehind) {
    const auto is_wiped = [](const SecretString::Text& text) {
        return std::ranges::count(std::span(text.data(), text.capacity()), '\0') ==
               static_cast<std::ptrdiff_t>(text.capacity());
    };
    SecretString::Text text = SecretString("hunter") + "2";
    SecretString taken = std::move(text);
    EXPECT_EQ(taken, "hunter2");
    EXPECT_TRUE(is_wiped(text));
    SecretString::Text other = SecretString("hunter") + "3";
    taken = std::move(other);
    EXPECT_EQ(taken, "hunter3");
    EXPECT_TRUE(is_wiped(other));
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
