// Unconfirmed payments in filters: the watcher's hide among strangers'.
#include <gtest/gtest.h>

#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "chain/network_params.h"
#include "net/regtest/regtest_chain.h"
#include "net/sync/engine_memory.h"
#include "net/sync/pending_memory.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal {
namespace {

using net::PendingMemory;
using std::chrono::seconds;
using test::ListWatcher;

chain::Outpoint outpoint(std::uint32_t number) {
    chain::Outpoint result;
    result.txid.bytes[0] = 1;
    result.index = number;
    return result;
}

chain::Transaction spending(const std::vector<std::uint32_t>& numbers) {
    chain::Transaction transaction;
    for (const std::uint32_t number : numbers) {
        transaction.inputs.emplace_back().prevout = outpoint(number);
    }
    return transaction;
}

constexpr std::uint32_t kHeight = 500;
constexpr std::uint32_t kSettled = kHeight + chain::kReorganisationReach + 1;

chain::ProvenBlock block_of(const std::vector<chain::Transaction>& transactions,
                            std::uint32_t height = kHeight) {
    chain::ProvenBlock block;
    block.block.height = height;
    for (const auto& transaction : transactions) {
        block.transactions.push_back({1, transaction.txid(), transaction});
    }
    return block;
}

bool add(PendingMemory& memory, const chain::Transaction& transaction, std::int64_t now = 0) {
    const chain::Txid txid = transaction.txid();
    return memory.add(transaction, txid, {{txid, 0}}, now);
}

chain::Bytes encoded(const PendingMemory& memory) {
    chain::ByteWriter writer;
    memory.write(writer);
    return writer.take();
}

/// Nothing where the bytes are refused.
std::optional<std::vector<chain::Outpoint>> decoded(const chain::Bytes& bytes) {
    chain::ByteReader reader{bytes};
    const PendingMemory memory = PendingMemory::read(reader);
    if (!reader.ok()) return std::nullopt;
    return memory.outpoints();
}

TEST(PendingMemory, HoldsWhatATransactionSpendsAndBrings) {
    PendingMemory memory;
    const auto pending = spending({1, 2});
    EXPECT_TRUE(add(memory, pending));
    EXPECT_FALSE(add(memory, pending)) << "it is there";
    EXPECT_EQ(memory.size(), 3U);
    for (const auto& held : {outpoint(1), outpoint(2), chain::Outpoint{pending.txid(), 0}}) {
        EXPECT_TRUE(memory.contains(held));
    }
    EXPECT_FALSE(memory.contains(outpoint(3)));
    EXPECT_EQ(memory.outpoints().size(), 3U);
}

TEST(PendingMemory, HoldsWhatABlockMakesImpossibleUntilThatIsSettled) {
    const auto confirmed = spending({1, 2});
    const auto replaced = spending({3, 4});
    const auto stays = spending({4, 5});
    PendingMemory memory;
    for (const auto& pending : {confirmed, replaced, stays}) EXPECT_TRUE(add(memory, pending));
    EXPECT_EQ(memory.size(), 8U) << "two of them spend one";
    memory.on_block(block_of({confirmed, spending({3, 9})}), kHeight);
    EXPECT_EQ(memory.size(), 5U);
    EXPECT_FALSE(memory.contains(outpoint(1)));
    EXPECT_TRUE(memory.contains(outpoint(3)));
    memory.on_block(block_of({}, kSettled), kSettled - 1);
    EXPECT_TRUE(memory.contains(outpoint(3)));
    memory.on_block(block_of({}, kSettled), kSettled);
    EXPECT_EQ(memory.size(), 3U);
    EXPECT_FALSE(memory.contains(outpoint(3)));
    EXPECT_TRUE(memory.contains(outpoint(4))) << "something else spends it, too";
}

TEST(PendingMemory, HoldsAgainWhatIsUnconfirmedAgain) {
    const auto confirmed = spending({1});
    const auto replaced = spending({3});
    PendingMemory memory;
    add(memory, confirmed);
    add(memory, replaced);
    memory.on_block(block_of({confirmed, spending({3, 9})}), kHeight);
    memory.undo_to(kHeight);
    EXPECT_FALSE(memory.contains(outpoint(1)));
    memory.undo_to(kHeight - 1);
    EXPECT_EQ(memory.size(), 4U);
    memory.on_block(block_of({replaced}, kHeight), kHeight);
    EXPECT_TRUE(memory.contains(outpoint(1)));
    EXPECT_FALSE(memory.contains(outpoint(3)));
}

TEST(PendingMemory, ForgetsWhatNodesHaveForgotten) {
    PendingMemory memory;
    add(memory, spending({1}), 1'000);
    add(memory, spending({2}), 1'000 + net::kPendingLifetime);
    EXPECT_TRUE(memory.contains(outpoint(1)));
    add(memory, spending({3}), 1'001 + net::kPendingLifetime);
    EXPECT_FALSE(memory.contains(outpoint(1)));
    EXPECT_TRUE(memory.contains(outpoint(2)));
}

TEST(PendingMemory, IsNotFloodedAndDrivesNobodyOut) {
    PendingMemory memory;
    std::uint32_t taken = 0;
    while (add(memory, spending({taken}))) ++taken;
    EXPECT_EQ(taken, net::kMaxPendingOutpoints / 2);
    EXPECT_EQ(memory.size(), net::kMaxPendingOutpoints);
    EXPECT_TRUE(memory.contains(outpoint(0)));
    memory.on_block(block_of({spending({0})}), kSettled);
    EXPECT_FALSE(add(memory, spending({5'000, 5'001}))) << "room for two, and it has three";
    EXPECT_TRUE(add(memory, spending({5'000})));
}

TEST(PendingMemory, IsNotFloodedByThoseThatSpendOneCoin) {
    PendingMemory memory;
    std::uint32_t taken = 0;
    for (chain::Transaction pending = spending({1}); taken < 5'000; ++taken) {
        pending.lock_time = taken;
        if (!memory.add(pending, pending.txid(), {}, 0)) break;
    }
    EXPECT_EQ(taken, net::kMaxPendingOutpoints);
    EXPECT_EQ(memory.size(), 1U);
    EXPECT_EQ(decoded(encoded(memory)), memory.outpoints());
    EXPECT_FALSE(memory.add(chain::Transaction{}, {}, {}, 0)) << "nothing to hold";
}

TEST(PendingMemory, SurvivesAsBytes) {
    PendingMemory memory;
    for (const auto& pending : {spending({1, 2}), spending({2, 3}), spending({4})}) {
        add(memory, pending, 77);
    }
    memory.on_block(block_of({spending({4}), spending({1})}), kHeight);
    const chain::Bytes bytes = encoded(memory);
    chain::ByteReader reader{bytes};
    PendingMemory read = PendingMemory::read(reader);
    reader.expect_end();
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(read.outpoints(), memory.outpoints());
    read.undo_to(0);
    memory.undo_to(0);
    EXPECT_EQ(read.outpoints(), memory.outpoints());
    EXPECT_EQ(read.size(), 7U);
    add(read, spending({9}), 78 + net::kPendingLifetime);
    EXPECT_EQ(read.size(), 2U) << "its age survives, too";
}

TEST(PendingMemory, IsRefusedWhereNoneWroteIt) {
    PendingMemory memory;
    add(memory, spending({1}));
    const chain::Bytes once = encoded(memory);
    EXPECT_TRUE(decoded(once));
    chain::Bytes twice = once;
    twice.insert(twice.end(), once.begin() + 1, once.end());
    twice[0] = 2;
    EXPECT_FALSE(decoded(twice)) << "one transaction twice";
    chain::Bytes ageless = once;
    ageless[40] = 0xff;  // behind the count and the txid: the highest byte of the time
    EXPECT_FALSE(decoded(ageless));
    chain::Bytes fateless = once;
    fateless[once.size() - 5] = 3;  // before the height
    EXPECT_FALSE(decoded(fateless));
}

/// Peers whose filters are loaded while payments are pending.
class PendingPayments : public testing::TestWithParam<bool> {
protected:
    PendingPayments() {
        chain.mine(110);
        chain.pay(chain::Bytes{0x51}, 7'000);  // has the chain mine what it pays from
        chain.mine();
        const ListWatcher same;
        stranger =
            test::stranger_that_matches({same.watch_list().elements, same.filter_padding(), kRate});
    }

    /// A process follows the chain, from a peer that is new to it, while something happens. Returns
    /// the first filter that it loads.
    std::optional<bloom::BloomFilter> follow(
        bool whole_blocks = false, const std::function<void()>& what_happens = [] {}) {
        net::SyncOptions options;
        options.false_positive_rate = kRate;
        options.wait_unconfirmed = net::SyncOptions::kForever;
        options.full_blocks = whole_blocks;
        net::SyncEngine engine(headers, watcher, options);
        test::SimulatedNetwork network(engine);
        std::optional<bloom::BloomFilter> first;
        network.on_sent = [&first](const net::Message& message) {
            const auto* load = std::get_if<net::FilterLoad>(&message);
            if (load && !first) first = bloom::BloomFilter::decode(load->payload).value();
        };
        network.connect(chain);
        network.run_for(seconds{30});
        what_happens();
        network.run_for(seconds{30});
        return first;
    }

    /// One to the watcher and one to the stranger, while a process follows.
    std::pair<chain::Txid, chain::Txid> see_two_payments() {
        std::pair<chain::Txid, chain::Txid> txids;
        follow(GetParam(), [&] {
            txids = {chain.pay(ListWatcher::script(4), 7'000),
                     chain.pay(stranger.script_pubkey, 7'000)};
        });
        return txids;
    }

    /// What a transaction in the mempool spends and brings.
    std::vector<chain::Outpoint> outpoints_of(const chain::Txid& txid) const {
        std::vector<chain::Outpoint> result{{txid, 0}};
        for (const auto& input : chain.find_in_mempool(txid)->inputs) {
            result.push_back(input.prevout);
        }
        return result;
    }

    net::PendingMemory remembered() const {
        return net::decode_engine_memory(watcher.sync_state().engine_memory).value().pending;
    }

    static constexpr double kRate = 2.5e-4;
    net::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    ListWatcher watcher;
    chain::TxOutput stranger;
};

TEST_P(PendingPayments, HideAmongStrangersFromThoseWhoComeLater) {
    chain::Txid own;
    chain::Txid others;
    chain::Txid unrelated;
    follow(GetParam(), [&] {
        own = chain.pay(ListWatcher::script(4), 7'000);
        others = chain.pay(stranger.script_pubkey, 7'000);
        unrelated = chain.pay(chain::Bytes{0x51}, 7'000);
    });
    EXPECT_TRUE(watcher.knowledge().contains(own));
    EXPECT_FALSE(watcher.knowledge().contains(others));
    EXPECT_GE(remembered().size(), 4U);

    const auto filter = follow();
    ASSERT_TRUE(filter);
    for (const auto& txid : {own, others}) {
        for (const auto& held : outpoints_of(txid)) {
            EXPECT_TRUE(filter->contains(held.serialize()));
        }
    }
    for (const auto& held : outpoints_of(unrelated)) {
        EXPECT_FALSE(filter->contains(held.serialize()));
    }
}

// What spends a coin beside the watcher's may be replaced, too.
TEST_P(PendingPayments, HideTheirInputsWhateverTheyPay) {
    const auto coin = chain.pay(ListWatcher::script(4), 7'000);
    const auto beside = chain.pay(chain::Bytes{0x51}, 7'000);
    chain.mine();
    follow(GetParam(), [&] {
        chain.submit(chain.make_spend({{{coin, 0}, {beside, 0}}}, {{9'000, chain::Bytes{0x51}}}));
    });
    EXPECT_EQ(remembered().size(), 2U);
    EXPECT_TRUE(remembered().contains({coin, 0}));
    EXPECT_TRUE(remembered().contains({beside, 0}));
}

TEST_P(PendingPayments, AreForgottenWhenABlockDecides) {
    const auto [own, replaced] = see_two_payments();
    EXPECT_GE(remembered().size(), 4U);
    const chain::Transaction kept = *chain.find_in_mempool(own);
    const auto prevout = chain.find_in_mempool(replaced)->inputs[0].prevout;
    chain.mine_block({kept, chain.make_spend({{prevout}}, {{1'000, chain::Bytes{0x51}}})});
    follow(GetParam());
    EXPECT_FALSE(remembered().contains(kept.inputs[0].prevout)) << "it is confirmed";
    EXPECT_TRUE(remembered().contains(prevout)) << "that may be undone";
    chain.mine(chain::kReorganisationReach + 1);
    follow(GetParam());
    EXPECT_EQ(remembered().size(), 0U);
    EXPECT_TRUE(follow()->contains(chain::Outpoint{own, 0}.serialize()));
}

TEST_P(PendingPayments, HideAgainWhenTheirBlockIsUndone) {
    const auto [own, others] = see_two_payments();
    std::vector<chain::Outpoint> spent;
    for (const auto& txid : {own, others}) {
        for (const auto& input : chain.find_in_mempool(txid)->inputs) {
            spent.push_back(input.prevout);
        }
    }
    chain.mine();
    follow(GetParam());
    EXPECT_EQ(remembered().size(), 0U);
    chain.reorganise(chain.height() - 1, 2, net::RegtestChain::Dropped::forgotten);
    follow(GetParam());
    for (const auto& outpoint : spent) EXPECT_TRUE(remembered().contains(outpoint));
}

INSTANTIATE_TEST_SUITE_P(From, PendingPayments, testing::Bool(), [](const auto& row) {
    return row.param ? "WholeBlocks" : "FilteredBlocks";
});

}  // namespace
}  // namespace petal
