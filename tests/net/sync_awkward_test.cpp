// What nobody would think of: histories and peers by which the sync once missed something, or stood
// still.
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <set>

#include "chain/network_params.h"
#include "net/regtest/regtest_node.h"
#include "net/sync/sync_engine.h"
#include "tests/support/list_watcher.h"
#include "tests/support/simulated_network.h"

namespace petal {
namespace {

using std::chrono::milliseconds;
using test::ListWatcher;

const chain::NetworkParams& regtest() {
    return *chain::find_network("regtest");
}

/// Nodes whose messages are handed over one at a time, by hand.
struct Rig {
    explicit Rig(net::SyncEngine& e) : engine(e) {}
    net::SyncEngine& engine;
    std::map<net::PeerId, net::RegtestNode> nodes;
    std::map<net::PeerId, std::deque<net::Message>> out;
    std::map<net::PeerId, std::map<std::string, int>> sent;
    std::map<net::PeerId, net::DisconnectReason> dropped;
    net::Now now{milliseconds{1'000}, 1'700'000'000};
    net::PeerId connect(const net::RegtestChain& chain) {
        const net::PeerId id = static_cast<net::PeerId>(nodes.size() + 1);
        nodes.emplace(id, net::RegtestNode(chain, {}, 1'000 + id));
        engine.on_connected(id, "n", now);
        route();
        return id;
    }
    void route() {
        for (auto& c : engine.take_commands()) {
            if (auto* s = std::get_if<net::Send>(&c)) {
                ++sent[s->peer][std::string(net::command_of(s->message))];
                nodes.at(s->peer).on_message(s->message, now.steady);
            } else {
                auto& d = std::get<net::Disconnect>(c);
                dropped[d.peer] = d.reason;
            }
        }
    }
    bool give(net::PeerId id) {
        auto& q = out[id];
        if (q.empty()) {
            nodes.at(id).on_time(now.steady);
            for (auto& m : nodes.at(id).take_output(1)) q.push_back(std::move(m));
        }
        if (q.empty()) return false;
        auto m = std::move(q.front());
        q.pop_front();
        if (!dropped.contains(id)) engine.on_message(id, std::move(m), now);
        route();
        return true;
    }
    void drain(net::PeerId id) {
        while (give(id)) {
        }
    }
    void tick(milliseconds t) {
        now.steady += t;
        now.unix_seconds += std::chrono::duration_cast<std::chrono::seconds>(t).count();
        engine.on_time(now);
        route();
    }
};

chain::Transaction sweep_of(net::RegtestChain& chain, const chain::Transaction& t) {
    const chain::Outpoint coin{t.txid(), 0};
    return chain.make_spend({{coin}}, {{9'000, chain::Bytes{0x51}}});
}

TEST(AwkwardMoments, FindACoinInTheLastBlockBeforeAFilterIsReplaced) {
    net::RegtestChain chain;
    chain.mine(105);
    std::vector<chain::TxOutput> many(700, chain::TxOutput{1'000, ListWatcher::script(0)});
    chain.mine_block({chain.make_payment(many)});
    chain.mine_block({chain.make_payment(many)});
    std::vector<chain::Transaction> pays;
    for (int i = 0; i < 40; ++i) {
        pays.push_back(chain.make_payment({{10'000, ListWatcher::script(1)}}));
        chain.mine_block({pays.back()});
    }
    chain.mine(60);
    for (auto& p : pays) chain.mine_block({sweep_of(chain, p)});
    chain.mine(3);
    chain::HeaderChain headers(regtest());
    ListWatcher watcher;
    net::SyncOptions options;
    options.blocks_in_flight = 16;
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    network.connect(chain);
    EXPECT_TRUE(network.run());
    const auto truth = test::read_whole_chain(chain, 30);
    EXPECT_EQ(engine.status().filter_loads, 2U);
    EXPECT_EQ(truth.size(), watcher.knowledge().size());
}

TEST(AwkwardMoments, FindACoinInABlockThatTwoPeersOwe) {
    net::RegtestChain chain;
    const auto pay = chain.make_payment({{10'000, ListWatcher::script(1)}});
    chain.mine(199 - chain.height());
    chain.mine(5);
    chain.mine_block({pay});  // 205
    ASSERT_EQ(chain.height(), 205U);
    chain.mine(15);
    chain.mine_block({sweep_of(chain, pay)});  // 221
    chain.mine(247 - chain.height());
    chain::HeaderChain headers(regtest());
    ListWatcher watcher;
    watcher.set_birthday({200, 0});
    net::SyncOptions options;
    options.expected_peers = 3;
    net::SyncEngine engine(headers, watcher, options);
    Rig rig(engine);
    const auto a = rig.connect(chain), b = rig.connect(chain), c = rig.connect(chain);
    // handshakes and headers of all, no blocks yet
    for (int i = 0; i < 30; ++i)
        for (auto p : {a, b, c}) {
            if (rig.sent[p]["getdata"] == 0) rig.give(p);
        }
    rig.drain(c);
    rig.tick(milliseconds{1'200});
    while (engine.status().transactions == 0 && rig.give(c)) {
    }
    rig.drain(b);
    rig.drain(c);
    rig.drain(a);
    for (int i = 0; i < 40 && !engine.finished(); ++i) {
        rig.tick(milliseconds{500});
        for (auto p : {a, b, c}) rig.drain(p);
    }
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(watcher.knowledge(), test::read_whole_chain(chain, 30));
}

/// Notices what it is shown, and what was undone.
struct Probe : ListWatcher {
    std::optional<chain::Outpoint>
        foreign;  // watched while the payment is unconfirmed, as a wallet does
    std::set<chain::Txid> seen;
    bool undone = false;
    chain::WatchList watch_list() const override {
        auto l = ListWatcher::watch_list();
        if (undone) l.outpoints.push_back(*foreign);
        return l;
    }
    void undo_to(const chain::BlockRef& f) override {
        ListWatcher::undo_to(f);
        if (f.height > 100) undone = true;
    }
    chain::ApplyResult apply(std::span<const chain::ProvenBlock> blocks,
                             const chain::SyncState& s) override {
        for (auto& b : blocks)
            for (auto& t : b.transactions) seen.insert(t.txid);
        return ListWatcher::apply(blocks, s);
    }
};

TEST(AwkwardMoments, ReplaceAPaymentInAReorganisation) {
    net::RegtestChain chain;
    chain.mine(110);
    const auto pay = chain.make_payment({{10'000, ListWatcher::script(1)}});
    chain.mine_block({pay});
    chain.mine(3);
    chain::HeaderChain headers(regtest());
    Probe watcher;
    watcher.foreign = pay.inputs[0].prevout;
    net::SyncOptions options;
    options.wait_unconfirmed = milliseconds{60'000};
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    network.connect(chain);
    network.run([&] { return engine.status().phase == net::SyncPhase::listening; });
    watcher.undone = false;
    const auto fork = chain.height() - 5;
    chain.reorganise(fork, 7, net::RegtestChain::Dropped::forgotten);
    const auto foul = chain.make_spend({{pay.inputs[0].prevout}}, {{5'000, chain::Bytes{0x51}}});
    chain.mine_block({foul});
    chain.mine(2);
    EXPECT_TRUE(network.run());
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    EXPECT_TRUE(watcher.undone);
    EXPECT_TRUE(watcher.seen.contains(foul.txid()));
}

struct Seer : Probe {
    bool apply_unconfirmed(const chain::Transaction& t, std::int64_t time) override {
        if (t.inputs[0].prevout == *foreign) undone = true;
        return ListWatcher::apply_unconfirmed(t, time);
    }
};
TEST(AwkwardMoments, ReplaceAPaymentBeforeItIsConfirmed) {
    net::RegtestChain chain;
    chain.mine(110);
    const auto pay = chain.make_payment({{10'000, ListWatcher::script(1)}});
    chain.mine(3);
    chain::HeaderChain headers(regtest());
    Seer watcher;
    watcher.foreign = pay.inputs[0].prevout;
    net::SyncOptions options;
    options.wait_unconfirmed = milliseconds{60'000};
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    network.connect(chain);
    network.run([&] { return engine.status().phase == net::SyncPhase::listening; });
    watcher.undone = false;
    chain.submit(pay);
    network.run([&] { return watcher.undone; });
    const auto foul = chain.make_spend({{pay.inputs[0].prevout}}, {{5'000, chain::Bytes{0x51}}});
    chain.mine_block({foul});
    EXPECT_TRUE(network.run());
    EXPECT_EQ(watcher.sync_state().synced->height, chain.height());
    EXPECT_TRUE(watcher.undone);
    EXPECT_TRUE(watcher.seen.contains(foul.txid()));
}

TEST(AwkwardPeers, CannotKeepOthersFromBeingAskedForHeaders) {
    net::RegtestChain chain;
    chain.mine(500);
    chain::HeaderChain headers(regtest());
    ListWatcher watcher;
    net::SyncOptions options;
    options.expected_peers = 2;
    net::SyncEngine engine(headers, watcher, options);
    Rig rig(engine);
    const auto liar = rig.connect(chain);
    std::uint32_t shown = 0;
    const auto drain_liar = [&] {
        while (true) {
            rig.nodes.at(liar).on_time(rig.now.steady);
            auto ms = rig.nodes.at(liar).take_output(1);
            if (ms.empty()) return;
            for (auto& m : ms) {
                if (auto* h = std::get_if<net::Headers>(&m)) {
                    h->headers.assign(1, chain.block_at(++shown).header);
                }
                if (!rig.dropped.contains(liar)) engine.on_message(liar, std::move(m), rig.now);
                rig.route();
            }
        }
    };
    drain_liar();
    const auto honest = rig.connect(chain);
    for (int s = 1; s <= 480; ++s) {
        rig.tick(milliseconds{500});
        drain_liar();
        rig.drain(honest);
    }
    EXPECT_EQ(headers.tip().height, 500U);
    EXPECT_TRUE(engine.finished());
}

TEST(AwkwardPeers, CannotPutOffTheEndWithBlocksThatNobodyKnows) {
    net::RegtestChain chain;
    chain.mine(200);
    chain::HeaderChain headers(regtest());
    ListWatcher watcher;
    net::SyncOptions options;
    options.expected_peers = 2;
    options.wait_unconfirmed = milliseconds{10'000};
    net::SyncEngine engine(headers, watcher, options);
    Rig rig(engine);
    const auto honest = rig.connect(chain);
    rig.drain(honest);
    ASSERT_EQ(engine.status().phase, net::SyncPhase::listening);
    const auto liar = rig.connect(chain);
    std::uint64_t fence = 0;
    const auto watch = [&] {
        for (auto& c : engine.take_commands()) {
            auto* s = std::get_if<net::Send>(&c);
            if (!s) {
                rig.dropped[std::get<net::Disconnect>(c).peer] =
                    std::get<net::Disconnect>(c).reason;
                continue;
            }
            if (s->peer == honest) rig.nodes.at(honest).on_message(s->message, rig.now.steady);
            if (s->peer == liar)
                if (auto* p = std::get_if<net::Ping>(&s->message)) fence = p->nonce;
        }
    };
    net::Version v;
    v.services = 0xffff;
    v.start_height = 0;
    v.nonce = 5;
    engine.on_message(liar, v, rig.now);
    watch();
    engine.on_message(liar, net::Verack{}, rig.now);
    watch();
    std::uint8_t n = 0;
    int round = 0, past = 0;
    for (; round < 300 && !engine.finished(); ++round) {
        net::Inv inv;
        chain::Hash256 h;
        h.bytes[0] = ++n;
        h.bytes[1] = 0x77;
        inv.entries.push_back({net::InventoryType::block, h});
        engine.on_message(liar, inv, rig.now);
        watch();
        if (fence) engine.on_message(liar, net::Pong{std::exchange(fence, 0)}, rig.now);
        watch();
        rig.now.steady += milliseconds{1'500};
        engine.on_time(rig.now);
        watch();
        if (engine.next_deadline() && *engine.next_deadline() <= rig.now.steady) ++past;
    }
    EXPECT_TRUE(engine.finished());
}

TEST(AwkwardPeers, MayHaveAnotherTipHonestly) {
    net::RegtestChain chain, other;
    chain.mine(200);
    other.mine(199);
    other.mine(1, ListWatcher::script(900));
    ASSERT_EQ(chain.block_at(199).header.hash(), other.block_at(199).header.hash());
    ASSERT_FALSE(chain.tip() == other.tip());
    chain::HeaderChain headers(regtest());
    ListWatcher watcher;
    net::SyncOptions options;
    options.expected_peers = 2;
    net::SyncEngine engine(headers, watcher, options);
    test::SimulatedNetwork network(engine);
    net::NodeBehaviour slow;
    slow.block_time = milliseconds{5};
    const auto a = network.connect(chain, slow);
    const auto b = network.connect(other, slow);
    network.run();
    for (auto p : {a, b}) {
        EXPECT_EQ(network.dropped(p), std::nullopt);
    }
}

TEST(AwkwardPeers, MayAnnounceABlockThatAnotherShowedBefore) {
    net::RegtestChain before, after;
    before.mine(200);
    after.mine(200);
    after.mine(1);
    chain::HeaderChain headers(regtest());
    ListWatcher watcher;
    net::SyncOptions options;
    options.expected_peers = 2;
    options.wait_unconfirmed = milliseconds{1'000'000};
    net::SyncEngine engine(headers, watcher, options);
    Rig rig(engine);
    const auto s = rig.connect(before);
    rig.drain(s);
    ASSERT_EQ(watcher.sync_state().synced->height, 200U);
    const auto t = rig.connect(after);
    while (headers.tip().height < 201) rig.give(t);
    engine.on_closed(t, rig.now);
    rig.route();
    before.mine(1);
    const int asked = rig.sent[s]["getdata"];
    ASSERT_EQ(before.tip(), after.tip());
    rig.nodes.at(s).take_output(0);
    net::Inv inv;
    inv.entries.push_back({net::InventoryType::block, chain::Hash256{before.tip().bytes}});
    engine.on_message(s, inv, rig.now);
    rig.route();
    for (int i = 0; i < 5; ++i) {
        rig.tick(milliseconds{1'000});
        rig.drain(s);
    }
    EXPECT_GT(rig.sent[s]["getdata"], asked);
}

TEST(AwkwardPeers, LeaveNoDeadlineInThePast) {
    net::RegtestChain chain;
    chain.mine(20);
    chain::HeaderChain headers(regtest());
    ListWatcher watcher;
    net::SyncOptions options;
    options.expected_peers = 2;
    options.wait_unconfirmed = milliseconds{5'000};
    net::SyncEngine engine(headers, watcher, options);
    Rig rig(engine);
    const auto honest = rig.connect(chain);
    rig.drain(honest);
    ASSERT_EQ(engine.status().phase, net::SyncPhase::listening);
    rig.tick(milliseconds{4'900});
    rig.connect(chain);  // says nothing
    engine.on_closed(honest, rig.now);
    rig.tick(milliseconds{200});
    EXPECT_FALSE(engine.finished());
    ASSERT_TRUE(engine.next_deadline().has_value());
    EXPECT_GT(*engine.next_deadline(), rig.now.steady);
}

}  // namespace
}  // namespace petal
