#include "wallet/keys/secp256k1.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "chain/bytes.h"
#include "chain/hash.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::from_hex;
using chain::to_hex;

// The curve's order and the multiples of its generator (SEC 2, section 2.4.1).
constexpr std::string_view kOrder =
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
constexpr std::string_view kOrderLessOne =
    "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364140";
constexpr std::string_view kG =
    "0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
constexpr std::string_view kMinusG =
    "0379be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798";
constexpr std::string_view kTwoG =
    "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";

Bytes number(std::uint8_t value) {
    Bytes bytes(32);
    bytes.back() = value;
    return bytes;
}

Bytes bytes_of(std::string_view hex) {
    return from_hex(hex).value();
}

std::string public_hex(const Bytes& private_key) {
    return to_hex(PrivateKey::parse(private_key).value().public_key().compressed());
}

// BIP341's wallet test vectors, the first of scriptPubKey. Both public keys with this x give the
// same output key.
TEST(PublicKey, GivesItsTaprootOutputKey) {
    for (const std::string prefix : {"02", "03"}) {
        const auto key = PublicKey::parse(
            bytes_of(prefix + "d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d"));
        EXPECT_EQ(to_hex(key.value().taproot_output_key()),
                  "53a1f6e454df1aa2776a2814a721372d6258050de330b3c6d10ee8f4e0dda343");
    }
}

TEST(PrivateKey, IsFromOneToTheOrderLessOne) {
    EXPECT_FALSE(PrivateKey::parse(number(0)));
    EXPECT_TRUE(PrivateKey::parse(number(1)));
    EXPECT_TRUE(PrivateKey::parse(bytes_of(kOrderLessOne)));
    EXPECT_FALSE(PrivateKey::parse(bytes_of(kOrder)));
    EXPECT_FALSE(PrivateKey::parse(Bytes(32, 0xff)));
}

TEST(PrivateKey, HasThirtyTwoBytes) {
    EXPECT_FALSE(PrivateKey::parse(Bytes{}));
    EXPECT_FALSE(PrivateKey::parse(Bytes(31, 1)));
    EXPECT_TRUE(PrivateKey::parse(Bytes(32, 1)));
    EXPECT_FALSE(PrivateKey::parse(Bytes(33, 1)));
}

TEST(PrivateKey, GivesItsPublicKey) {
    EXPECT_EQ(public_hex(number(1)), kG);
    EXPECT_EQ(public_hex(number(2)), kTwoG);
    EXPECT_EQ(public_hex(bytes_of(kOrderLessOne)), kMinusG);
}

TEST(PrivateKey, AddsModuloTheOrder) {
    const auto one = PrivateKey::parse(number(1)).value();
    EXPECT_EQ(to_hex(one.add(KeyTweak{number(1)}).value().view()), to_hex(number(2)));
    const auto last = PrivateKey::parse(bytes_of(kOrderLessOne)).value();
    EXPECT_EQ(to_hex(last.add(KeyTweak{number(2)}).value().view()), to_hex(number(1)));
    EXPECT_EQ(to_hex(one.add(KeyTweak{number(0)}).value().view()), to_hex(number(1)));
}

TEST(PrivateKey, RefusesASumOfZeroAndATweakOutOfRange) {
    const auto last = PrivateKey::parse(bytes_of(kOrderLessOne)).value();
    EXPECT_FALSE(last.add(KeyTweak{number(1)}));
    EXPECT_FALSE(last.add(KeyTweak{bytes_of(kOrder)}));
    EXPECT_TRUE(last.add(KeyTweak{bytes_of(kOrderLessOne)}));
}

TEST(PublicKey, ReadsAndWritesItsCompressedForm) {
    for (const std::string_view hex : {kG, kMinusG, kTwoG}) {
        const auto key = PublicKey::parse(bytes_of(hex));
        ASSERT_TRUE(key);
        EXPECT_EQ(to_hex(key->compressed()), hex);
    }
}

TEST(PublicKey, IsAPointOfTheCurve) {
    Bytes not_on_curve(33);
    not_on_curve.front() = 2;
    not_on_curve.back() = 7;  // x³ + 7 has no square root (BIP32, test vector 5)
    EXPECT_FALSE(PublicKey::parse(not_on_curve));
    not_on_curve.back() = 1;
    EXPECT_TRUE(PublicKey::parse(not_on_curve));
}

TEST(PublicKey, IsReadInItsCompressedFormAlone) {
    Bytes bytes = bytes_of(kG);
    for (const chain::Byte prefix : Bytes{0, 1, 4, 5, 6, 7, 0xff}) {
        bytes.front() = prefix;
        EXPECT_FALSE(PublicKey::parse(bytes)) << int{prefix};
    }
    // The uncompressed generator G.
    EXPECT_FALSE(PublicKey::parse(
        bytes_of("0479be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
                 "483ada7726a3c4655da4fbfc0e1108a8fd17b448a68554199c47d08ffb10d4b8")));
    for (std::size_t size = 0; size < 33; ++size) {
        EXPECT_FALSE(PublicKey::parse(chain::ByteView{bytes_of(kG)}.first(size))) << size;
    }
}

void expect_sums_with_the_generator() {
    const auto g = PublicKey::parse(bytes_of(kG)).value();
    EXPECT_EQ(to_hex(g.add(KeyTweak{number(1)}).value().compressed()), kTwoG);
    EXPECT_EQ(g.add(KeyTweak{number(0)}), g);
    EXPECT_FALSE(g.add(KeyTweak{bytes_of(kOrderLessOne)}));  // infinity
    EXPECT_FALSE(g.add(KeyTweak{bytes_of(kOrder)}));
}

TEST(PublicKey, AddsATweakAsThePrivateKeyDoes) {
    expect_sums_with_the_generator();
}

// After the first few tweaks, further tweaks are added by another method.
TEST(PublicKey, AddsManyTweaksAsThePrivateKeyDoes) {
    const auto secret = PrivateKey::parse(number(7)).value();
    const PublicKey key = secret.public_key();
    const auto expect_sum = [&](const Bytes& tweak) {
        const auto sum = key.add(KeyTweak{tweak});
        ASSERT_TRUE(sum);
        EXPECT_EQ(*sum, secret.add(KeyTweak{tweak}).value().public_key()) << to_hex(tweak);
    };
    for (std::uint8_t first = 1; first < 5; ++first) {
        for (int last = 0; last < 256; ++last) {
            const Bytes text{first, static_cast<chain::Byte>(last)};
            const auto hash = chain::sha256(text);
            expect_sum({hash.begin(), hash.end()});
        }
    }
    for (std::size_t place = 0; place < 32; ++place) {
        for (const chain::Byte digit : Bytes{1, 0x80, 0xfe}) {
            Bytes tweak(32);
            tweak[place] = digit;
            expect_sum(tweak);
        }
    }
    expect_sum(number(7));  // the sum of two equal points
    expect_sums_with_the_generator();
}

}  // namespace
}  // namespace petal::wallet
