#include "wallet/spending/mini_miner.h"

#include <gtest/gtest.h>

#include <optional>
#include <string_view>
#include <vector>

namespace petal::wallet {
namespace {

using chain::Satoshis;
using chain::Txid;

Txid txid_of(char name) {
    Txid txid;
    txid.bytes.at(0) = static_cast<chain::Byte>(name);
    return txid;
}

std::vector<Txid> txids_of(std::string_view names) {
    std::vector<Txid> txids;
    for (const char name : names) txids.push_back(txid_of(name));
    return txids;
}

UnconfirmedRelative relative(char name, std::size_t size, std::optional<Satoshis> fee,
                             std::string_view parents = "") {
    return {txid_of(name), txids_of(parents), size, fee};
}

Satoshis bump_fee(const std::vector<UnconfirmedRelative>& relatives, std::int64_t sat_vb,
                  std::string_view spent) {
    return MiniMiner(relatives, FeeRate{sat_vb * 1'000}).bump_fee(txids_of(spent));
}

TEST(MiniMiner, AddsWhatAParentLacks) {
    const std::vector relatives{relative('p', 200, 300)};
    EXPECT_EQ(bump_fee(relatives, 10, "p"), 1'700);
    EXPECT_EQ(bump_fee(relatives, 2, "p"), 100);
    EXPECT_EQ(bump_fee(relatives, 1, "p"), 0);
    EXPECT_EQ(bump_fee(relatives, 10, "x"), 0) << "it is confirmed";
    EXPECT_EQ(bump_fee(relatives, 10, ""), 0);
    EXPECT_EQ(bump_fee({}, 10, "p"), 0);
}

TEST(MiniMiner, CountsAnUnknownFeeAsNone) {
    EXPECT_EQ(bump_fee({relative('p', 200, std::nullopt)}, 10, "p"), 2'000);
}

TEST(MiniMiner, CountsAllAncestorsAndEachOnce) {
    const std::vector relatives{relative('g', 100, 100), relative('p', 100, 100, "g"),
                                relative('q', 100, 100, "g")};
    EXPECT_EQ(bump_fee(relatives, 10, "p"), 1'800);
    EXPECT_EQ(bump_fee(relatives, 10, "pq"), 2'700);
    EXPECT_EQ(bump_fee(relatives, 10, "ppqqg"), 2'700);
}

TEST(MiniMiner, LetsNoRichAncestorPayForOthers) {
    const std::vector relatives{relative('g', 100, 5'000), relative('p', 100, 100, "g"),
                                relative('q', 100, 5'000)};
    EXPECT_EQ(bump_fee(relatives, 10, "p"), 900);
    EXPECT_EQ(bump_fee(relatives, 10, "pq"), 900);
    EXPECT_EQ(bump_fee(relatives, 10, "gq"), 0);
}

TEST(MiniMiner, LetsAChildPayForItsParents) {
    const std::vector relatives{relative('g', 100, 100), relative('p', 100, 2'500, "g")};
    EXPECT_EQ(bump_fee(relatives, 10, "p"), 0);
    EXPECT_EQ(bump_fee(relatives, 10, "g"), 0);
    EXPECT_EQ(bump_fee(relatives, 13, "g"), 0);
    EXPECT_EQ(bump_fee(relatives, 14, "g"), 1'300);
    EXPECT_EQ(bump_fee(relatives, 14, "p"), 200);
}

// The two children pay 12.7 sat/vB for their parent together, each alone 9.5.
TEST(MiniMiner, TakesNothingFromChildrenThatPayTogether) {
    const std::vector relatives{relative('p', 100, 0), relative('a', 100, 1'900, "p"),
                                relative('b', 100, 1'900, "p"), relative('c', 100, 100)};
    EXPECT_EQ(bump_fee(relatives, 10, "a"), 100);
    EXPECT_EQ(bump_fee(relatives, 10, "ab"), 0) << "a payment never has less than its own rate";
    EXPECT_EQ(bump_fee(relatives, 10, "abc"), 900);
}

// The example in Bitcoin Core's MiniMiner::CalculateBumpFees(): the child's ancestors reach the
// rate together with it, the child alone does not.
TEST(MiniMiner, AddsWhatAChildOfRicherParentsLacks) {
    const std::vector relatives{relative('g', 1'700, 1'700), relative('p', 200, 17'000, "g"),
                                relative('q', 200, 3'000, "g"), relative('c', 100, 900, "pq")};
    EXPECT_EQ(bump_fee(relatives, 10, "c"), 100);
}

TEST(MiniMiner, NamesTheRateOfThePackage) {
    const std::vector relatives{relative('g', 100, 100), relative('p', 100, 100, "g"),
                                relative('r', 100, 2'500)};
    const auto rate_of = [&](std::string_view spent, Satoshis fee) {
        return package_rate(relatives, txids_of(spent), 200, fee).sat_per_kvb();
    };
    EXPECT_EQ(rate_of("", 3'000), 15'000);
    EXPECT_EQ(rate_of("p", 3'800), 10'000);
    EXPECT_EQ(rate_of("p", 200), 1'000);
    EXPECT_EQ(rate_of("r", 3'000), 15'000) << "miners take the parent before it";
    EXPECT_EQ(rate_of("r", 6'000), 28'330) << "miners take the parent with it";
    EXPECT_EQ(rate_of("", 0), 0);
    EXPECT_EQ(rate_of("", chain::kMaxMoney), FeeRate::kMaxSatPerKvb);
}

TEST(MiniMiner, ListsTheAncestors) {
    const std::vector relatives{relative('g', 100, 100), relative('p', 100, 100, "g"),
                                relative('c', 100, 100, "p")};
    EXPECT_EQ(ancestors_among(relatives, txids_of("p")), (std::vector{relatives[1], relatives[0]}));
    EXPECT_TRUE(ancestors_among(relatives, txids_of("x")).empty());
}

}  // namespace
}  // namespace petal::wallet
