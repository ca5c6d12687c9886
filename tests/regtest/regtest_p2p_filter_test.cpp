/// The checks of Bitcoin Core's functional test p2p_filter.py, applied to the embedded node: first
/// the verdicts on filter messages, then what is served and announced, with and without relay in
/// the version message.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/script/script.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/hex.h"

namespace petal::regtest {
namespace {

using namespace petal::test::literals;
using chain::Bytes;

/// A filterload message of any size.
net::FilterLoad filter_load(const Bytes& bytes, std::uint32_t hash_functions) {
    return {chain::ByteWriter().var_bytes(bytes).u32(hash_functions).u32(0).u8(1).take()};
}

/// The filter of p2p_filter.py: ten elements at a rate of 0.000001, no tweak, BLOOM_UPDATE_ALL. It
/// contains the script hash of 20 bytes 0xff.
const net::FilterLoad kWatchingFilter = {
    "23400008008000002000c000200400082400048000002000000000800000400002402000130000000000000001"_hex};

const Bytes kWatched = "a914ffffffffffffffffffffffffffffffffffffffff87"_hex;
const Bytes kUnwatched = "a914111111111111111111111111111111111111111187"_hex;

struct VerdictCase {
    std::string name;
    std::vector<net::Message> messages;
    bool accepted;
};

void PrintTo(const VerdictCase& row, std::ostream* out) {
    *out << row.name;
}

class P2pFilterVerdict : public testing::TestWithParam<VerdictCase> {};

TEST_P(P2pFilterVerdict, IsCores) {
    const RegtestChain chain;
    RegtestPeer peer(chain);
    for (const auto& message : GetParam().messages) peer.send(message);
    EXPECT_EQ(!peer.node.disconnect_reason().has_value(), GetParam().accepted);
    EXPECT_TRUE(peer.received().empty());
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Regtest, P2pFilterVerdict, testing::ValuesIn(std::initializer_list<VerdictCase>{
    {"TooLargeFilter",         {filter_load(Bytes(36'001), 1)},                          false},
    {"LargestFilter",          {filter_load(Bytes(36'000), 1)},                          true},
    {"ClearOfTheLargest",      {filter_load(Bytes(36'000), 1), net::FilterClear{}},           true},
    {"TooManyFunctions",       {filter_load({0xaa}, 51)},                                false},
    {"MostFunctions",          {filter_load({0xaa}, 50)},                                true},
    {"LargestElement",         {kWatchingFilter, net::FilterAdd{Bytes(520, 0xcc)}},           true},
    {"TooLargeElement",        {kWatchingFilter, net::FilterAdd{Bytes(521, 0xcc)}},           false},
    {"EmptyElement",           {kWatchingFilter, net::FilterAdd{}},                           true},
    {"ElementWithoutFilter",   {net::FilterAdd{Bytes(20, 0xcc)}},                             false},
    {"ElementBehindClear",     {kWatchingFilter, net::FilterClear{}, net::FilterAdd{Bytes(20)}},   false},
    {"ClearWithoutFilter",     {net::FilterClear{}},                                          true},
    {"ElementIntoNoBytes",     {filter_load({}, 1), net::FilterAdd{{'l', 'e', 't', 's'}}},    true},
    {"ElementIntoNoFunctions", {filter_load({0xaa}, 0), net::FilterAdd{Bytes(20)}},           true},
    {"NoBytesButTooMany",      {filter_load({}, 51)},                                    false},
    {"AllOnesAndTooMany",      {filter_load({0xff}, 51)},                                false},
    {"ShortFilterIsDropped",   {net::FilterLoad{"01aa"_hex}},                                 true},
    {"ShortFilterLoadsNone",   {net::FilterLoad{"01aa"_hex}, net::FilterAdd{Bytes(20)}},           false},
}), [](const auto& row) { return row.param.name; });
// clang-format on

/// One connection, with or without relay in its version message.
class P2pFilter : public testing::TestWithParam<bool> {
protected:
    P2pFilter() {
        chain.mine(101);
        chain.pay(kUnwatched, 1'000);
        chain.mine();
    }

    static net::Version version() {
        net::Version version;
        version.relay = GetParam();
        return version;
    }

    RegtestChain chain;
};

TEST_P(P2pFilter, RelaysBeforeAFilterOnlyIfVersionAsksForIt) {
    RegtestPeer peer(chain, {}, version());
    const auto txid = chain.pay(kUnwatched, 1'000);
    EXPECT_EQ(peer.received(), GetParam() ? one_inv(tx_entry(txid)) : std::vector<net::Message>{});
}

TEST_P(P2pFilter, ServesTheMatchingCoinbaseOfANewBlock) {
    RegtestPeer peer(chain, {}, version());
    peer.send(kWatchingFilter);
    chain.mine(1, kWatched);
    const RegtestBlock& block = chain.block_at(chain.height());
    EXPECT_EQ(peer.received(), one_inv(block_entry(chain.tip())));

    peer.request(net::InventoryType::filtered_block, chain.tip());
    const auto answer = peer.received();
    ASSERT_EQ(answer.size(), 2U);
    EXPECT_EQ(std::get<net::MerkleBlock>(answer[0]).header, block.header);
    EXPECT_EQ(answer[1], net::Message(stripped(block.transactions[0])));
}

TEST_P(P2pFilter, ServesOnlyAMerkleBlockIfNothingMatches) {
    RegtestPeer peer(chain, {}, version());
    peer.send(kWatchingFilter);
    chain.mine();
    peer.received();
    peer.request(net::InventoryType::filtered_block, chain.tip());
    const RegtestBlock& block = chain.block_at(chain.height());
    const std::vector<net::Message> expected = {
        net::MerkleBlock{block.header, {1, {block.header.merkle_root}, {0}}}};
    EXPECT_EQ(peer.received(), expected);
}

TEST_P(P2pFilter, AnnouncesNoTransactionThatDoesNotMatch) {
    RegtestPeer peer(chain, {}, version());
    peer.send(kWatchingFilter);
    chain.pay(kUnwatched, 1'000);
    EXPECT_TRUE(peer.received().empty());
}

TEST_P(P2pFilter, AnnouncesAndServesATransactionThatMatches) {
    RegtestPeer peer(chain, {}, version());
    peer.send(kWatchingFilter);
    const auto txid = chain.pay(kWatched, 9'000);
    EXPECT_EQ(peer.received(), one_inv(tx_entry(txid)));
    peer.request(net::InventoryType::tx, txid);
    EXPECT_EQ(peer.received(),
              std::vector<net::Message>{stripped(*chain.mempool().transaction(txid))});
}

TEST_P(P2pFilter, AnnouncesEverythingAfterAFilterClear) {
    RegtestPeer peer(chain, {}, version());
    peer.send(kWatchingFilter);
    peer.send(net::FilterClear{});
    const auto first = chain.pay(kUnwatched, 7'000);
    const auto second = chain.pay(kWatched, 8'000);
    EXPECT_EQ(peer.received(), one_inv(tx_entry(first), tx_entry(second)));
}

TEST_P(P2pFilter, IsSilentAboutBlocksWithoutAFilter) {
    RegtestPeer peer(chain, {}, version());
    peer.request(net::InventoryType::filtered_block, chain.tip());
    peer.send(kWatchingFilter);
    peer.send(net::FilterClear{});
    peer.request(net::InventoryType::filtered_block, chain.tip());
    EXPECT_TRUE(peer.received().empty());
    EXPECT_FALSE(peer.node.disconnect_reason());
}

TEST_P(P2pFilter, AnnouncesMatchesOfTheMempoolOnRequest) {
    const auto matching = chain.pay(kWatched, 9'000);
    const auto other = chain.pay(kUnwatched, 9'000);
    RegtestPeer peer(chain, {}, version());
    peer.send(kWatchingFilter);
    EXPECT_TRUE(peer.received().empty())
        << "earlier transactions are not announced without a request";
    peer.send(net::Mempool{});
    EXPECT_EQ(peer.received(), one_inv(tx_entry(matching)));

    peer.request(net::InventoryType::wtx, chain.mempool().transaction(other)->wtxid());
    EXPECT_EQ(peer.received(),
              std::vector<net::Message>{net::Tx{*chain.mempool().transaction(other)}});
}

INSTANTIATE_TEST_SUITE_P(Regtest, P2pFilter, testing::Values(true, false),
                         [](const auto& row) { return row.param ? "WithRelay" : "WithoutRelay"; });

}  // namespace
}  // namespace petal::regtest
