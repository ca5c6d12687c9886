// The scan by itself, driven by hand: kills, reorganisations, and differing answers of several
// servers.
#include "net/sync/blocks/scan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <span>
#include <vector>

#include "chain/network_params.h"
#include "chain/script/script.h"
#include "regtest/chain/regtest_chain.h"
#include "tests/support/list_watcher.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using test::ListWatcher;
using Transactions = std::vector<chain::Transaction>;

constexpr net::PeerId kFirst = 1;
constexpr net::PeerId kSecond = 2;

/// Pays one of the watcher's scripts. A different `salt` makes a different transaction.
chain::Transaction payment(std::uint32_t script, std::uint8_t salt) {
    chain::Transaction transaction;
    transaction.inputs.emplace_back().prevout.txid.bytes[0] = salt;
    transaction.outputs.push_back({1'000, ListWatcher::script(script)});
    return transaction;
}

net::HeightRanges from_to(std::uint32_t first, std::uint32_t last) {
    net::HeightRanges heights;
    if (first <= last) heights.add(first, last);
    return heights;
}

/// Records the state that it was last told to store, whether or not its list grew.
class RecordingWatcher : public ListWatcher {
public:
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::StateAfter& state_after) override {
        return ListWatcher::apply(blocks, [&](const chain::ApplyResult& result) {
            return state_told = state_after(result);
        });
    }
    chain::SyncState state_told;
};

/// A chain with other blocks from this height on.
regtest::RegtestChain branch_from(std::uint32_t first, std::uint32_t count) {
    regtest::RegtestChain branch;
    branch.mine(first - 1);
    branch.mine(count, ListWatcher::script(900));
    return branch;
}

class Scan : public testing::Test {
protected:
    Scan() { chain.mine(10); }

    /// Accepts the headers of these blocks of a branch.
    chain::ChainMove accept(const regtest::RegtestChain& branch, std::uint32_t first,
                            std::uint32_t last) {
        constexpr std::int64_t kLater = 1'800'000'000;
        std::vector<chain::BlockHeader> added;
        for (; first <= last; ++first) added.push_back(branch.block_at(first).header);
        return headers.accept(added, kLater).move;
    }

    /// Starts a scan as a new process does, from what the previous one has stored.
    void start() {
        keeper.emplace(headers, watcher, std::nullopt);
        scan.emplace(headers, watcher, *keeper);
        ASSERT_TRUE(scan->align(/*headers_complete=*/true));
    }
    /// Ends the process. Whatever is not stored is lost.
    void kill() {
        scan.reset();
        keeper.reset();
    }

    std::vector<chain::BlockRef> take(net::PeerId peer, std::size_t max) {
        const auto any = [](std::uint32_t) { return true; };
        return scan->take(peer, max, headers.tip().height, any, milliseconds{0});
    }

    /// The block as a server delivers it. The first output of each transaction is added to the
    /// filter.
    net::Delivery delivery(std::uint32_t height, const Transactions& matches,
                           const net::HeightRanges& covered = {}) {
        net::Delivery result;
        result.covered = covered;
        result.block.block = {height, headers.hash_at(height)};
        result.block.header = headers.header_at(height);
        result.block.transaction_count = 10;
        result.searched_for = asked_at;
        std::uint32_t position = 1;
        for (const auto& match : matches) {
            result.inserted.push_back({match.txid(), 0});
            result.block.transactions.push_back({position++, match.txid(), match});
        }
        return result;
    }

    /// Delivers a block. The server's filter contains what is found in it for the blocks up to
    /// `covered_to`.
    void deliver(std::uint32_t height, const Transactions& matches = {},
                 std::uint32_t covered_to = 0) {
        scan->deliver(delivery(height, matches, from_to(height + 1, covered_to)));
    }

    /// Lets one honest server search all remaining blocks by one filter.
    void search_all(const std::map<std::uint32_t, Transactions>& matches) {
        for (auto blocks = take(kFirst, 100); !blocks.empty(); blocks = take(kFirst, 100)) {
            asked_at = keeper->checkpoint().coverage.mark();
            for (const auto& block : blocks) {
                const auto found = matches.find(block.height);
                deliver(block.height, found == matches.end() ? Transactions{} : found->second,
                        blocks.back().height);
            }
            scan->apply();
        }
        scan->apply();
        EXPECT_TRUE(scan->complete());
    }

    regtest::RegtestChain chain;
    chain::HeaderChain headers{*chain::find_network("regtest")};
    RecordingWatcher watcher;
    std::optional<net::CheckpointKeeper> keeper;
    std::optional<net::Scan> scan;
    /// The state of the filter by which the next blocks are served.
    net::Coverage::Mark asked_at = 0;
};

TEST_F(Scan, RequestsDisputedBlocksAgainOnlyOnceTheyAreDistrusted) {
    accept(chain, 1, 10);
    start();
    search_all({});
    scan->dispute(from_to(3, 6));
    scan->apply();
    EXPECT_EQ(scan->synced_height(), 2U) << "stored at once";
    EXPECT_EQ(watcher.sync_state().synced->height, 2U);
    EXPECT_FALSE(scan->complete());
    EXPECT_TRUE(scan->is_complete_but_for_disputes());
    EXPECT_TRUE(take(kFirst, 10).empty());

    scan->distrust(from_to(4, 4));
    EXPECT_FALSE(scan->is_complete_but_for_disputes());
    const auto taken = take(kFirst, 10);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].height, 4U);
    asked_at = keeper->checkpoint().coverage.mark();
    deliver(4);

    scan->end_dispute(from_to(1, 5));
    EXPECT_EQ(scan->disputed(), from_to(6, 6));
    scan->apply();
    EXPECT_EQ(scan->synced_height(), 5U);
    scan->end_dispute(from_to(1, 10));
    scan->apply();
    EXPECT_TRUE(scan->complete());
}

TEST_F(Scan, RequestsDistrustedBlocksAgainWhateverADisputeSays) {
    accept(chain, 1, 10);
    start();
    search_all({});
    scan->distrust(from_to(3, 3));
    scan->dispute(from_to(3, 4));
    EXPECT_EQ(scan->disputed(), from_to(4, 4));
    scan->end_dispute(from_to(3, 4));
    const auto taken = take(kFirst, 10);
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_EQ(taken[0].height, 3U);
}

TEST_F(Scan, ForgetsDisputesAboveAFork) {
    accept(chain, 1, 10);
    start();
    search_all({});
    scan->dispute(from_to(3, 10));
    const auto move = accept(branch_from(7, 6), 7, 12);
    scan->on_chain_moved(move);
    EXPECT_EQ(scan->disputed(), from_to(3, 6));
}

TEST_F(Scan, KeepsOnlyOutpointsWhoseOutputsMatchTheBase) {
    accept(chain, 1, 10);
    start();
    take(kFirst, 100);
    // A stranger's transaction. It matched because of outpoints that the server's filter had gained
    // by then.
    const chain::Transaction stray = payment(4'000, 1);
    const chain::Transaction own = payment(3, 2);
    const auto found = scan->deliver(delivery(5, {stray, own}));
    EXPECT_EQ(found, std::vector{(chain::Outpoint{own.txid(), 0})});
    EXPECT_EQ(keeper->checkpoint().outpoints.outpoints(), found);
}

// The best chain leaves block 9, in which a payment was found, and returns to it. The watcher heard
// of the first move only, which disconnected block 9, so it must be shown the block again.
TEST_F(Scan, IsRightAfterTwoReorganisationsAndAKill) {
    chain.mine(3);
    regtest::RegtestChain branch = branch_from(8, 4);
    accept(chain, 1, 10);
    const auto paid = payment(2, 9);
    start();
    take(kFirst, 5);
    take(kSecond, 1);
    deliver(6);
    // The outpoint found in block 3 was not in the filter for block 6, so the watcher is covered up
    // to block 5 only.
    for (std::uint32_t height = 1; height <= 5; ++height) {
        deliver(height, height == 3 ? Transactions{payment(1, 3)} : Transactions{}, 5);
    }
    take(kFirst, 4);
    asked_at = 1;
    for (std::uint32_t height = 7; height <= 10; ++height) {
        deliver(height, height == 9 ? Transactions{paid} : Transactions{}, 10);
    }
    EXPECT_FALSE(scan->apply().grew);
    EXPECT_EQ(watcher.sync_state().synced->height, 5U);
    EXPECT_EQ(watcher.knowledge().at(paid.txid()), 9U);
    scan->on_chain_moved(accept(branch, 8, 11));
    scan->on_chain_moved(accept(chain, 11, 13));
    kill();
    start();
    search_all({{9, {paid}}});
    EXPECT_EQ(scan->synced_height(), 13U);
    EXPECT_EQ(watcher.knowledge().at(paid.txid()), 9U);
}

// A block makes the list grow, so the blocks above it are dropped and will be searched again.
// Nothing that they decided counts any more, even if it was deep enough to seem settled.
TEST_F(Scan, RestoresUndecidedMatchesIfTheListGrowsBelow) {
    accept(chain, 1, 10);
    start();
    auto coin = payment(0, 1);
    coin.outputs = {test::foreign_output_that_matches(keeper->filter_base())};
    const auto element = chain::watch_element(coin.outputs[0].script_pubkey);
    // The output is a bare push of the same data, whose spends are not verified.
    coin.outputs[0].script_pubkey = chain::push_data(element);
    search_all({{5, {coin}}});
    chain.mine(3 * chain::kReorganisationReach);
    const std::uint32_t first = scan->next_height();
    accept(chain, first, chain.height());
    auto paid = payment(3, 44);
    paid.inputs.emplace_back().prevout = {coin.txid(), 0};
    keeper->unconfirmed().add(paid, paid.txid(), {});
    take(kFirst, 1'000);
    for (std::uint32_t height = first; height <= chain.height(); ++height) {
        Transactions matches;
        if (height == first + 1) matches = {payment(25, 5)};
        if (height == first + 2) matches = {paid};
        deliver(height, matches, chain.height());
    }
    EXPECT_TRUE(scan->apply().grew);
    EXPECT_EQ(scan->next_height(), first + 1);
    EXPECT_EQ(keeper->checkpoint().unconfirmed.size(), 3U);
    EXPECT_TRUE(keeper->checkpoint().outpoints.contains({coin.txid(), 0}));
}

// Another process extended the list after the filter was made, and the engine has not been told.
TEST_F(Scan, StoresTheLengthOfTheSearchedList) {
    accept(chain, 1, 10);
    start();
    keeper->filter_base();
    watcher.grow_elsewhere();
    EXPECT_TRUE(watcher.refresh());
    search_all({});
    EXPECT_EQ(watcher.watched_elements(0).size(), 60U);
    EXPECT_EQ(keeper->checkpoint().watched_elements, 30U);
}

// A block that waits for lower ones has not been shown to the watcher. It is not known yet which of
// its outpoints are the watcher's, so they must be kept.
TEST_F(Scan, KeepsOutpointsOfHeldBlocksWhenItIsFull) {
    accept(chain, 1, 10);
    start();
    take(kFirst, 1);
    take(kSecond, 1);
    take(kFirst, 1);
    auto flooding = payment(0, 1);
    flooding.outputs.assign(net::kMaxRemembered,
                            test::foreign_output_that_matches(keeper->filter_base()));
    auto flood = delivery(1, {flooding});
    const chain::Txid txid = flood.inserted[0].txid;
    for (std::uint32_t i = 1; i < net::kMaxRemembered; ++i) flood.inserted.push_back({txid, i});
    scan->deliver(std::move(flood));
    const auto held = payment(1, 3);
    deliver(3, {held});
    EXPECT_EQ(keeper->checkpoint().outpoints.size(), net::kMaxRemembered + 1);
    scan->apply();
    EXPECT_EQ(keeper->checkpoint().outpoints.outpoints(),
              std::vector{(chain::Outpoint{held.txid(), 0})});
}

/// Requests blocks from one server. The block at a given height makes the list grow.
class ScanOfAGrowingList : public Scan {
protected:
    ScanOfAGrowingList() {
        chain.mine(600);
        accept(chain, 1, chain.height());
        start();
    }

    std::size_t requested() { return (blocks = take(kFirst, 1'000)).size(); }

    void grow_at(std::uint32_t height, std::uint32_t script) {
        for (const auto& block : blocks) {
            const bool grows = block.height == height;
            deliver(block.height, grows ? Transactions{payment(script, 1)} : Transactions{});
        }
        EXPECT_TRUE(scan->apply().grew);
        EXPECT_EQ(scan->next_height(), height);
    }

    void deliver_without_growth() {
        for (const auto& block : blocks) deliver(block.height);
        EXPECT_FALSE(scan->apply().grew);
    }

    std::vector<chain::BlockRef> blocks;
};

TEST_F(ScanOfAGrowingList, EncodesBlocksBelowTheGrowth) {
    requested();
    grow_at(100, 25);
    EXPECT_EQ(watcher.state_told.synced, (chain::BlockRef{99, headers.hash_at(99)}));
    const auto told = net::decode_sync_checkpoint(watcher.state_told.sync_checkpoint);
    ASSERT_TRUE(told);
    EXPECT_EQ(told->applied, watcher.state_told.synced);
}

TEST_F(ScanOfAGrowingList, RequestsBlocksUpToTheExpectedGrowth) {
    EXPECT_EQ(requested(), 610U);
    grow_at(100, 25);
    EXPECT_EQ(requested(), 111U);  // 99 blocks and an eighth
    deliver_without_growth();
    EXPECT_EQ(requested(), 55U);  // half of the 111 blocks that came without growth
    grow_at(220, 55);
    EXPECT_EQ(requested(), 135U);  // 120 blocks and an eighth
}

TEST_F(ScanOfAGrowingList, RequestsBlocksAheadAfterAShortSpan) {
    requested();
    grow_at(101, 25);
    requested();
    grow_at(102, 55);
    EXPECT_EQ(requested(), 56U);  // as if the list had grown after 50 blocks
    grow_at(103, 85);
    EXPECT_EQ(requested(), 50U);
}

TEST_F(ScanOfAGrowingList, CountsFromTheStartOfTheScan) {
    blocks = take(kFirst, 300);
    deliver_without_growth();
    kill();
    start();
    requested();
    grow_at(365, 25);
    EXPECT_EQ(requested(), 72U);  // 64 blocks and an eighth
}

TEST_F(ScanOfAGrowingList, ExpectsGrowthAboveAFork) {
    requested();
    grow_at(201, 25);
    requested();
    grow_at(401, 55);
    scan->on_chain_moved(accept(branch_from(351, 261), 351, 611));
    EXPECT_EQ(requested(), 225U);  // 200 blocks and an eighth
}

// An import, for example, makes the scan start again below confirmed transactions.
TEST_F(Scan, KeepsConfirmationsThatAreStillInTheChain) {
    accept(chain, 1, 10);
    start();
    const auto early = payment(1, 1);
    const auto late = payment(2, 2);
    search_all({{5, {early}}, {8, {late}}});
    kill();
    watcher.rescan();
    accept(branch_from(8, 5), 8, 12);
    start();
    EXPECT_EQ(scan->next_height(), 1U);
    EXPECT_EQ(watcher.knowledge().at(early.txid()), 5U);
    EXPECT_EQ(watcher.knowledge().at(late.txid()), std::nullopt);
}

// The stored headers are lost, and those of block 6 and above come later.
TEST_F(Scan, KeepsConfirmationsAboveTheKnownHeadersUntilAllAreThere) {
    accept(chain, 1, 10);
    start();
    const auto late = payment(2, 2);
    search_all({{8, {late}}});
    kill();
    watcher.rescan();
    headers = chain::HeaderChain{*chain::find_network("regtest")};
    accept(chain, 1, 5);
    keeper.emplace(headers, watcher, std::nullopt);
    scan.emplace(headers, watcher, *keeper);
    ASSERT_TRUE(scan->align(/*headers_complete=*/false));
    EXPECT_EQ(watcher.knowledge().at(late.txid()), 8U);
    accept(branch_from(6, 4), 6, 9);
    scan->on_chain_moved(scan->take_missed_move().value());
    EXPECT_EQ(scan->take_missed_move(), std::nullopt);
    EXPECT_EQ(watcher.knowledge().at(late.txid()), 8U) << "the new branch has no block yet";
    search_all({});
    EXPECT_EQ(watcher.knowledge().at(late.txid()), std::nullopt);
}

TEST_F(Scan, ReliesOnTheWatcherIfTheListGrowsBeforeTheHeaders) {
    accept(chain, 1, 10);
    start();
    search_all({{8, {payment(2, 2)}}});
    kill();
    headers = chain::HeaderChain{*chain::find_network("regtest")};
    keeper.emplace(headers, watcher, std::nullopt);
    scan.emplace(headers, watcher, *keeper);
    ASSERT_FALSE(scan->align(/*headers_complete=*/false));
    watcher.grow_elsewhere();
    ASSERT_TRUE(watcher.refresh());
    watcher.rescan();
    scan->restart();
    accept(chain, 1, 10);
    ASSERT_TRUE(scan->align(/*headers_complete=*/true));
    EXPECT_EQ(scan->next_height(), 1U);
}

// Whether the branch has blocks shows only once the first has arrived.
TEST_F(Scan, UndoesNothingForABranchWithoutBlocks) {
    accept(chain, 1, 10);
    start();
    const auto late = payment(2, 2);
    search_all({{9, {late}}});
    scan->on_chain_moved(accept(branch_from(8, 4), 8, 11));
    scan->apply();
    EXPECT_EQ(watcher.knowledge().at(late.txid()), 9U);
    take(kFirst, 10);
    deliver(8);
    scan->apply();
    EXPECT_EQ(watcher.knowledge().at(late.txid()), std::nullopt);
}

// Filters then need the outpoints of the watcher that were spent in the undone blocks.
TEST_F(Scan, UndoesALongBranchAtOnce) {
    constexpr std::uint32_t kReach = chain::kReorganisationReach;
    chain.mine(kReach);
    accept(chain, 1, chain.height());
    start();
    const auto late = payment(2, 2);
    search_all({{chain.height(), {late}}});
    const std::uint32_t fork = chain.height() - kReach;
    const auto move_to_branch_above = [&](std::uint32_t height) {
        const regtest::RegtestChain branch = branch_from(height + 1, 2 * kReach);
        scan->on_chain_moved(accept(branch, height + 1, headers.tip().height + 1));
    };
    move_to_branch_above(fork);
    EXPECT_EQ(watcher.knowledge().at(late.txid()), chain.height());
    move_to_branch_above(fork - 1);
    EXPECT_EQ(watcher.knowledge().at(late.txid()), std::nullopt);
}

// The block in which the list grew is below the fork, and is searched again.
TEST_F(Scan, UndoesNothingForABranchWithoutBlocksAfterTheListGrew) {
    accept(chain, 1, 10);
    start();
    const auto late = payment(2, 2);
    search_all({{9, {late}}});
    kill();
    watcher.rescan();
    start();
    const auto growing = payment(25, 5);
    take(kFirst, 10);
    deliver(1, {}, 10);
    deliver(2, {growing}, 10);
    EXPECT_TRUE(scan->apply().grew);
    scan->on_chain_moved(accept(branch_from(8, 4), 8, 11));
    EXPECT_EQ(watcher.knowledge().at(late.txid()), 9U);
    take(kFirst, 10);
    for (std::uint32_t height = 2; height <= 7; ++height) {
        deliver(height, height == 2 ? Transactions{growing} : Transactions{}, 10);
    }
    scan->apply();
    EXPECT_EQ(watcher.knowledge().at(late.txid()), 9U);
    EXPECT_EQ(watcher.knowledge().at(growing.txid()), 2U);
    deliver(8, {}, 10);
    scan->apply();
    EXPECT_EQ(watcher.knowledge().at(late.txid()), std::nullopt);
    EXPECT_EQ(watcher.knowledge().at(growing.txid()), 2U);
}

/// A new watcher has been shown all ten blocks, searched for its thirty scripts. But blocks 4 to 6
/// were searched without the outpoint found in block 2.
class ScanWithAGap : public Scan {
protected:
    ScanWithAGap() {
        accept(chain, 1, 10);
        start();
        take(kFirst, 3);
        take(kSecond, 7);
        for (std::uint32_t height = 4; height <= 10; ++height) deliver(height);
        for (std::uint32_t height = 1; height <= 3; ++height) {
            net::HeightRanges covered = from_to(height + 1, 3);
            covered.add(7, 10);
            const auto matches = height == 2 ? Transactions{payment(1, 3)} : Transactions{};
            scan->deliver(delivery(height, matches, covered));
        }
        scan->apply();
        EXPECT_EQ(watcher.sync_state().synced->height, 3U);
        asked_at = keeper->checkpoint().coverage.mark();
    }

    // Once this is known, sixty scripts are watched.
    const chain::Transaction growing = payment(25, 5);
    const chain::Transaction late = payment(45, 9);
};

// A block that is searched again makes the list grow, and the process is killed before the next
// batch.
TEST_F(ScanWithAGap, RescansWithTheGrownListAfterAKill) {
    for (const auto& block : take(kFirst, 10)) {
        deliver(block.height, block.height == 5 ? Transactions{growing} : Transactions{});
    }
    EXPECT_TRUE(scan->apply().grew);
    EXPECT_EQ(watcher.watched(), 60U);
    EXPECT_EQ(scan->next_height(), 5U);
    kill();
    start();
    search_all({{5, {growing}}, {8, {late}}});
    EXPECT_TRUE(watcher.knowledge().contains(late.txid()));
}

// The watcher's recorded height stays the same. Only the length of its list shows that blocks 7 to
// 10 were searched for fewer scripts than it watches now.
TEST_F(ScanWithAGap, RescansAfterUnconfirmedGrowthAndAKill) {
    const chain::UnconfirmedTransaction seen{growing.txid(), growing, 0};
    EXPECT_TRUE(watcher.apply_unconfirmed({&seen, 1}, watcher.sync_state()));
    kill();
    start();
    EXPECT_EQ(scan->next_height(), 4U);
    search_all({{8, {late}}});
    EXPECT_TRUE(watcher.knowledge().contains(late.txid()));
}

TEST_F(ScanWithAGap, RequestsFewBlocksAheadAfterItsListGrewAboveAndBelow) {
    chain.mine(600);
    accept(chain, 11, chain.height());
    auto blocks = take(kFirst, 1'000);
    ASSERT_EQ(blocks.size(), 600U);
    for (const auto& block : blocks) {
        deliver(block.height, block.height == 13 ? Transactions{growing} : Transactions{});
    }
    EXPECT_TRUE(scan->apply().grew);
    while ((blocks = take(kFirst, 1'000)).at(0).height > 6) {
        for (const auto& block : blocks) deliver(block.height);
        EXPECT_FALSE(scan->apply().grew);
    }
    for (const auto& block : blocks) {
        deliver(block.height, block.height == 5 ? Transactions{payment(55, 6)} : Transactions{});
    }
    EXPECT_TRUE(scan->apply().grew);
    EXPECT_EQ(scan->next_height(), 5U);
    EXPECT_EQ(take(kFirst, 1'000).size(), 50U);
}

TEST_F(ScanWithAGap, KeepsHeldBlocksWhenAnUnconfirmedPaymentIsStored) {
    const auto paid = payment(3, 44);
    ASSERT_EQ(take(kFirst, 10).size(), 3U);
    deliver(4, {paid}, 6);
    const auto unconfirmed = payment(7, 77);
    EXPECT_TRUE(keeper->unconfirmed().add(unconfirmed, unconfirmed.txid(), {}).is_tracked);
    EXPECT_TRUE(keeper->unconfirmed().has_unstored());
    keeper->store_unconfirmed({}, scan->held().searched_again());
    EXPECT_FALSE(keeper->unconfirmed().has_unstored());
    EXPECT_EQ(watcher.sync_state().synced->height, 3U);
    kill();
    start();
    search_all({{4, {paid}}});
    EXPECT_EQ(scan->synced_height(), 10U);
    EXPECT_TRUE(watcher.knowledge().contains(paid.txid()));
}

// Each of two servers left out what the other found. The watcher is shown both transactions, in
// block order.
TEST_F(Scan, MergesTheAnswersOfTwoServers) {
    accept(chain, 1, 10);
    const auto one = payment(1, 1);
    const auto another = payment(2, 2);
    const auto common = payment(3, 3);
    start();
    take(kFirst, 10);
    auto first = delivery(5, {another, common}, from_to(6, 10));
    first.block.transactions[0].position = 4;
    first.block.transactions[1].position = 6;
    auto second = delivery(5, {one, common}, from_to(6, 10));
    second.block.transactions[0].position = 2;
    second.block.transactions[1].position = 6;
    scan->deliver(std::move(first));
    const auto found = scan->deliver_more(std::move(second));
    EXPECT_EQ(found, (std::vector{chain::Outpoint{one.txid(), 0}}));
    for (const std::uint32_t height : {1U, 2U, 3U, 4U, 6U, 7U, 8U, 9U, 10U}) deliver(height);
    scan->apply();
    const test::Knowledge both{{one.txid(), 5}, {another.txid(), 5}, {common.txid(), 5}};
    EXPECT_EQ(watcher.knowledge(), both);
    EXPECT_EQ(scan->counts().false_positives, 0U);
}

}  // namespace
}  // namespace petal
