#include "wallet/keys/secret_box.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "chain/hash.h"

namespace petal::wallet {
namespace {

using chain::as_bytes;
using chain::Bytes;
using chain::ByteView;

constexpr ScryptCost kCheap{4, 8, 1};
constexpr std::size_t kVersionOffset = 8;
constexpr std::size_t kCostOffset = 9;
constexpr std::size_t kOwnerOffset = 56;
constexpr std::size_t kCiphertextOffset = 88;
constexpr std::size_t kOverhead = 112;
constexpr SecretOwner kOwner{1, 2, 3};
constexpr std::size_t kChecksumBytes = 8;

std::string text_of(const SecretBytes& secret) {
    return {secret.begin(), secret.end()};
}

Bytes with_right_checksum(Bytes box) {
    box.resize(box.size() - kChecksumBytes);
    const auto hash = chain::sha256(box);
    box.insert(box.end(), hash.begin(), hash.begin() + kChecksumBytes);
    return box;
}

TEST(SecretBox, GivesBackWhatItHolds) {
    for (const std::string& secret : {std::string{}, std::string{"x"}, std::string(4'096, 's')}) {
        const Bytes box = seal_secret(as_bytes(secret), "tulip", kOwner, kCheap);
        EXPECT_EQ(box.size(), secret.size() + kOverhead);
        const auto opened = open_secret(box, "tulip", kOwner);
        ASSERT_TRUE(opened) << describe(opened.error());
        EXPECT_EQ(text_of(*opened), secret);
    }
}

TEST(SecretBox, HasTheIntendedCostByDefault) {
    const Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner);
    EXPECT_TRUE(std::ranges::equal(ByteView{box}.subspan(kCostOffset, 3), Bytes{17, 8, 1}));
    EXPECT_TRUE(open_secret(box, "tulip", kOwner));
}

// A box of the first version, sealed in Python with hashlib.scrypt and cryptography's
// ChaCha20Poly1305.
TEST(SecretBox, OpensWhatOthersSealed) {
    const Bytes box =
        chain::from_hex(
            "706574616c626f7801040801000102030405060708090a0b0c0d0e0f10111213141516171819"
            "1a1b1c1d1e1f6465666768696a6b6c6d6e6f10bb95e3ae39aa960e33c033a8a435d8e6a10e56"
            "574d07ea103ecae314be94373b4dc349ea")
            .value();
    const auto opened = open_secret(box, "tulip \xc3\xa9", kOwner);
    ASSERT_TRUE(opened) << describe(opened.error());
    EXPECT_EQ(text_of(*opened), "correct horse");
    EXPECT_EQ(open_secret(box, "tulip e", kOwner).error(), SecretBoxError::wrong_password);
}

TEST(SecretBox, NeedsTheExactPassword) {
    const Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    for (const std::string& password :
         {std::string{}, std::string{"Tulip"}, std::string{"tulip "}, std::string{" tulip"},
          std::string{"tuli"}, std::string{"tulips"}}) {
        const auto opened = open_secret(box, password, kOwner);
        ASSERT_FALSE(opened) << password;
        EXPECT_EQ(opened.error(), SecretBoxError::wrong_password);
    }
}

TEST(SecretBox, TellsDamageFromAWrongPassword) {
    const Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    for (std::size_t i = 0; i < box.size(); ++i) {
        Bytes damaged = box;
        damaged[i] ^= 0x10;
        for (const std::string password : {"tulip", "rose"}) {
            const auto opened = open_secret(damaged, password, kOwner);
            ASSERT_FALSE(opened) << i;
            EXPECT_EQ(opened.error(), SecretBoxError::damaged) << i;
        }
    }
}

TEST(SecretBox, IsDamagedWhenCutOrLengthened) {
    Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    for (std::size_t size = 0; size < box.size(); ++size) {
        const auto opened = open_secret(ByteView{box}.first(size), "tulip", kOwner);
        ASSERT_FALSE(opened) << size;
        EXPECT_EQ(opened.error(), SecretBoxError::damaged) << size;
    }
    box.push_back(0);
    EXPECT_EQ(open_secret(box, "tulip", kOwner).error(), SecretBoxError::damaged);
}

TEST(SecretBox, IsRefusedWhenCutEvenWithAValidChecksum) {
    const Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    for (std::size_t size = kChecksumBytes; size < box.size(); ++size) {
        const Bytes cut(box.begin(), box.begin() + static_cast<std::ptrdiff_t>(size));
        const auto opened = open_secret(with_right_checksum(cut), "tulip", kOwner);
        ASSERT_FALSE(opened) << size;
        EXPECT_EQ(opened.error(),
                  size < kOverhead ? SecretBoxError::damaged : SecretBoxError::wrong_password)
            << size;
    }
}

TEST(SecretBox, AuthenticatesEveryByte) {
    const Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    for (std::size_t i = 0; i < box.size() - kChecksumBytes; ++i) {
        Bytes forged = box;
        forged[i] ^= 1;
        EXPECT_FALSE(open_secret(with_right_checksum(forged), "tulip", kOwner)) << i;
    }
    Bytes forged = box;
    forged[kCiphertextOffset] ^= 1;
    EXPECT_EQ(open_secret(with_right_checksum(forged), "tulip", kOwner).error(),
              SecretBoxError::wrong_password);
}

TEST(SecretBox, SaysThatANewerVersionIsNewer) {
    Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    box[kVersionOffset] = 3;
    EXPECT_EQ(open_secret(with_right_checksum(box), "tulip", kOwner).error(),
              SecretBoxError::newer_version);
    box[kVersionOffset] = 0;
    EXPECT_EQ(open_secret(with_right_checksum(box), "tulip", kOwner).error(),
              SecretBoxError::damaged);
    // The box of a later version may be shorter than the header of this version.
    const Bytes start(box.begin(), box.begin() + 9);
    Bytes newer = start;
    newer[kVersionOffset] = 200;
    newer.resize(9 + kChecksumBytes);
    EXPECT_EQ(open_secret(with_right_checksum(newer), "tulip", kOwner).error(),
              SecretBoxError::newer_version);
}

TEST(SecretBox, IsDamagedIfItsMagicIsWrong) {
    const Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    for (std::size_t i = 0; i < kVersionOffset; ++i) {
        Bytes other = box;
        other[i] ^= 1;
        EXPECT_EQ(open_secret(with_right_checksum(other), "tulip", kOwner).error(),
                  SecretBoxError::damaged)
            << i;
    }
}

TEST(SecretBox, OpensForItsOwnerAlone) {
    SecretOwner other = kOwner;
    other[31] = 1;
    const Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    EXPECT_TRUE(open_secret(box, "tulip", kOwner));
    EXPECT_EQ(open_secret(box, "tulip", other).error(), SecretBoxError::other_owner);
    EXPECT_EQ(open_secret(box, "rose", other).error(), SecretBoxError::other_owner);

    // An attacker writes the other owner into the box.
    Bytes forged = box;
    std::copy(other.begin(), other.end(), forged.begin() + kOwnerOffset);
    EXPECT_EQ(open_secret(with_right_checksum(forged), "tulip", other).error(),
              SecretBoxError::wrong_password);

    // An attacker turns the box into one of the first version, which had no owner.
    Bytes older = box;
    older[kVersionOffset] = 1;
    EXPECT_EQ(open_secret(with_right_checksum(older), "tulip", other).error(),
              SecretBoxError::wrong_password);
    older.erase(older.begin() + kOwnerOffset, older.begin() + kCiphertextOffset);
    EXPECT_EQ(open_secret(with_right_checksum(older), "tulip", other).error(),
              SecretBoxError::wrong_password);
}

struct CostCase {
    ScryptCost cost;
    bool supported;
};

TEST(SecretBox, DoesNoMoreWorkThanItsLimit) {
    const Bytes box = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    for (const CostCase& c : std::initializer_list<CostCase>{{{0, 8, 1}, false},
                                                             {{1, 8, 1}, true},
                                                             {{4, 0, 1}, false},
                                                             {{4, 1, 0}, false},
                                                             {{4, 8, 4}, true},
                                                             {{4, 8, 5}, false},
                                                             {{15, 1, 1}, true},
                                                             {{16, 1, 1}, false},
                                                             {{18, 8, 1}, true},
                                                             {{18, 9, 1}, false},
                                                             {{19, 8, 1}, false},
                                                             {{255, 255, 1}, false},
                                                             {{63, 8, 1}, false},
                                                             {{10, 255, 1}, true}}) {
        Bytes changed = box;
        changed[kCostOffset] = c.cost.log2_n;
        changed[kCostOffset + 1] = c.cost.r;
        changed[kCostOffset + 2] = c.cost.p;
        const auto opened = open_secret(with_right_checksum(changed), "tulip", kOwner);
        ASSERT_FALSE(opened);
        EXPECT_EQ(opened.error(),
                  c.supported ? SecretBoxError::wrong_password : SecretBoxError::unsupported_cost)
            << int{c.cost.log2_n} << ' ' << int{c.cost.r} << ' ' << int{c.cost.p};
    }
}

TEST(SecretBox, HoldsNoMoreThanItsLimit) {
    const Bytes box = seal_secret(Bytes(kMaxSecretBytes, 1), "tulip", kOwner, kCheap);
    Bytes longer = box;
    longer.insert(longer.begin() + kCiphertextOffset, 0);
    EXPECT_EQ(open_secret(with_right_checksum(longer), "tulip", kOwner).error(),
              SecretBoxError::damaged);
}

TEST(SecretBox, DiffersEachTime) {
    const Bytes one = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    const Bytes other = seal_secret(as_bytes("secret"), "tulip", kOwner, kCheap);
    EXPECT_FALSE(
        std::ranges::equal(ByteView{one}.subspan(12, 32), ByteView{other}.subspan(12, 32)));
    EXPECT_FALSE(
        std::ranges::equal(ByteView{one}.subspan(44, 12), ByteView{other}.subspan(44, 12)));
    EXPECT_FALSE(std::ranges::equal(ByteView{one}.subspan(kCiphertextOffset),
                                    ByteView{other}.subspan(kCiphertextOffset)));
}

}  // namespace
}  // namespace petal::wallet
