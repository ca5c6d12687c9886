// Each row is a hostile peer beside an honest one: how petal reacts, that memory stays bounded, and
// that the sync finds everything. Peers that lie about matches are in
// blocks/second_opinions_test.cpp, floods of unconfirmed transactions in
// unconfirmed/unconfirmed_spends_test.cpp.
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "chain/byte_writer.h"
#include "chain/headers/header_chain.h"
#include "net/wire/codec.h"
#include "tests/net/counted_memory.h"
#include "tests/net/sync/hostile_peer.h"
#include "tests/support/list_watcher.h"
#include "tests/support/test_chain.h"
#include "tests/support/unsigned_spend.h"

namespace petal::net {
namespace {

using chain::Bytes;
using test::as_sent;
using test::ByteNetwork;
using test::HostilePeer;
using test::ListWatcher;
using test::Say;

/// The memory that a sync may take beside its chain, whatever its peers send. The honest sync takes
/// 1 MB; a message of the largest size takes 4 MB undecoded and 12 MB decoded.
constexpr std::size_t kMostBytes = 24'000'000;

/// A transaction of the size of an inner merkle node: one input without a signature, and a script
/// of four bytes that pushes two.
chain::Transaction transaction_of_64_bytes(regtest::RegtestChain& chain) {
    const chain::TxOutput coin{10'000, regtest::kPurseScript};
    const chain::Txid funding = chain.mine_block({chain.make_payment({coin})}).txids.back();
    const chain::Outpoint spent{funding, 0};
    return test::make_spend(chain, {{spent}}, {{9'000, Bytes{0x51, 0x02, 0x4e, 0x73}}});
}

/// In every twentieth block, two payments to the watcher and one transaction of 64 bytes.
regtest::RegtestChain make_paid_chain() {
    regtest::RegtestChain chain;
    chain.mine(110);
    chain.mine_block({transaction_of_64_bytes(chain)});
    for (std::uint32_t i = 0; i < 8; ++i) {
        chain.mine_block({chain.make_payment({{10'000, ListWatcher::script(i)}}),
                          chain.make_payment({{20'000, ListWatcher::script(i)}}),
                          chain.make_payment({{10'000, ListWatcher::script(1'000 + i)}})});
        chain.mine(19);
    }
    return chain;
}

const regtest::RegtestChain& paid_chain() {
    static const regtest::RegtestChain made = make_paid_chain();
    return made;
}

/// The result of one sync.
struct SyncEnd {
    bool finished = false;
    bool is_true = false;
    std::optional<DisconnectReason> end;  ///< why the hostile peer was dropped
    std::size_t altered = 0;              ///< messages of the hostile peer
    std::size_t flood_left = 0;           ///< messages that it has not sent
    std::size_t delivered = 0;            ///< bytes of the hostile peer
    std::size_t peak_bytes = 0;
};

/// minimum_work   of a chain that is followed
SyncEnd sync_beside(HostilePeer hostile, const regtest::RegtestChain& chain = paid_chain(),
                    const chain::Uint256& minimum_work = {}) {
    const test::CountedMemory memory;
    chain::HeaderChain headers{test::regtest_params()};
    ListWatcher watcher;
    SyncOptions options;
    options.expected_peers = 2;
    options.blocks.in_flight = 20;
    options.wait_unconfirmed = std::chrono::minutes{1};
    options.threshold.minimum_chainwork = minimum_work;
    SyncEngine engine(headers, watcher, options);
    ByteNetwork network(engine);
    const regtest::RegtestChain& served = hostile.chain == nullptr ? chain : *hostile.chain;
    const PeerId peer = network.connect(served, std::move(hostile));
    network.connect(chain);
    SyncEnd outcome;
    outcome.finished = network.run();
    outcome.peak_bytes = memory.peak();
    outcome.is_true = watcher.knowledge() == test::read_whole_chain(chain, 30) &&
                      watcher.sync_state().synced->hash == chain.tip();
    outcome.end = network.dropped(peer);
    outcome.altered = network.altered(peer);
    outcome.flood_left = network.flood_left(peer);
    outcome.delivered = network.delivered(peer);
    return outcome;
}

void append(Bytes& bytes, const Bytes& more) {
    bytes.insert(bytes.end(), more.begin(), more.end());
}

/// Replaces every message of one type.
template <typename Type>
Say in_place_of(std::function<Bytes(const Type&)> other) {
    return [other](const Message& message) {
        const auto* const that = std::get_if<Type>(&message);
        return that == nullptr ? as_sent(message) : other(*that);
    };
}

HostilePeer flooding(std::string_view behind, std::size_t count, std::function<Message()> next) {
    HostilePeer peer;
    peer.flood = {behind, count, std::move(next)};
    return peer;
}

Say on_another_network() {
    return [](const Message& message) {
        return encode_message(chain::find_network("mainnet")->magic, message);
    };
}

Say with_length(std::uint32_t payload_bytes) {
    return in_place_of<Headers>([payload_bytes](const Headers& headers) {
        const Bytes whole = as_sent(headers);
        chain::ByteWriter writer;
        return writer.bytes(chain::ByteView{whole}.first(16)).u32(payload_bytes).u32(0).take();
    });
}

Say with_wrong_checksum() {
    return in_place_of<Headers>([](const Headers& headers) {
        Bytes bytes = as_sent(headers);
        bytes.back() ^= 1;
        return bytes;
    });
}

/// A different entry at each call.
Inventory next_entry(InventoryType type) {
    static std::uint64_t number = 0;
    Inventory entry{type, {}};
    ++number;
    for (unsigned i = 0; i < 8; ++i) {
        entry.hash.bytes[i] = static_cast<chain::Byte>(number >> 8 * i);
    }
    return entry;
}

template <typename Type>
Message full_of(InventoryType type) {
    Type message;
    for (std::size_t i = 0; i < kMaxInventoryEntries; ++i)
        message.entries.push_back(next_entry(type));
    return message;
}

/// An empty payload, which no message of BIP157 has. A different command at each call.
std::function<Message()> undecodable_block_filters() {
    return [i = std::size_t{0}]() mutable -> Message {
        constexpr std::array<std::string_view, 6> kCommands{
            "cfilter", "cfheaders", "cfcheckpt", "getcfilters", "getcfheaders", "getcfcheckpt"};
        return Unknown{std::string(kCommands[i++ % kCommands.size()])};
    };
}

Message largest_block_filter() {
    CFilter message;
    message.filter.resize(chain::kMaxBasicFilterBytes);
    return message;
}

template <typename Message>
Message full_addr() {
    Message message;
    for (std::size_t i = 0; i < kMaxAddresses; ++i) {
        const auto hash = next_entry(InventoryType::tx).hash;
        Bytes host(hash.bytes.begin(), hash.bytes.begin() + 4);
        message.addresses.push_back({{AddressKind::ipv4, std::move(host), 8333}, kNodeBloom, 1});
    }
    return message;
}

/// A different branch from the first block on at each call.
std::function<Message()> next_branch(std::size_t blocks) {
    return [blocks, salt = std::uint8_t{0}]() mutable -> Message {
        return Headers{test::mine_headers(paid_chain().block_at(0).header, blocks, ++salt)};
    };
}

Say with_tree(std::function<void(chain::PartialMerkleTree&)> change) {
    return in_place_of<MerkleBlock>([change](const MerkleBlock& block) {
        MerkleBlock changed = block;
        change(changed.tree);
        return as_sent(changed);
    });
}

/// A tree of the largest block in which every leaf matches.
void make_largest_tree(chain::PartialMerkleTree& tree) {
    tree.transaction_count = chain::kMaxTransactionsPerBlock;
    tree.hashes.clear();
    while (tree.hashes.size() < tree.transaction_count)
        tree.hashes.push_back(next_entry(InventoryType::tx).hash);
    tree.flags.assign(chain::kMaxMerkleFlagBytes, 0xff);
}

/// Claims half as many transactions, so that the inner node above the first two passes for a
/// transaction, and sends its 64 bytes (CVE-2017-12842).
Say with_inner_nodes() {
    return in_place_of<MerkleBlock>([](const MerkleBlock& block) {
        const regtest::RegtestBlock& full =
            paid_chain().blocks().find(block.header.hash())->block();
        if (full.txids.size() != 4) return as_sent(block);
        std::vector<chain::Txid> nodes;
        Bytes first_node;
        for (std::size_t i = 0; i < 4; i += 2) {
            Bytes node(full.txids[i].bytes.begin(), full.txids[i].bytes.end());
            node.insert(node.end(), full.txids[i + 1].bytes.begin(), full.txids[i + 1].bytes.end());
            nodes.push_back(chain::Txid{chain::sha256d(node).bytes});
            if (i == 0) first_node = node;
        }
        Bytes bytes =
            as_sent(MerkleBlock{block.header, chain::make_merkle_proof(nodes, {true, false})});
        append(bytes, encode_frame(test::regtest_params().magic, "tx", first_node));
        return bytes;
    });
}

/// Proves the transaction of 64 bytes, which could be an inner node of a larger tree, and sends it.
Say with_a_transaction_of_64_bytes() {
    return in_place_of<MerkleBlock>([](const MerkleBlock& block) {
        const regtest::RegtestBlock& full =
            paid_chain().blocks().find(block.header.hash())->block();
        const auto& last = full.transactions.back();
        if (!chain::is_merkle_node_sized(last.serialize_without_witness().size()))
            return as_sent(block);
        std::vector<bool> matches(full.txids.size());
        matches.back() = true;
        Bytes bytes =
            as_sent(MerkleBlock{block.header, chain::make_merkle_proof(full.txids, matches)});
        append(bytes, as_sent(Tx{last}));
        return bytes;
    });
}

/// Swaps each pair of transactions.
Say in_other_order() {
    return [held = Bytes{}](const Message& message) mutable {
        if (!std::holds_alternative<Tx>(message)) return as_sent(message);
        if (held.empty()) {
            held = as_sent(message);
            return Bytes{};
        }
        Bytes bytes = as_sent(message);
        append(bytes, std::exchange(held, {}));
        return bytes;
    };
}

Say with_headers_in_a_loop() {
    return in_place_of<Headers>([](const Headers& headers) {
        Bytes bytes;
        for (int i = 0; i < 300; ++i) append(bytes, as_sent(headers));
        return bytes;
    });
}

/// Answers each request for headers with the first ones.
Say with_the_first_headers() {
    return [first = Bytes{}](const Message& message) mutable {
        if (!std::holds_alternative<Headers>(message)) return as_sent(message);
        if (first.empty()) first = as_sent(message);
        return first;
    };
}

Say with_transactions_twice() {
    return in_place_of<Tx>([](const Tx& transaction) {
        Bytes bytes = as_sent(transaction);
        append(bytes, as_sent(transaction));
        return bytes;
    });
}

/// Sends, before each block, a transaction that no proof contains.
Say with_unproven_transactions() {
    return in_place_of<MerkleBlock>([](const MerkleBlock& block) {
        Bytes bytes = as_sent(Tx{paid_chain().block_at(1).transactions[0]});
        append(bytes, as_sent(block));
        return bytes;
    });
}

Say without_blocks() {
    return in_place_of<MerkleBlock>([](const MerkleBlock&) { return Bytes{}; });
}

Say with_notfound_for_blocks() {
    return in_place_of<MerkleBlock>([](const MerkleBlock& block) {
        return as_sent(NotFound{{{InventoryType::filtered_block, {block.header.hash().bytes}}}});
    });
}

HostilePeer saying(Say say) {
    HostilePeer peer;
    peer.say = std::move(say);
    return peer;
}

HostilePeer with_fault(regtest::FaultKind kind) {
    HostilePeer peer;
    regtest::Fault fault;
    fault.kind = kind;
    fault.after_blocks = 10;
    peer.behaviour.faults = {fault};
    return peer;
}

HostilePeer dripping_from(std::string_view command) {
    HostilePeer peer;
    peer.drips_from = command;
    return peer;
}

struct HostileCase {
    std::string name;
    std::function<HostilePeer()> make;
    std::optional<DisconnectReason> end;  ///< nothing: the peer stays, and its messages are dropped
};

void PrintTo(const HostileCase& row, std::ostream* out) {
    *out << row.name;
}

class HostilePeers : public testing::TestWithParam<HostileCase> {};

TEST_P(HostilePeers, CostTheSyncNothing) {
    const SyncEnd outcome = sync_beside(GetParam().make());
    EXPECT_TRUE(outcome.finished);
    EXPECT_TRUE(outcome.is_true);
    EXPECT_EQ(outcome.end, GetParam().end)
        << (outcome.end ? describe(*outcome.end) : std::string_view("stays"));
    // The peer was as hostile as the row says.
    EXPECT_TRUE(outcome.end || (outcome.altered > 0 && outcome.flood_left == 0));
    EXPECT_LT(outcome.peak_bytes, kMostBytes);
    RecordProperty("peak_bytes", std::to_string(outcome.peak_bytes));
    RecordProperty("bytes", std::to_string(outcome.delivered));
}

using enum DisconnectReason;
using enum regtest::FaultKind;
constexpr auto kStays = std::nullopt;

// clang-format off
INSTANTIATE_TEST_SUITE_P(All, HostilePeers, testing::ValuesIn(std::initializer_list<HostileCase>{
    {"OfAnotherNetwork", [] { return saying(on_another_network()); }, wrong_network},
    {"WithTooLargeAMessage", [] { return saying(with_length(kMaxPayloadBytes + 1)); }, malformed_message},
    {"WithALargeMessageThatNeverComes", [] { return saying(with_length(kMaxPayloadBytes)); }, timed_out},
    {"WithAWrongChecksum", [] { return saying(with_wrong_checksum()); }, malformed_message},
    {"WithGarbage", [] { return with_fault(garbage); }, malformed_message},
    {"ThatDripTheirVersion", [] { return dripping_from("version"); }, timed_out},
    {"ThatDripHeaders", [] { return dripping_from("headers"); }, timed_out},
    {"ThatDripBlocks", [] { return dripping_from("merkleblock"); }, timed_out},
    {"ThatStall", [] { return with_fault(stall); }, timed_out},
    {"WithTheirVersionAgain", [] { return flooding("verack", 1'000, [] { return Version{}; }); }, kStays},
    {"WithHeadersInALoop", [] { return saying(with_headers_in_a_loop()); }, kStays},
    {"WithBranchesOfLittleWork", [] { return flooding("headers", 200, next_branch(100)); }, kStays},
    {"WithBranchesOfAlmostEnoughWork", [] { return flooding("headers", 40, next_branch(paid_chain().height() - 50)); }, unrequested},
    {"WithTreesOfFourBillion", [] { return saying(with_tree([](auto& tree) { tree.transaction_count = ~std::uint32_t{0}; })); }, invalid_proof},
    {"WithTheLargestTrees", [] { return saying(with_tree(make_largest_tree)); }, invalid_proof},
    {"WithTooManyFlags", [] { return saying(with_tree([](auto& tree) { tree.flags.resize(chain::kMaxMerkleFlagBytes + 1); })); }, malformed_message},
    {"WithInnerNodesForTransactions", [] { return saying(with_inner_nodes()); }, malformed_message},
    {"WithTransactionsOf64Bytes", [] { return saying(with_a_transaction_of_64_bytes()); }, contradicts_filter},
    {"WithFalseProofs", [] { return with_fault(corrupt_proof); }, invalid_proof},
    {"WithForeignProofs", [] { return with_fault(foreign_proof); }, unrequested},
    {"WithoutTransactionsThatTheyProved", [] { return with_fault(withhold_transaction); }, incomplete},
    {"WithTransactionsOutOfOrder", [] { return saying(in_other_order()); }, incomplete},
    {"WithTransactionsTwice", [] { return saying(with_transactions_twice()); }, incomplete},
    {"WithOtherTransactions", [] { return with_fault(swap_transactions); }, incomplete},
    {"WithUnprovenTransactions", [] { return saying(with_unproven_transactions()); }, kStays},
    {"ThatIgnoreTheFilter", [] { return with_fault(add_match); }, contradicts_filter},
    {"WithoutTheBlocksThatTheyShowed", [] { return saying(without_blocks()); }, incomplete},
    {"ThatDoNotFindTheBlocksThatTheyShowed", [] { return saying(with_notfound_for_blocks()); }, incomplete},
    {"ThatFloodNotFound", [] { return flooding("headers", 40, [] { return full_of<NotFound>(InventoryType::tx); }); }, kStays},
    {"ThatFloodNotFoundOfBlocks", [] { return flooding("headers", 40, [] { return full_of<NotFound>(InventoryType::filtered_block); }); }, kStays},
    {"ThatFloodInvOfTransactions", [] { return flooding("headers", 40, [] { return full_of<Inv>(InventoryType::tx); }); }, kStays},
    {"ThatFloodInvOfBlocks", [] { return flooding("headers", 40, [] { return full_of<Inv>(InventoryType::block); }); }, kStays},
    {"ThatFloodAddresses", [] { return flooding("verack", 300, full_addr<Addr>); }, kStays},
    {"ThatFloodBlockFilters", [] { return flooding("headers", 40, largest_block_filter); }, kStays},
    {"WithUndecodableBlockFilters", [] { return flooding("headers", 12, undecodable_block_filters()); }, kStays},
    {"ThatFloodAddressesV2", [] { return flooding("verack", 300, full_addr<AddrV2>); }, kStays},
}), [](const auto& row) { return row.param.name; });
// clang-format on

// A message of 2,000 headers makes petal request the next ones.
TEST(PeersWithFullHeadersInALoop, CostTheSyncNothing) {
    regtest::RegtestChain chain = make_paid_chain();
    chain.mine(kMaxHeadersPerMessage);
    const SyncEnd outcome = sync_beside(saying(with_the_first_headers()), chain);
    EXPECT_TRUE(outcome.finished);
    EXPECT_TRUE(outcome.is_true);
    EXPECT_EQ(outcome.end, incomplete);
    EXPECT_LT(outcome.peak_bytes, kMostBytes);
}

// Nothing of such a chain is stored until its headers have shown the minimum work.
TEST(PeersWithoutTheMinimumWork, CostTheSyncNothing) {
    regtest::RegtestChain chain = make_paid_chain();
    chain.mine(3 * kMaxHeadersPerMessage);
    regtest::RegtestChain lesser;
    lesser.mine(chain.height() - 1);
    HostilePeer peer;
    peer.chain = &lesser;
    const chain::Uint256 work = chain::Uint256(2) * (chain.height() + 1);
    const SyncEnd outcome = sync_beside(std::move(peer), chain, work);
    EXPECT_TRUE(outcome.finished);
    EXPECT_TRUE(outcome.is_true);
    EXPECT_EQ(outcome.end, lesser_branch);
    EXPECT_LT(outcome.peak_bytes, kMostBytes);
}

/// A block of almost the maximum size, of the smallest transactions, on paid_chain().
regtest::RegtestChain make_full_chain() {
    constexpr std::size_t kTransactions = 16'650;
    regtest::RegtestChain chain = make_paid_chain();
    const Bytes anyone{0x52};
    const regtest::RegtestBlock funding = chain.mine_block(
        {chain.make_payment(std::vector<chain::TxOutput>(kTransactions, {1'000, anyone}))});
    std::vector<chain::Transaction> spends(kTransactions);
    for (std::uint32_t i = 0; i < kTransactions; ++i) {
        spends[i].inputs.emplace_back().prevout = {funding.txids.back(), i};
        spends[i].outputs.push_back({900, {}});
    }
    chain.mine_block(std::move(spends));
    return chain;
}

/// Proves and sends all transactions of the last block.
Say with_the_whole_block(const regtest::RegtestChain& chain) {
    return in_place_of<MerkleBlock>([&chain](const MerkleBlock& block) {
        if (block.header.hash() != chain.tip()) return as_sent(block);
        const regtest::RegtestBlock& full = chain.blocks().tip().block();
        const std::vector<bool> matches(full.txids.size(), true);
        Bytes bytes =
            as_sent(MerkleBlock{block.header, chain::make_merkle_proof(full.txids, matches)});
        for (const chain::Transaction& each : full.transactions) append(bytes, as_sent(Tx{each}));
        return bytes;
    });
}

TEST(PeersThatProveAWholeBlock, CostTheSyncNothing) {
    const regtest::RegtestChain chain = make_full_chain();
    const SyncEnd outcome = sync_beside(saying(with_the_whole_block(chain)), chain);
    EXPECT_TRUE(outcome.finished);
    EXPECT_TRUE(outcome.is_true);
    EXPECT_EQ(outcome.end, contradicts_filter);
    EXPECT_LT(outcome.peak_bytes, kMostBytes);
}

// The peer answers one message more each time, until it answers all of them.
TEST(SilentPeers, CostTheSyncNothingWhateverTheyAreAsked) {
    std::uint32_t messages = 0;
    for (bool is_silent = true; is_silent; ++messages) {
        HostilePeer peer;
        peer.behaviour.silent_after = messages;
        const SyncEnd outcome = sync_beside(std::move(peer));
        ASSERT_TRUE(outcome.finished && outcome.is_true) << messages;
        EXPECT_LT(outcome.peak_bytes, kMostBytes) << messages;
        is_silent = outcome.end == timed_out;
        EXPECT_TRUE(is_silent || !outcome.end) << messages;
    }
    EXPECT_GE(messages, 10U);
}

TEST(BrokenConnections, CostTheSyncNothingAtAnyByte) {
    regtest::RegtestChain chain;
    for (std::uint32_t i = 0; i < 6; ++i) chain.mine(1, ListWatcher::script(i));
    const std::size_t whole = sync_beside({}, chain).delivered;
    for (std::size_t bytes = 0; bytes < whole; ++bytes) {
        HostilePeer peer;
        peer.cut_after = bytes;
        const SyncEnd outcome = sync_beside(std::move(peer), chain);
        ASSERT_TRUE(outcome.finished && outcome.is_true) << bytes;
        ASSERT_LT(outcome.peak_bytes, kMostBytes);
    }
    EXPECT_GT(whole, 2'000U);
}

}  // namespace
}  // namespace petal::net
