/// Chains that must show their work before they are stored.
#include "chain/headers/header_presync.h"

#include <gtest/gtest.h>

#include <set>
#include <vector>

#include "chain/headers/header_chain.h"
#include "tests/support/test_chain.h"

namespace petal::chain {
namespace {

using test::kNow;

constexpr std::size_t kBatch = 2'000;
constexpr std::size_t kHonestLength = 21'000;
constexpr std::size_t kWorthyLength = 19'500;

PresyncTask task(std::uint64_t salt = 7) {
    return {genesis_anchor(test::regtest_params()), 2 * (kWorthyLength + 1), kNow, salt};
}

const std::vector<BlockHeader>& honest() {
    static const auto headers = test::mine_headers(test::regtest_params().genesis, kHonestLength);
    return headers;
}

// The headers message of a node with the chain `all` to the next request of the presync.
std::vector<HashedHeader> next(const HeaderPresync& presync, const std::vector<BlockHeader>& all) {
    const std::size_t from =
        presync.next_after() == test::regtest_params().genesis.hash() ? 0 : presync.height();
    const std::size_t end = std::min(all.size(), from + kBatch);
    return {all.begin() + static_cast<std::ptrdiff_t>(from),
            all.begin() + static_cast<std::ptrdiff_t>(end)};
}

void download_once(HeaderPresync& presync) {
    while (presync.phase() == HeaderPresync::Phase::first_download) {
        const auto worthy = presync.take(next(presync, honest()));
        ASSERT_TRUE(worthy);
        ASSERT_TRUE(worthy->empty());
    }
}

std::optional<PresyncError> take_error(HeaderPresync& presync, const BlockHeader& header) {
    const auto result = presync.take(std::vector{HashedHeader{header}});
    return result ? std::nullopt : std::optional(result.error());
}

TEST(HeaderPresync, GivesTheWholeChainOnceItHasShownItsWork) {
    HeaderPresync presync{test::regtest_params(), task()};
    download_once(presync);
    EXPECT_EQ(presync.phase(), HeaderPresync::Phase::second_download);
    EXPECT_EQ(presync.next_after(), test::regtest_params().genesis.hash());

    std::vector<BlockHeader> given;
    while (presync.phase() != HeaderPresync::Phase::done) {
        const auto worthy = presync.take(next(presync, honest()));
        ASSERT_TRUE(worthy);
        given.insert(given.end(), worthy->begin(), worthy->end());
        if (presync.phase() == HeaderPresync::Phase::done) break;
        // Bitcoin Core's buffer is 15,218 headers long on mainnet.
        ASSERT_EQ(given.size(), presync.height() - std::min(presync.height(), 15'218U));
    }
    EXPECT_EQ(given.size(), 20'000U)
        << "all headers up to the message that reaches the work are given";
    EXPECT_TRUE(std::equal(given.begin(), given.end(), honest().begin()));
    HeaderChain chain{test::regtest_params()};
    EXPECT_EQ(chain.accept(given, kNow).error, std::nullopt);
}

TEST(HeaderPresync, StartsAnywhere) {
    PresyncTask later = task();
    later.start = {1'000, honest()[999], 2 * 1'001};
    HeaderPresync presync{test::regtest_params(), later};
    EXPECT_EQ(presync.next_after(), honest()[999].hash());
    const std::vector<HashedHeader> headers(honest().begin() + 1'000, honest().end());
    ASSERT_TRUE(presync.take(headers));
    EXPECT_EQ(presync.phase(), HeaderPresync::Phase::second_download);
    EXPECT_EQ(presync.take(headers)->size(), kHonestLength - 1'000);
}

TEST(HeaderPresync, RefusesAnotherChainInTheSecondPass) {
    const auto other =
        test::mine_headers(test::regtest_params().genesis, kHonestLength, /*salt=*/1);
    for (std::uint64_t salt = 0; salt < 5; ++salt) {
        HeaderPresync presync{test::regtest_params(), task(salt)};
        download_once(presync);
        std::optional<PresyncError> error;
        while (!error) {
            const auto worthy = presync.take(next(presync, other));
            if (!worthy) {
                error = worthy.error();
            } else {
                ASSERT_TRUE(worthy->empty());
            }
        }
        EXPECT_EQ(error, PresyncError::another_chain);
    }
}

TEST(HeaderPresync, RemembersBitsThatNoPeerKnowsAtHeightsThatNoPeerKnows) {
    const auto twin = test::mine_headers(test::regtest_params().genesis, kHonestLength, /*salt=*/2);
    const auto detected_at = [&](std::uint64_t salt) {
        HeaderPresync presync{test::regtest_params(), task(salt)};
        download_once(presync);
        EXPECT_FALSE(presync.take({std::vector<HashedHeader>(twin.begin(), twin.end())}));
        return presync.height();
    };
    for (const std::uint64_t salt : {0U, 1U, 640U}) EXPECT_EQ(detected_at(salt) % 641, salt);
    std::set<std::uint32_t> heights;
    for (std::uint64_t i = 0; i < 5; ++i) heights.insert(detected_at(7 + 641 * i));
    EXPECT_GT(heights.size(), 1U) << "the bits at the same heights are others";
}

TEST(HeaderPresync, RefusesMoreBlocksThanTimeAllows) {
    PresyncTask early = task();
    early.now = std::int64_t{test::regtest_params().genesis.time} - 7200;
    HeaderPresync presync{test::regtest_params(), early};
    const std::vector<HashedHeader> headers(honest().begin(), honest().end());
    const auto result = presync.take(headers);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), PresyncError::too_long);
    EXPECT_LE(presync.height(), 2U * 641);
}

TEST(HeaderPresync, RefusesHeadersThatAreNotConnected) {
    HeaderPresync presync{test::regtest_params(), task()};
    EXPECT_EQ(take_error(presync, honest()[1]), PresyncError::not_connected);
}

TEST(HeaderPresync, RefusesHeadersWithoutWork) {
    HeaderPresync presync{test::regtest_params(), task()};
    BlockHeader header = honest()[0];
    while ((header.hash().bytes[31] & 0x80U) == 0) ++header.nonce;
    EXPECT_EQ(take_error(presync, header), PresyncError::insufficient_work);
}

TEST(HeaderPresync, RefusesTargetsThatNoNetworkAllows) {
    HeaderPresync presync{test::regtest_params(), task()};
    BlockHeader header = honest()[0];
    header.bits = 0x217fffff;
    EXPECT_EQ(take_error(presync, header), PresyncError::bad_target);
}

TEST(HeaderPresync, RefusesImpossibleDifficulty) {
    HeaderPresync presync{test::regtest_params(), task()};
    const BlockHeader& genesis = test::regtest_params().genesis;
    const BlockHeader header = test::mine_header(genesis, genesis.time + 1, {}, 0x207ffffe);
    EXPECT_EQ(take_error(presync, header), PresyncError::wrong_bits);
}

// Real retargets of mainnet that ran into a limit (Bitcoin Core: pow_tests.cpp).
TEST(PermittedTransition, LiesWithinAFactorOfFour) {
    const NetworkParams& mainnet = *find_network("mainnet");
    EXPECT_TRUE(is_permitted_transition(mainnet, 68'544, 0x1c05a3f4, 0x1c0168fd));
    EXPECT_FALSE(is_permitted_transition(mainnet, 68'544, 0x1c05a3f4, 0x1c0168fc));
    EXPECT_TRUE(is_permitted_transition(mainnet, 46'368, 0x1c387f6f, 0x1d00e1fd));
    EXPECT_FALSE(is_permitted_transition(mainnet, 46'368, 0x1c387f6f, 0x1d00e1fe));
    EXPECT_TRUE(is_permitted_transition(mainnet, 2'016, 0x1d00ffff, 0x1d00ffff));
    EXPECT_FALSE(is_permitted_transition(mainnet, 2'016, 0x1d00ffff, 0x1d010000));
}

TEST(PermittedTransition, IsNoneWithinAPeriod) {
    const NetworkParams& mainnet = *find_network("mainnet");
    EXPECT_TRUE(is_permitted_transition(mainnet, 68'545, 0x1c05a3f4, 0x1c05a3f4));
    EXPECT_FALSE(is_permitted_transition(mainnet, 68'545, 0x1c05a3f4, 0x1c0168fd));
    EXPECT_TRUE(is_permitted_transition(*find_network("testnet4"), 68'545, 0x1c05a3f4, 0x1d00ffff));
    EXPECT_FALSE(is_permitted_transition(test::regtest_params(), 144, 0x207fffff, 0x207ffffe));
}

TEST(PresyncErrors, SayWhatTheyAre) {
    std::set<std::string_view> texts;
    for (int i = 0; i <= static_cast<int>(PresyncError::another_chain); ++i) {
        texts.insert(describe(static_cast<PresyncError>(i)));
    }
    EXPECT_EQ(texts.size(), 6U);
    EXPECT_FALSE(texts.contains(""));
}

}  // namespace
}  // namespace petal::chain
