#include "regtest/regtest_node.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "chain/merkle_proof.h"
#include "chain/script/script.h"
#include "tests/regtest/regtest_peer.h"
#include "tests/support/hex.h"
#include "tests/support/unsigned_spend.h"

namespace petal::regtest {
namespace {

using namespace petal::test::literals;
using namespace std::chrono_literals;
using chain::Bytes;
using chain::Outpoint;

Bytes element(chain::Byte number) {
    return Bytes(20, number);
}

std::vector<std::string> commands(const std::vector<net::Message>& messages) {
    std::vector<std::string> result;
    for (const auto& message : messages) result.emplace_back(command_of(message));
    return result;
}

net::GetData filtered_blocks(const RegtestChain& chain, std::uint32_t first, std::uint32_t count) {
    net::GetData request;
    for (std::uint32_t height = first; height < first + count; ++height) {
        const auto hash = chain.block_at(height).header.hash();
        request.entries.push_back({net::InventoryType::filtered_block, {hash.bytes}});
    }
    return request;
}

class RegtestNodeTest : public testing::Test {
protected:
    RegtestChain chain;
};

TEST_F(RegtestNodeTest, ShakesHandsInCoresOrder) {
    chain.mine(3);
    RegtestNode node(chain, {}, 77);
    node.on_time(0ms);
    EXPECT_FALSE(node.has_output()) << "the peer that dialled speaks first";

    node.on_message(net::Version{}, 0ms);
    const auto greeting = node.take_output();
    EXPECT_EQ(commands(greeting),
              (std::vector<std::string>{"version", "wtxidrelay", "sendaddrv2", "verack"}));
    const auto& version = std::get<net::Version>(greeting[0]);
    EXPECT_EQ(version.protocol, 70'016);
    EXPECT_EQ(version.services, 0x44dU);
    EXPECT_EQ(version.nonce, 77U);
    EXPECT_EQ(version.start_height, 3);
    EXPECT_TRUE(version.relay);
    EXPECT_EQ(version.time, chain.block_at(3).header.time);

    node.on_message(net::Verack{}, 0ms);
    const auto settings = node.take_output();
    EXPECT_EQ(commands(settings), (std::vector<std::string>{"sendcmpct", "ping", "feefilter"}));
    EXPECT_EQ(settings[0], net::Message(net::SendCompact{false, 2}));
    EXPECT_EQ(settings[2], net::Message(net::FeeFilter{100}));
}

struct OldVersionCase {
    std::string name;
    std::int32_t protocol;
    std::vector<std::string> greeting;
    std::vector<std::string> settings;
};

void PrintTo(const OldVersionCase& row, std::ostream* out) {
    *out << row.name;
}

class OldVersion : public testing::TestWithParam<OldVersionCase> {};

TEST_P(OldVersion, GetsOnlyMessagesThatItKnows) {
    const auto& row = GetParam();
    const RegtestChain chain;
    RegtestNode node(chain, {}, 1);
    net::Version version;
    version.protocol = row.protocol;
    node.on_message(version, 0ms);
    EXPECT_EQ(commands(node.take_output()), row.greeting);
    node.on_message(net::Verack{}, 0ms);
    EXPECT_EQ(commands(node.take_output()), row.settings);
}

const std::vector<std::string> kShortGreeting = {"version", "verack"};

// clang-format off
INSTANTIATE_TEST_SUITE_P(Regtest, OldVersion, testing::ValuesIn(std::initializer_list<OldVersionCase>{
    {"Of70015", 70'015, kShortGreeting, {"sendcmpct", "ping", "feefilter"}},
    {"Of70013", 70'013, kShortGreeting, {"ping", "feefilter"}},
    {"Of70001", 70'001, kShortGreeting, {"ping"}},
    {"OfThePast", 31'799, {}, {}},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST_F(RegtestNodeTest, IgnoresMessagesBeforeTheHandshakeIsComplete) {
    RegtestNode node(chain, {}, 1);
    node.on_message(net::Ping{1}, 0ms);
    node.on_message(net::Verack{}, 0ms);
    EXPECT_FALSE(node.has_output());
    node.on_message(net::Version{}, 0ms);
    node.take_output();
    node.on_message(net::Ping{2}, 0ms);
    node.on_message(net::GetHeaders{}, 0ms);
    node.on_message(net::Version{}, 0ms);
    EXPECT_FALSE(node.has_output());
    EXPECT_FALSE(node.disconnect_reason());
}

struct HangUpCase {
    std::string name;
    std::vector<net::Message> messages;  // after the handshake
    std::string reason;
};

void PrintTo(const HangUpCase& row, std::ostream* out) {
    *out << row.name;
}

class HangUp : public testing::TestWithParam<HangUpCase> {};

TEST_P(HangUp, EndsTheConnection) {
    const RegtestChain chain;
    NodeBehaviour behaviour;
    if (GetParam().name.starts_with("WithoutBloom")) behaviour.services = net::kNodeNetwork;
    RegtestPeer peer(chain, behaviour);
    for (const auto& message : GetParam().messages) {
        peer.received();
        ASSERT_FALSE(peer.node.disconnect_reason());
        peer.send(message);
    }
    EXPECT_EQ(peer.node.disconnect_reason(), GetParam().reason);
    peer.send(net::Ping{1});
    EXPECT_TRUE(peer.received().empty());
}

const net::GetData kGenesisFiltered = {
    {{net::InventoryType::filtered_block,
      "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206"_hash256}}};

// clang-format off
INSTANTIATE_TEST_SUITE_P(Regtest, HangUp, testing::ValuesIn(std::initializer_list<HangUpCase>{
    {"LateWtxidRelay",           {net::WtxidRelay{}}, "wtxidrelay after verack"},
    {"LateSendAddrV2",           {net::SendAddrV2{}}, "sendaddrv2 after verack"},
    {"LongInv",                  {net::Inv{std::vector<net::Inventory>(50'000)}, net::Inv{std::vector<net::Inventory>(50'001)}}, "misbehaving: long inv"},
    {"LongGetData",              {net::GetData{std::vector<net::Inventory>(50'000)}, net::GetData{std::vector<net::Inventory>(50'001)}}, "misbehaving: long getdata"},
    {"LongGetHeaders",           {net::GetHeaders{std::vector<chain::BlockHash>(101), {}}, net::GetHeaders{std::vector<chain::BlockHash>(102), {}}}, "a locator is too long"},
    {"LongGetBlocks",            {net::GetBlocks{std::vector<chain::BlockHash>(101), {}}, net::GetBlocks{std::vector<chain::BlockHash>(102), {}}}, "a locator is too long"},
    {"LongHeaders",              {headers_with_work(2'000), headers_with_work(2'001)}, "misbehaving: long headers"},
    {"WithoutBloomFilterLoad",   {net::FilterLoad{filter_of({}).encode()}}, "filterload without bloom filters being offered"},
    {"WithoutBloomFilterAdd",    {net::FilterAdd{element(1)}}, "filteradd without bloom filters being offered"},
    {"WithoutBloomFilterClear",  {net::FilterClear{}}, "filterclear without bloom filters being offered"},
    {"WithoutBloomMempool",      {net::Mempool{}}, "mempool without bloom filters being offered"},
    {"WithoutBloomGetData",      {kGenesisFiltered}, "getdata of a filtered block without bloom filters being offered"},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST_F(RegtestNodeTest, EndsTheConnectionToItself) {
    RegtestNode node(chain, {}, 77);
    net::Version version;
    version.nonce = 77;
    node.on_message(version, 0ms);
    EXPECT_TRUE(node.disconnect_reason());
    EXPECT_FALSE(node.has_output());
}

TEST_F(RegtestNodeTest, DisconnectsForOversizedMessages) {
    for (const auto command : {"inv", "getdata", "getheaders", "getblocks", "headers"}) {
        RegtestPeer peer(chain);
        peer.node.on_undecodable(command, chain::DecodeError::truncated, peer.now);
        EXPECT_FALSE(peer.node.disconnect_reason()) << command;
        peer.node.on_undecodable(command, chain::DecodeError::too_large, peer.now);
        EXPECT_TRUE(peer.node.disconnect_reason()) << command;
    }
    RegtestPeer peer(chain);
    peer.node.on_undecodable("tx", chain::DecodeError::too_large, peer.now);
    EXPECT_FALSE(peer.node.disconnect_reason());
    peer.node.on_undecodable("sendcmpct", chain::DecodeError::invalid_value, peer.now);
    EXPECT_TRUE(peer.node.disconnect_reason());
}

TEST_F(RegtestNodeTest, WaitsAMinuteForTheHandshake) {
    RegtestNode node(chain, {}, 1);
    node.on_time(5s);
    node.on_time(65s);
    EXPECT_FALSE(node.disconnect_reason());
    node.on_time(65s + 1ms);
    EXPECT_TRUE(node.disconnect_reason());
}

TEST_F(RegtestNodeTest, PingsEveryTwoMinutesAndWaitsTwentyForAnAnswer) {
    RegtestNode node(chain, {}, 1);
    const auto last_ping = [&node]() -> std::optional<std::uint64_t> {
        const auto messages = node.take_output();
        const auto found = std::ranges::find_if(messages, [](const auto& message) {
            return std::holds_alternative<net::Ping>(message);
        });
        if (found == messages.end()) return std::nullopt;
        return std::get<net::Ping>(*found).nonce;
    };
    node.on_message(net::Version{}, 0ms);
    node.on_message(net::Verack{}, 0ms);
    const auto first = last_ping();
    ASSERT_TRUE(first);
    node.on_message(net::Pong{*first + 5}, 1s);
    node.on_time(3min);
    EXPECT_FALSE(last_ping()) << "the first is still unanswered";
    node.on_message(net::Pong{*first}, 3min);
    const auto second = last_ping();
    ASSERT_TRUE(second);
    EXPECT_NE(*second, *first);
    node.on_message(net::Pong{*second}, 3min);
    node.on_time(5min);
    EXPECT_FALSE(last_ping());
    node.on_time(5min + 1ms);
    EXPECT_TRUE(last_ping());
    node.on_time(25min + 1ms);
    EXPECT_FALSE(node.disconnect_reason());
    node.on_time(25min + 2ms);
    EXPECT_TRUE(node.disconnect_reason());
}

TEST_F(RegtestNodeTest, AcceptsAPongOfZero) {
    RegtestPeer peer(chain);
    peer.send(net::Pong{0});
    peer.pass(21min);
    EXPECT_FALSE(peer.node.disconnect_reason());

    RegtestPeer silent(chain);
    silent.pass(21min);
    EXPECT_TRUE(silent.node.disconnect_reason());
}

TEST_F(RegtestNodeTest, AnswersPings) {
    RegtestPeer peer(chain);
    peer.send(net::Ping{42});
    EXPECT_EQ(peer.received(), std::vector<net::Message>{net::Pong{42}});
}

TEST_F(RegtestNodeTest, IgnoresRequestsForUnservedData) {
    RegtestPeer peer(chain);
    peer.load(filter_of({}));
    peer.request(net::InventoryType::filtered_block, chain::BlockHash{});
    peer.request(net::InventoryType::block, chain::BlockHash{});
    peer.request(net::InventoryType::witness_block, chain::BlockHash{});
    peer.request(static_cast<net::InventoryType>(0x40000003), chain.tip());
    peer.request(static_cast<net::InventoryType>(0), chain.tip());
    peer.send(net::GetAddr{});
    peer.send(net::Unknown{"feature"});
    EXPECT_TRUE(peer.received().empty());
    EXPECT_FALSE(peer.node.disconnect_reason());
}

TEST_F(RegtestNodeTest, TellsItsAddressesOnce) {
    NodeBehaviour behaviour;
    behaviour.addresses = {{{net::AddressKind::ipv4, {127, 1, 0, 1}, 18'444}, net::kNodeBloom, 1}};
    RegtestPeer peer(chain, behaviour);
    peer.send(net::GetAddr{});
    EXPECT_EQ(peer.received(), (std::vector<net::Message>{net::Addr{behaviour.addresses}}));
    peer.send(net::GetAddr{});
    EXPECT_TRUE(peer.received().empty());
}

class RegtestNodeBlocks : public RegtestNodeTest {
protected:
    /// A block with a payment to script(1), its spend to script(2), and payments to others.
    RegtestNodeBlocks() {
        payment = chain.make_payment({{50'000, script(1)}});
        const std::array spent = {Outpoint{payment.txid(), 0}};
        spend = test::make_spend(chain, spent, {{40'000, script(2)}});
        const auto other = chain.make_payment({{1'000, script(8)}});
        chain.submit(other);
        chain.submit(payment);
        spend.inputs[0].witness = {{1, 2, 3}};
        chain.submit(spend);
        chain.pay(script(9), 1'000);
        chain.mine();
        first = chain.height();
    }

    /// Checks the proof of a merkleblock, and returns the positions of its matches.
    static std::vector<std::uint32_t> matches(const net::Message& message) {
        const auto& block = std::get<net::MerkleBlock>(message);
        const auto proven = chain::check_merkle_proof(block.tree, block.header.merkle_root);
        std::vector<std::uint32_t> positions;
        for (const auto& match : proven.value()) positions.push_back(match.position);
        return positions;
    }

    chain::Transaction payment;
    chain::Transaction spend;
    std::uint32_t first = 0;
};

TEST_F(RegtestNodeBlocks, ServesAProofAndThenItsTransactionsWithoutWitness) {
    RegtestPeer peer(chain);
    peer.load(filter_of({element(1)}));
    peer.request(net::InventoryType::filtered_block, chain.tip());
    const auto answer = peer.received();
    ASSERT_EQ(answer.size(), 3U);
    EXPECT_EQ(matches(answer[0]), (std::vector<std::uint32_t>{2, 3}));
    EXPECT_EQ(answer[1], net::Message(stripped(payment)));
    EXPECT_EQ(answer[2], net::Message(stripped(spend)))
        << "it spends the outpoint that the payment added to the filter";
    EXPECT_EQ(std::get<net::Tx>(answer[2]).transaction.txid(), spend.txid());
    EXPECT_TRUE(peer.node.filter()->contains(Outpoint{payment.txid(), 0}.serialize()));
}

TEST_F(RegtestNodeBlocks, ServesFullBlocksWithAndWithoutWitnesses) {
    RegtestPeer peer(chain);
    peer.request(net::InventoryType::witness_block, chain.tip());
    const auto whole = peer.received();
    ASSERT_EQ(whole.size(), 1U);
    const chain::Block block = std::get<net::FullBlock>(whole[0]).block.decode();
    EXPECT_EQ(block.header, chain.block_at(first).header);
    EXPECT_EQ(block.transactions, chain.block_at(first).transactions);
    const auto txids = chain::check_transactions(block);
    ASSERT_TRUE(txids);
    EXPECT_TRUE(chain::check_witnesses(block.transactions, *txids));
    peer.request(net::InventoryType::compact_block, chain.tip());
    EXPECT_EQ(peer.received(), whole) << "as BIP152 allows";

    peer.request(net::InventoryType::block, chain.tip());
    const auto stripped_block = chain::decode_block(block.serialize_without_witness());
    EXPECT_EQ(peer.received(),
              std::vector<net::Message>{net::FullBlock{chain::BlockView(stripped_block.value())}});
}

TEST_F(RegtestNodeBlocks, ServesFullBlocksWithoutAFilter) {
    NodeBehaviour behaviour;
    behaviour.services = net::kNodeNetwork | net::kNodeWitness;
    RegtestPeer peer(chain, behaviour);
    peer.request(net::InventoryType::witness_block, chain.tip());
    EXPECT_EQ(peer.received().size(), 1U);
    EXPECT_FALSE(peer.node.disconnect_reason());
}

TEST_F(RegtestNodeBlocks, AddsNoOutpointsIfTheFlagsForbidIt) {
    for (const auto mode : {bloom::UpdateMode::none, bloom::UpdateMode::pubkey_only}) {
        RegtestPeer peer(chain);
        const auto filter = filter_of({element(1)}, mode);
        peer.load(filter);
        peer.request(net::InventoryType::filtered_block, chain.tip());
        EXPECT_EQ(matches(peer.received().at(0)), std::vector<std::uint32_t>{2});
        EXPECT_EQ(peer.node.filter(), filter);
    }
}

TEST_F(RegtestNodeBlocks, ServesTheSameBlockAgain) {
    RegtestPeer peer(chain);
    peer.load(filter_of({element(1)}));
    peer.request(net::InventoryType::filtered_block, chain.tip());
    const auto once = peer.received();
    peer.request(net::InventoryType::filtered_block, chain.tip());
    EXPECT_EQ(peer.received(), once);
}

TEST_F(RegtestNodeBlocks, AnswersAPingAfterTheBlocksRequestedBeforeIt) {
    chain.mine(500);
    RegtestPeer peer(chain);
    peer.load(filter_of({}));
    peer.send(filtered_blocks(chain, 1, chain.height()));
    peer.send(net::Ping{5});
    const auto answer = peer.received();
    // The node announces no blocks below its tip, so only the requested blocks and the pong come.
    ASSERT_EQ(answer.size(), chain.height() + 1);
    for (std::uint32_t height = 1; height <= chain.height(); ++height) {
        EXPECT_EQ(std::get<net::MerkleBlock>(answer[height - 1]).header,
                  chain.block_at(height).header);
    }
    EXPECT_EQ(answer.back(), net::Message(net::Pong{5}));
}

TEST_F(RegtestNodeBlocks, DoesNotApplyAFilterToBlocksRequestedBeforeIt) {
    RegtestPeer peer(chain);
    peer.load(filter_of({}));
    const net::GetData request = filtered_blocks(chain, 1, first);
    peer.send(request);
    peer.load(filter_of({element(1)}));
    peer.send(net::FilterAdd{element(9)});
    peer.send(filtered_blocks(chain, first, 1));
    const auto answer = peer.received();
    ASSERT_EQ(answer.size(), first + 1 + 3);
    EXPECT_TRUE(matches(answer[first - 1]).empty());
    EXPECT_EQ(matches(answer[first]), (std::vector<std::uint32_t>{2, 3, 4}));
}

TEST_F(RegtestNodeBlocks, ProcessesNoMessageWhileTheReaderIsSlow) {
    RegtestPeer peer(chain);
    peer.load(filter_of({}));
    net::GetData request;
    for (int i = 0; i < 40'000; ++i) {
        request.entries.push_back({net::InventoryType::filtered_block, {chain.tip().bytes}});
    }
    peer.send(request);
    peer.send(net::FilterClear{});
    EXPECT_TRUE(peer.node.filter()) << "the filterclear is processed after the blocks";
    std::size_t messages = 0;
    while (peer.node.has_output()) {
        const auto portion = peer.node.take_output(10'000);
        std::size_t bytes = 0;
        for (const auto& message : portion) bytes += wire_bytes(message);
        EXPECT_LE(bytes, 10'000U + 200);
        messages += portion.size();
    }
    EXPECT_EQ(messages, 40'000U);
    EXPECT_FALSE(peer.node.filter());
}

TEST_F(RegtestNodeBlocks, PausesInputWhenTooMuchIsQueued) {
    RegtestPeer peer(chain);
    peer.load(filter_of({}));
    peer.send(net::GetData{std::vector<net::Inventory>(
        50'000, {net::InventoryType::filtered_block, {chain.tip().bytes}})});
    EXPECT_TRUE(peer.node.accepts_input());
    for (int i = 0; i < 3; ++i) peer.send(net::GetData{std::vector<net::Inventory>(50'000)});
    EXPECT_FALSE(peer.node.accepts_input());
    peer.received();
    EXPECT_TRUE(peer.node.accepts_input());
}

TEST_F(RegtestNodeBlocks, SendsNotFoundForTransactionsBeforeTheNextBlock) {
    RegtestPeer peer(chain);
    peer.load(filter_of({}));
    const net::Inventory missing{net::InventoryType::tx, chain::Hash256{}};
    const net::Inventory block{net::InventoryType::filtered_block, {chain.tip().bytes}};
    const net::Inventory unknown_block{net::InventoryType::filtered_block, chain::Hash256{}};
    peer.send(net::GetData{{missing, missing, block, unknown_block, missing}});
    const auto answer = peer.received();
    EXPECT_EQ(commands(answer), (std::vector<std::string>{"merkleblock", "notfound", "notfound"}));
    EXPECT_EQ(answer[1], net::Message(net::NotFound{{missing, missing}}));
    EXPECT_EQ(answer[2], net::Message(net::NotFound{{missing}}));
}

// As Bitcoin Core (BlockRequestAllowed).
TEST_F(RegtestNodeBlocks, ServesNoInvalidatedBlockAndNoDescendant) {
    chain.mine();
    const auto descendant = chain.tip();
    const auto invalid = chain.block_at(chain.height() - 1).header.hash();
    chain.invalidate(invalid);
    RegtestPeer peer(chain);
    peer.load(filter_of({element(1)}));
    for (const auto type : {net::InventoryType::filtered_block, net::InventoryType::block}) {
        for (const auto& block : {invalid, descendant}) peer.request(type, block);
    }
    EXPECT_TRUE(peer.received().empty());
    chain.reconsider(invalid);
    peer.request(net::InventoryType::block, invalid);
    const auto answer = commands(peer.received());
    EXPECT_EQ(std::count(answer.begin(), answer.end(), "block"), 1);
}

TEST_F(RegtestNodeBlocks, ServesStaleBlocks) {
    const auto stale = chain.tip();
    chain.reorganise(first - 1, 2, RegtestChain::Dropped::forgotten);
    RegtestPeer peer(chain);
    peer.load(filter_of({element(1)}));
    peer.request(net::InventoryType::filtered_block, stale);
    EXPECT_EQ(commands(peer.received()), (std::vector<std::string>{"merkleblock", "tx", "tx"}));
}

TEST_F(RegtestNodeBlocks, ServesTheGenesisBlock) {
    RegtestPeer peer(chain);
    const Bytes genesis_key =
        "04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f"_hex;
    peer.load(filter_of({genesis_key}));
    peer.send(filtered_blocks(chain, 0, 1));
    EXPECT_EQ(matches(peer.received().at(0)), std::vector<std::uint32_t>{0});
}

TEST_F(RegtestNodeBlocks, MatchesEverythingByDegenerateFilters) {
    for (const auto& payload : {"00010000000000000000"_hex, "01aa000000000000000000"_hex,
                                "02ffff050000000000000001"_hex}) {
        RegtestPeer peer(chain);
        peer.load(filter_of({element(1)}));
        peer.send(net::FilterLoad{payload});
        EXPECT_FALSE(peer.node.filter());
        peer.send(net::FilterAdd{element(1)});
        peer.request(net::InventoryType::filtered_block, chain.tip());
        const auto answer = peer.received();
        EXPECT_EQ(matches(answer.at(0)), (std::vector<std::uint32_t>{0, 1, 2, 3, 4}));
        EXPECT_EQ(answer.size(), 6U);
        peer.load(filter_of({}));
        EXPECT_TRUE(peer.node.filter()) << "a new filter replaces it";
    }
}

TEST_F(RegtestNodeBlocks, KeepsTheOldFilterIfTheNewOneIsMalformed) {
    RegtestPeer peer(chain);
    peer.load(filter_of({element(1)}));
    peer.send(net::FilterLoad{"01aa"_hex});
    EXPECT_EQ(peer.node.filter(), filter_of({element(1)}));
}

TEST_F(RegtestNodeBlocks, IgnoresTrailingBytesOfAFilter) {
    RegtestPeer peer(chain);
    auto payload = filter_of({element(1)}).encode();
    payload.push_back(0);
    peer.send(net::FilterLoad{payload});
    EXPECT_EQ(peer.node.filter(), filter_of({element(1)}));
}

}  // namespace
}  // namespace petal::regtest
