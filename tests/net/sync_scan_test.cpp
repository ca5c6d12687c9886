// The scan by itself, driven by hand through restarts.
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "chain/network_params.h"
#include "net/regtest/regtest_chain.h"
#include "net/sync/scan.h"
#include "tests/support/list_watcher.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using test::ListWatcher;

const chain::NetworkParams& regtest() {
    return *chain::find_network("regtest");
}

chain::Transaction own_payment(std::uint32_t script, std::uint8_t salt) {
    chain::Transaction t;
    chain::TxInput in;
    in.prevout.txid.bytes[0] = salt;
    t.inputs.push_back(in);
    t.outputs.push_back({1'000, ListWatcher::script(script)});
    return t;
}
net::Delivery delivery(const chain::HeaderChain& headers, std::uint32_t h, net::Coverage::Mark mark,
                       std::vector<chain::Transaction> txs = {}) {
    net::Delivery d;
    d.block.block = {h, headers.hash_at(h)};
    d.block.header = headers.header_at(h);
    d.block.transaction_count = 10;
    d.asked_at = mark;
    std::uint32_t pos = 1;
    for (auto& t : txs) {
        d.inserted.push_back({t.txid(), 0});
        d.block.transactions.push_back({pos++, t.txid(), t});
    }
    return d;
}

TEST(Scan, IsNotMistakenAfterTwoReorganisationsAndAKill) {
    net::RegtestChain a, b;
    a.mine(13);
    b.mine(7);
    b.mine(4, ListWatcher::script(900));
    const auto hs = [](net::RegtestChain& c, std::uint32_t from, std::uint32_t to) {
        std::vector<chain::BlockHeader> r;
        for (; from <= to; ++from) r.push_back(c.block_at(from).header);
        return r;
    };
    chain::HeaderChain headers(regtest());
    headers.accept(hs(a, 1, 10), 1'800'000'000);
    ListWatcher watcher;
    const auto p9 = own_payment(2, 9);
    {
        net::Scan scan(headers, watcher, 1);
        ASSERT_TRUE(scan.align(true));
        scan.take(1, 5, 10, milliseconds{0});
        scan.take(2, 1, 10, milliseconds{0});
        scan.deliver(delivery(headers, 6, 0), {});
        for (std::uint32_t h = 1; h <= 5; ++h) {
            net::HeightRanges mine;
            if (h < 5) mine.add(h + 1, 5);
            scan.deliver(delivery(headers, h, 0,
                                  h == 3 ? std::vector{own_payment(1, 3)}
                                         : std::vector<chain::Transaction>{}),
                         mine);
        }
        scan.take(1, 4, 10, milliseconds{0});
        for (std::uint32_t h = 7; h <= 10; ++h) {
            net::HeightRanges mine;
            if (h < 10) mine.add(h + 1, 10);
            scan.deliver(delivery(headers, h, 1,
                                  h == 9 ? std::vector{p9} : std::vector<chain::Transaction>{}),
                         mine);
        }
        EXPECT_FALSE(scan.apply());
        EXPECT_EQ(watcher.sync_state().synced->height, 5U);
        EXPECT_EQ(watcher.knowledge().at(p9.txid()), 9U);
        scan.on_chain_moved(headers.accept(hs(b, 8, 11), 1'800'000'000).move);
        scan.on_chain_moved(headers.accept(hs(a, 11, 13), 1'800'000'000).move);
    }  // killed
    net::Scan scan(headers, watcher, 1);
    ASSERT_TRUE(scan.align(true));
    while (true) {
        auto blocks = scan.take(1, 100, 13, milliseconds{0});
        if (blocks.empty()) break;
        for (auto& r : blocks)
            scan.deliver(
                delivery(headers, r.height, scan.memory().coverage.mark(),
                         r.height == 9 ? std::vector{p9} : std::vector<chain::Transaction>{}),
                {});
        scan.apply();
    }
    scan.apply();
    EXPECT_TRUE(scan.complete());
    EXPECT_EQ(scan.synced_height(), 13U);
    EXPECT_EQ(watcher.knowledge().at(p9.txid()), 9U);
}

TEST(Scan, RemembersWhatIsHeldWhenItsMemoryIsFull) {
    net::RegtestChain a;
    a.mine(10);
    chain::HeaderChain headers(regtest());
    for (std::uint32_t h = 1; h <= 10; ++h) {
        const auto x = a.block_at(h).header;
        headers.accept({&x, 1}, 1'800'000'000);
    }
    ListWatcher watcher;
    net::Scan scan(headers, watcher, 1);
    ASSERT_TRUE(scan.align(true));
    scan.take(1, 1, 10, milliseconds{0});
    scan.take(2, 1, 10, milliseconds{0});
    scan.take(1, 1, 10, milliseconds{0});
    auto first = delivery(headers, 1, 0);
    for (std::uint32_t i = 0; i < 50'000; ++i) {
        chain::Outpoint o;
        o.txid.bytes[0] = 1;
        o.index = i;
        first.inserted.push_back(o);
    }
    scan.deliver(std::move(first), {});
    const auto p = own_payment(1, 3);
    scan.deliver(delivery(headers, 3, 0, {p}), {});
    scan.apply();
    const auto all = scan.memory().outpoints.outpoints();
    EXPECT_TRUE(std::count(all.begin(), all.end(), chain::Outpoint{p.txid(), 0}));
}

// A block that is searched again makes the list grow, and the process is killed before the next
// batch.
TEST(Scan, SearchesForAllAfterItsListGrewAndAKill) {
    net::RegtestChain a;
    a.mine(10);
    chain::HeaderChain headers(regtest());
    for (std::uint32_t h = 1; h <= 10; ++h) {
        const auto x = a.block_at(h).header;
        headers.accept({&x, 1}, 1'800'000'000);
    }
    ListWatcher watcher;
    const auto late = own_payment(45, 9);  // in block 8, beyond what is watched at first (30)
    {
        net::Scan scan(headers, watcher, 1);
        ASSERT_TRUE(scan.align(true));
        scan.take(1, 3, 10, milliseconds{0});
        scan.take(2, 7, 10, milliseconds{0});
        for (std::uint32_t h = 4; h <= 10; ++h)
            scan.deliver(delivery(headers, h, 0), {});  // omits the payment of block 5
        for (std::uint32_t h = 1; h <= 3; ++h) {
            net::HeightRanges mine;
            if (h < 3) mine.add(h + 1, 3);
            // the coin is found at 2; missed in 4..6 only, say
            mine.add(7, 10);
            scan.deliver(delivery(headers, h, 0,
                                  h == 2 ? std::vector{own_payment(1, 3)}
                                         : std::vector<chain::Transaction>{}),
                         mine);
        }
        scan.apply();
        for (auto& r : scan.take(1, 10, 10, milliseconds{0}))
            scan.deliver(delivery(headers, r.height, 1,
                                  r.height == 5 ? std::vector{own_payment(25, 5)}
                                                : std::vector<chain::Transaction>{}),
                         {});
        EXPECT_TRUE(scan.apply());  // grew: 60 watched
        EXPECT_EQ(scan.next_height(), 5U);
    }
    net::Scan scan(headers, watcher, 1);
    ASSERT_TRUE(scan.align(true));
    while (true) {
        auto blocks = scan.take(1, 100, 10, milliseconds{0});
        if (blocks.empty()) break;
        for (auto& r : blocks) {
            std::vector<chain::Transaction> t;
            if (r.height == 5) t = {own_payment(25, 5)};
            if (r.height == 8) t = {late};
            scan.deliver(delivery(headers, r.height, scan.memory().coverage.mark(), t), {});
        }
        scan.apply();
    }
    scan.apply();
    EXPECT_TRUE(scan.complete());
    EXPECT_TRUE(watcher.knowledge().contains(late.txid()));
}

}  // namespace
}  // namespace petal
