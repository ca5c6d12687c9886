/// Header chains that start at an anchor.
#include "chain/headers/anchors.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <limits>
#include <sstream>
#include <string>
#include <vector>

#include "chain/headers/header_file.h"
#include "chain/headers/proof_of_work.h"
#include "tests/chain/headers/best_branch.h"
#include "tests/chain/headers/small_network.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/test_chain.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

namespace fs = std::filesystem;

using test::kNow;

constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::min();

const NetworkParams& mainnet() {
    return *find_network("mainnet");
}

TEST(Anchors, AreBlocksThatOpenAPeriodAndMeetTheirTargets) {
    for (const NetworkParams& network : all_networks()) {
        SCOPED_TRACE(network.name);
        Anchor before = anchor_at(network, 0);
        EXPECT_EQ(before, genesis_anchor(network));
        for (std::size_t place = 1; place < anchor_count(network); ++place) {
            const Anchor anchor = anchor_at(network, place);
            const auto target = decode_target(anchor.header.bits, network.pow_limit);
            ASSERT_TRUE(target);
            EXPECT_TRUE(meets_target(anchor.header.hash(), *target)) << anchor.height;
            EXPECT_EQ(anchor.height % network.retarget_interval, 0U);
            EXPECT_GT(anchor.height, before.height);
            EXPECT_GT(anchor.chainwork, before.chainwork);
            EXPECT_EQ(find_anchor(network, anchor.height), anchor);
            before = anchor;
        }
    }
    EXPECT_EQ(anchor_count(mainnet()), 219U);
    EXPECT_EQ(anchor_count(*find_network("testnet4")), 1U);
    EXPECT_EQ(anchor_count(test::regtest_params()), 1U);
    EXPECT_EQ(find_anchor(mainnet(), 1), std::nullopt);
    EXPECT_EQ(find_anchor(mainnet(), 1'000'000), std::nullopt);
}

TEST(Anchors, OfMainnetMatchPublicValues) {
    const Anchor last = anchor_at(mainnet(), anchor_count(mainnet()) - 1);
    EXPECT_EQ(last.height, 878'976U);
    EXPECT_EQ(to_hex(last.chainwork), "a6e78db05939f5b7a956f47b");
    EXPECT_LT(last.chainwork, mainnet().minimum_chainwork);
}

TEST(Anchors, AreThoseOfTheRecordedHeaders) {
    for (const std::string name : {"mainnet", "testnet3", "signet"}) {
        const auto text = test::read_test_data("vectors/headers_every_2016_" + name + ".txt");
        if (!text) GTEST_SKIP() << test::kNoTestData;
        const NetworkParams& network = *find_network(name);
        std::istringstream lines(*text);
        std::uint32_t height = 0;
        std::string work;
        std::string header;
        std::size_t found = 1;
        while (lines >> height >> work >> header) {
            const auto anchor = find_anchor(network, height);
            if (!anchor) continue;
            EXPECT_EQ(anchor->chainwork, uint256_from_hex(work));
            EXPECT_EQ(to_hex(anchor->header.serialize()), header);
            ++found;
        }
        EXPECT_EQ(found, anchor_count(network));
    }
}

TEST(Anchors, LieADayBeforeABirthday) {
    const Anchor anchor = *find_anchor(mainnet(), 878'976 - 4'032);
    const Anchor next = *find_anchor(mainnet(), 878'976);
    EXPECT_EQ(anchor_before(mainnet(), 0, next.header.time + 86'400), next);
    EXPECT_EQ(anchor_before(mainnet(), 0, next.header.time + 86'399), anchor);
    EXPECT_EQ(anchor_before(mainnet(), next.height + 144, kNever), next);
    EXPECT_EQ(anchor_before(mainnet(), next.height + 143, kNever), anchor);
    EXPECT_EQ(anchor_before(mainnet(), 0, 0), genesis_anchor(mainnet()));
    EXPECT_EQ(anchor_before(test::regtest_params(), 0, kNow),
              genesis_anchor(test::regtest_params()));
}

TEST(Anchors, AreNotThoseOfAnotherSignet) {
    NetworkParams other = *find_network("signet");
    other.magic[0] ^= 1U;
    EXPECT_EQ(anchor_count(other), 1U);
    EXPECT_EQ(anchor_count(signet_of(Bytes{0x51})), 1U);
    EXPECT_GT(anchor_count(signet_of(find_network("signet")->signet_challenge)), 1U);
}

// Mining these headers takes a moment, so it is done only once.
const std::vector<BlockHeader>& thirty_headers() {
    static const std::vector<BlockHeader> mined = [] {
        const NetworkParams network = small_network(8);
        HeaderChain chain{network};
        std::vector<BlockHeader> headers;
        while (headers.size() < 30) {
            const BlockHeader parent = chain.tip_header();
            const std::uint32_t time = parent.time + 195;
            const std::uint32_t bits =
                required_bits(network, BestBranch{chain}, chain.tip().height + 1, time);
            headers.push_back(test::mine_header(parent, time, {}, bits));
            EXPECT_EQ(chain.accept(std::span(headers).last(1), kNow).added, 1U);
        }
        return headers;
    }();
    return mined;
}

// A chain of a network with changing difficulty, and a block at which a header chain may start.
class AnchoredChain : public testing::Test {
protected:
    AnchoredChain() {
        HeaderChain chain{network};
        EXPECT_EQ(chain.accept(headers, kNow).error, std::nullopt);
        work = chain.chainwork();
        anchor = {8, headers[7], *chain.chainwork_at(headers[7].hash())};
    }

    const NetworkParams network = small_network(8);
    const std::vector<BlockHeader>& headers = thirty_headers();
    Uint256 work;
    Anchor anchor;
};

TEST_F(AnchoredChain, GrowsWithTheHeightsAndTheWorkOfTheWhole) {
    HeaderChain chain{network, anchor};
    EXPECT_EQ(chain.root(), (BlockRef{8, headers[7].hash()}));
    EXPECT_EQ(chain.tip(), chain.root());
    const AcceptResult result = chain.accept(std::span(headers).subspan(8), kNow);
    EXPECT_EQ(result.error, std::nullopt) << "with two retargets";
    EXPECT_EQ(chain.tip().height, 30U);
    EXPECT_EQ(chain.chainwork(), work);
    EXPECT_EQ(chain.hash_at(8), headers[7].hash());
    EXPECT_EQ(chain.hash_at(20), headers[19].hash());
    EXPECT_EQ(chain.height_of(headers[6].hash()), std::nullopt);
    EXPECT_EQ(chain.locator().back(), headers[7].hash());
    EXPECT_EQ(chain.first_height_since(0), 8U);
    EXPECT_EQ(chain.first_height_since(std::int64_t{headers[19].time} + 7'200), 20U);
}

TEST_F(AnchoredChain, KnowsNothingBelowItsAnchor) {
    HeaderChain chain{network, anchor};
    EXPECT_EQ(chain.accept(headers, kNow).error, HeaderError::unknown_parent);
    EXPECT_EQ(chain.accept(std::span(headers).subspan(6), kNow).error, HeaderError::unknown_parent);
}

TEST_F(AnchoredChain, ChecksTimesAsFarAsTheyAreKnown) {
    const auto child_at = [&](const BlockHeader& parent, std::uint32_t time) {
        return test::mine_header(parent, time, {}, parent.bits);
    };
    HeaderChain chain{network, anchor};
    // The ten unknown blocks before the anchor may have had earlier times than this.
    const BlockHeader early = child_at(headers[7], headers[7].time - 500);
    EXPECT_EQ(chain.accept(std::span(&early, 1), kNow).error, std::nullopt);
    // Six of the eleven times are known now, and all six are later.
    ASSERT_EQ(chain.accept(std::span(headers).subspan(8, 5), kNow).error, std::nullopt);
    const BlockHeader late = child_at(headers[12], headers[7].time);
    EXPECT_EQ(chain.accept(std::span(&late, 1), kNow).error, HeaderError::time_too_old);
}

TEST_F(AnchoredChain, ChecksTheFirstRetarget) {
    HeaderChain chain{network, anchor};
    ASSERT_EQ(chain.accept(std::span(headers).subspan(8, 7), kNow).error, std::nullopt);
    const BlockHeader easy = test::mine_header(headers[14], headers[15].time, {}, headers[14].bits);
    ASSERT_NE(headers[15].bits, headers[14].bits);
    EXPECT_EQ(chain.accept(std::span(&easy, 1), kNow).error, HeaderError::wrong_bits);
}

class AnchoredFile : public AnchoredChain {
protected:
    AnchoredFile() {
        path = folder.path() / "headers";
        HeaderChain chain{network, anchor};
        HeaderFile file{path, chain, kNow};
        chain.accept(std::span(headers).subspan(8), kNow);
        file.flush();
    }

    const test::TemporaryFolder folder;
    fs::path path;
};

TEST_F(AnchoredFile, BringsTheChainBack) {
    HeaderChain chain{network, anchor};
    const HeaderFile file{path, chain, kNow};
    EXPECT_EQ(chain.root().height, 8U);
    EXPECT_EQ(chain.tip(), (BlockRef{30, headers[29].hash()}));
    EXPECT_EQ(chain.chainwork(), work);
}

TEST_F(AnchoredFile, IsReplacedByALowerFileWithAsMuchWork) {
    {
        HeaderChain chain{network};
        HeaderFile file{path, chain, kNow};
        EXPECT_EQ(chain.tip().height, 0U);
        chain.accept(std::span(headers).first(20), kNow);
        file.flush();
    }
    {
        HeaderChain chain{network, anchor};
        const HeaderFile file{path, chain, kNow};
        EXPECT_EQ(chain.tip().height, 30U) << "the higher file is still used";
    }
    {
        HeaderChain chain{network};
        HeaderFile file{path, chain, kNow};
        EXPECT_EQ(chain.tip().height, 20U) << "the headers of the lower file were kept";
        chain.accept(headers, kNow);
        file.flush();
        EXPECT_FALSE(fs::exists(folder.path() / "headers.lower"));
    }
    HeaderChain chain{network, anchor};
    const HeaderFile file{path, chain, kNow};
    EXPECT_EQ(chain.root().height, 0U) << "the file starts below the anchor";
    EXPECT_EQ(chain.hash_at(3), headers[2].hash());
    EXPECT_EQ(chain.tip().height, 30U);
}

TEST_F(AnchoredFile, ReportsTheWorkThatALowerFileNeeds) {
    HeaderChain chain{network};
    HeaderFile file{path, chain, kNow};
    EXPECT_EQ(file.higher_chainwork(), work);
    chain.accept(std::span(headers).first(20), kNow);
    file.flush();
    EXPECT_EQ(file.higher_chainwork(), work);
    chain.accept(headers, kNow);
    file.flush();
    EXPECT_EQ(file.higher_chainwork(), 0) << "the lower file has replaced the higher one";
}

// Meanwhile, another process extends the higher file.
TEST_F(AnchoredFile, IsNotReplacedByALowerFileIfItHasGrown) {
    HeaderChain lower{network};
    HeaderFile lower_file{path, lower, kNow};
    {
        HeaderChain chain{network, anchor};
        HeaderFile file{path, chain, kNow};
        const BlockHeader next =
            test::mine_header(headers.back(), headers.back().time + 195, {}, headers.back().bits);
        ASSERT_EQ(chain.accept(std::span(&next, 1), kNow).error, std::nullopt);
        file.flush();
    }
    lower.accept(headers, kNow);
    lower_file.flush();
    EXPECT_GT(lower_file.higher_chainwork(), work);
    HeaderChain chain{network, anchor};
    const HeaderFile file{path, chain, kNow};
    EXPECT_EQ(chain.root().height, 8U);
    EXPECT_EQ(chain.tip().height, 31U);
}

TEST_F(AnchoredFile, IsReadWithoutALock) {
    HeaderChain chain{network, anchor};
    const HeaderFile looker{path, chain, kNow, {.read_only = true}};
    EXPECT_TRUE(looker.read_only());
    EXPECT_EQ(chain.tip().height, 30U);
    HeaderChain again{network, anchor};
    const HeaderFile writer{path, again, kNow};
    EXPECT_FALSE(writer.read_only());
    const fs::path missing = folder.path() / "missing";
    HeaderChain none{network, anchor};
    EXPECT_THROW((HeaderFile{missing, none, kNow, {.read_only = true}}), HeaderFileError);
    EXPECT_FALSE(fs::exists(missing));
}

TEST_F(AnchoredFile, IsRefusedIfItsStartIsNoAnchor) {
    HeaderChain chain{network, {16, headers[15], anchor.chainwork + 1}};
    EXPECT_THROW((HeaderFile{path, chain, kNow}), HeaderFileError);
}

}  // namespace
}  // namespace petal::chain
