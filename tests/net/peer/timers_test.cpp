#include "net/peer/timers.h"

#include <gtest/gtest.h>

#include <string>

#include "net/peer/peer.h"

namespace petal::net {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

struct Alarm final : Timed {
    std::optional<milliseconds> wakes_at() const override { return at; }
    void on_wake(Now /*now*/) override {
        ++woken;
        at.reset();
    }
    std::optional<milliseconds> at;
    int woken = 0;
};

TEST(Timers, WakeEachAtItsDeadline) {
    Alarm first;
    Alarm second;
    Timers timers;
    timers.add(first);
    timers.add(second);
    EXPECT_FALSE(timers.next());
    first.at = seconds{7};
    second.at = seconds{5};
    EXPECT_EQ(timers.next(), seconds{5});
    timers.wake({milliseconds{4'999}, 0});
    EXPECT_EQ(first.woken + second.woken, 0);
    timers.wake({seconds{5}, 0});
    EXPECT_EQ(second.woken, 1);
    EXPECT_EQ(first.woken, 0);
    EXPECT_EQ(timers.next(), seconds{7});
    timers.wake({seconds{9}, 0});
    EXPECT_EQ(first.woken, 1);
}

TEST(Timers, RunInOrderWithoutEndlessLoops) {
    EarliestDeadline<std::string> same;
    same.consider(seconds{3}, "late").consider(std::nullopt, "never").consider(seconds{2}, "soon");
    EXPECT_EQ(same.consider(seconds{2}, "as soon").get()->what, "soon");
    int done = 0;
    work_off(
        {seconds{2}, 0}, [&] { return same.get(); }, [&](const std::string&) { ++done; });
    EXPECT_GT(done, 1);
    work_off(
        {milliseconds{1'999}, 0}, [&] { return same.get(); },
        [](const std::string&) { FAIL() << "the timer is not due"; });
}

class PeerConnection : public testing::Test {
protected:
    static Version ours() {
        Version version;
        version.nonce = 1;
        return version;
    }
    Peer::Effect effect_of(const Message& message) {
        return peer.on_message(message, outbox, now).value();
    }
    void greet() {
        Version theirs;
        theirs.nonce = 2;
        ASSERT_EQ(effect_of(theirs), Peer::Effect::handled);
        ASSERT_EQ(effect_of(Verack{}), Peer::Effect::handshake_complete);
        outbox.take();
    }
    /// Lets time pass until the peer's deadline, and returns whether the peer is to be kept.
    bool wake() {
        now.steady = *peer.wakes_at();
        return peer.on_wake(now, random, outbox).has_value();
    }

    static constexpr HandshakeAims kAnyPeer{.services = 0};
    Now now{seconds{100}, 1'700'000'000};
    SecretNumbers random{5};
    Outbox outbox;
    Peer peer{1, ours(), kAnyPeer, {}, now.steady};
};

TEST_F(PeerConnection, HasALimitedTimeForTheHandshake) {
    EXPECT_EQ(peer.wakes_at(), now.steady + PeerTimeouts{}.handshake);
    EXPECT_FALSE(wake());
}

TEST_F(PeerConnection, IsPingedAndClosedWithoutAPong) {
    greet();
    for (const bool answers : {true, false}) {
        EXPECT_EQ(peer.wakes_at(), now.steady + Peer::kKeepAlive);
        EXPECT_TRUE(wake());
        const auto sent = outbox.take();
        ASSERT_EQ(sent.size(), 1U);
        const auto nonce = std::get<Ping>(std::get<Send>(sent[0]).message).nonce;
        EXPECT_EQ(peer.wakes_at(), now.steady + PeerTimeouts{}.answer);
        ASSERT_TRUE(peer.on_message(Pong{nonce + 1}, outbox, now));
        EXPECT_TRUE(peer.owes_pong());
        if (answers) {
            ASSERT_TRUE(peer.on_message(Pong{nonce}, outbox, now));
        }
        EXPECT_NE(peer.owes_pong(), answers);
    }
    EXPECT_FALSE(wake());
}

TEST_F(PeerConnection, KnowsTheFeeFilterAndTheAnnouncements) {
    greet();
    EXPECT_EQ(peer.least_fee_rate(), 0);
    ASSERT_EQ(effect_of(FeeFilter{1'500}), Peer::Effect::none);
    ASSERT_TRUE(peer.on_message(FeeFilter{-1}, outbox, now));
    EXPECT_EQ(peer.least_fee_rate(), 1'500);
    const chain::Txid txid{{7}};
    ASSERT_TRUE(peer.on_message(Inv{{{InventoryType::tx, {txid.bytes}}}}, outbox, now));
    EXPECT_TRUE(peer.announced_by_peer().contains(txid));
    EXPECT_FALSE(peer.announced_to_peer().contains(txid));
    EXPECT_TRUE(outbox.take().empty());
    ASSERT_EQ(effect_of(Ping{9}), Peer::Effect::handled);
    EXPECT_EQ(std::get<Pong>(std::get<Send>(outbox.take().at(0)).message).nonce, 9U);
}

}  // namespace
}  // namespace petal::net
