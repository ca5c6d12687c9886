#include "chain/hash.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>
#include <set>
#include <span>
#include <string>
#include <thread>
#include <type_traits>
#include <vector>

#include "chain/transaction.h"
#include "tests/support/hex.h"

namespace petal::chain {
namespace {

using namespace petal::test::literals;

std::string hex(ByteView bytes) {
    return to_hex(bytes);
}

// FIPS 180-2, appendix B.
TEST(Sha256, HashesTheStandardsExamples) {
    EXPECT_EQ(hex(sha256(as_bytes(""))),
              "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    EXPECT_EQ(hex(sha256(as_bytes("abc"))),
              "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    const std::string million(1'000'000, 'a');
    EXPECT_EQ(hex(sha256(as_bytes(million))),
              "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST(Sha256, HashesPartsAsTheirConcatenation) {
    EXPECT_EQ(sha256({as_bytes("a"), as_bytes(""), as_bytes("bc")}), sha256(as_bytes("abc")));
    EXPECT_EQ(sha256d({as_bytes("a"), as_bytes("bc")}), sha256d(as_bytes("abc")));
}

TEST(Sha256, WorksOnEveryThread) {
    std::array<Byte, 32> other{};
    std::thread([&] { other = sha256(as_bytes("abc")); }).join();
    EXPECT_EQ(other, sha256(as_bytes("abc")));
}

// The hash of an empty message; its first four bytes are the checksum of every `verack`.
TEST(Sha256d, HashesTwice) {
    EXPECT_EQ(hex(sha256d(ByteView{}).view()),
              "5df6e0e2761359d30a8275058e299fcc0381534545f55cf43e41983f5d4c9456");
}

// Of all sizes around the limits of blocks, and some that are hashed in another way.
TEST(Sha256dAll, HashesEachMessageAsItsConcatenation) {
    Bytes bytes(10'000);
    std::iota(bytes.begin(), bytes.end(), Byte{1});
    std::vector<HashJob> jobs;
    std::vector<std::size_t> sizes{3'999, 4'000, 4'001, 9'000};
    for (std::size_t size = 0; size < 300; ++size) sizes.insert(sizes.begin() + 2, size);
    std::vector<Hash256> hashes(sizes.size());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const ByteView message = ByteView(bytes).subspan(i, sizes[i]);
        const std::size_t first = sizes[i] / 3;
        jobs.push_back(
            {{message.first(first), message.subspan(first, first), message.subspan(2 * first)},
             &hashes[i].bytes});
    }
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, jobs.size()}) {
        std::ranges::fill(hashes, Hash256{});
        sha256d_all(std::span(jobs).first(count));
        for (std::size_t i = 0; i < sizes.size(); ++i) {
            const Hash256 expected = sha256d(ByteView(bytes).subspan(i, sizes[i]));
            EXPECT_EQ(hashes[i], i < count ? expected : Hash256{}) << sizes[i];
        }
    }
}

TEST(Sha256dPairs, ReplacesEachTwoHashes) {
    for (const std::size_t pairs : {0U, 1U, 2U, 63U, 64U, 65U, 200U}) {
        std::vector<Hash256> hashes;
        for (std::size_t i = 0; i < 2 * pairs; ++i) {
            hashes.push_back(sha256d(as_bytes(std::to_string(i))));
        }
        std::vector<Hash256> expected;
        for (std::size_t i = 0; i < pairs; ++i) {
            expected.push_back(sha256d({hashes[2 * i].view(), hashes[2 * i + 1].view()}));
        }
        sha256d_pairs(hashes);
        EXPECT_EQ(hashes, expected);
    }
}

// The compressed public key of the secret 1, from BIP143's and Bitcoin Core's key vectors.
TEST(Hash160, HashesAPublicKey) {
    EXPECT_EQ(
        hex(hash160("0279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"_hex)),
        "751e76e8199196d454941c45d1b3a323f1433bd6");
    EXPECT_EQ(hex(hash160({})), "b472a266d0bd89c13706a4132ccfb16f7c3b9fcb");
}

// The tweak of a key without scripts, from BIP341's wallet vectors.
TEST(TaggedHash, MatchesTaprootsTweak) {
    const Bytes key = "d6889cb081036e0faefa3a35157ad71086b123b2b144b649798b494c300a961d"_hex;
    EXPECT_EQ(hex(tagged_hash("TapTweak", key)),
              "b86e7be8f39bab32a6f2c0443abbc210f0edac0e2c53d501b36b64437d9c6c70");
    EXPECT_NE(tagged_hash("TapTweek", key), tagged_hash("TapTweak", key));
}

TEST(TaggedHashes, AreReversedInText) {
    Txid txid;
    txid.bytes[0] = 0x01;
    txid.bytes[31] = 0xf0;
    const std::string text = "f000000000000000000000000000000000000000000000000000000000000001";
    EXPECT_EQ(txid.to_hex(), text);
    EXPECT_EQ(Txid::from_hex(text), txid);
    EXPECT_EQ(Txid::from_view(txid.view()), txid);
    EXPECT_FALSE(txid.is_zero());
    EXPECT_TRUE(Txid{}.is_zero());
}

TEST(TaggedHashes, ReadExactly64Digits) {
    EXPECT_TRUE(Txid::from_hex(std::string(64, 'a')));
    EXPECT_FALSE(Txid::from_hex(std::string(62, 'a')));
    EXPECT_FALSE(Txid::from_hex(std::string(63, 'a')));
    EXPECT_FALSE(Txid::from_hex(std::string(66, 'a')));
    EXPECT_FALSE(Txid::from_hex(std::string(64, 'g')));
    EXPECT_FALSE(Txid::from_hex(""));
}

TEST(TaggedHashes, AreDifferentTypesByTag) {
    static_assert(!std::is_convertible_v<Txid, Wtxid>);
    static_assert(!std::is_convertible_v<BlockHash, Txid>);
}

TEST(TableHash, IsSipHash24) {
    // Bitcoin Core's vector (hash_tests.cpp: siphash): the bytes of the key and of the message
    // count up from 0.
    std::array<Byte, 32> message;
    std::iota(message.begin(), message.end(), Byte{0});
    std::array<Byte, 16> key;
    std::copy_n(message.begin(), key.size(), key.begin());
    salt_tables(key);
    const std::uint64_t of_hash = table_hash(message);
    const std::uint64_t of_outpoint = table_hash(message, 0x23222120);
    salt_tables({});
    EXPECT_EQ(of_hash, 0x7127512f72f27cceU);
    EXPECT_EQ(of_outpoint, 0x314dffbe0815a3b4U);
}

TEST(TableHash, OfTxidsAndOutpointsFollowsFromEveryByteAndTheKey) {
    const Txid txid;
    std::set<std::size_t> found{std::hash<Txid>{}(txid), std::hash<Outpoint>{}({txid, 0}),
                                std::hash<Outpoint>{}({txid, 1})};
    for (std::size_t i = 0; i < txid.bytes.size(); ++i) {
        Txid other = txid;
        other.bytes[i] = 1;
        found.insert(std::hash<Txid>{}(other));
        found.insert(std::hash<Outpoint>{}({other, 0}));
    }
    salt_tables({1});
    found.insert(std::hash<Txid>{}(txid));
    found.insert(std::hash<Outpoint>{}({txid, 0}));
    salt_tables({});
    EXPECT_EQ(found.size(), 3U + 64U + 2U);
}

}  // namespace
}  // namespace petal::chain
