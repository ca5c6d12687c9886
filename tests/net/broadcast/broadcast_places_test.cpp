// A peer that is of no use to a broadcast is replaced if another peer can be connected.
#include "net/broadcast/broadcast_engine.h"

#include <gtest/gtest.h>

#include <map>
#include <utility>

#include "tests/net/broadcast/broadcast_fixture.h"

namespace petal::net {
namespace {

class BroadcastPlaces : public Broadcast {};

TEST_F(BroadcastPlaces, ReplacesUselessPeersOneByOne) {
    const PeerId without_relay = meet({.relay = false});
    const PeerId above_fee = meet({.least_fee_rate = 1'000'000});
    EXPECT_TRUE(dropped.empty()) << "places are free";
    settle(PeerAvailability::later);
    EXPECT_EQ(dropped, (std::map{std::pair{without_relay, DisconnectReason::finished}}));
    EXPECT_FALSE(engine.finished());
    EXPECT_TRUE(is_told(meet()));
    EXPECT_FALSE(dropped.contains(above_fee));
    settle(PeerAvailability::later);
    EXPECT_TRUE(dropped.contains(above_fee));
    EXPECT_EQ(dropped.size(), 2U) << "the third peer takes the transaction";
}

TEST_F(BroadcastPlaces, ReplacesAPeerThatDoesNotRequestItInTime) {
    const PeerId slow = meet();
    settle(PeerAvailability::later);
    pass(milliseconds{9'999});
    EXPECT_TRUE(dropped.empty());
    pass(milliseconds{1});
    EXPECT_TRUE(dropped.contains(slow));
    EXPECT_TRUE(is_told(meet()));
}

TEST_F(BroadcastPlaces, KeepsPeersThatReturnOrRefuseIt) {
    const PeerId holder = meet();
    meet();
    const PeerId asking = meet();
    settle(PeerAvailability::later);
    fetch(asking);
    give_back(holder);
    pass(seconds{20});
    EXPECT_TRUE(dropped.empty());
    refuse(asking, "insufficient fee");
    EXPECT_EQ(engine.report().peers.back().refusal, "insufficient fee");
    EXPECT_TRUE(dropped.empty()) << "its refusal is the answer that the broadcast wants";
}

TEST_F(BroadcastPlaces, ReplacesNoPeerWithoutASubstitute) {
    meet({.relay = false});
    settle(PeerAvailability::none);
    EXPECT_TRUE(dropped.empty());
    EXPECT_EQ(outcome(), BroadcastOutcome::no_relay);
}

class BroadcastWithAncestor : public Broadcast {
protected:
    static chain::Transaction parent() {
        chain::Transaction made = witnessed();
        made.lock_time = 7;
        return made;
    }
    static BroadcastOptions options() {
        BroadcastOptions made;
        made.ancestors.push_back({parent(), 1'000'000});
        return made;
    }
    BroadcastWithAncestor() : Broadcast(kFee, options()) {}
};

TEST_F(BroadcastWithAncestor, ServesBothAndCountsOnlyTheTransaction) {
    const PeerId lone = meet();
    settle();
    engine.on_message(lone, GetData{{entry_of(parent())}}, now);
    EXPECT_EQ(engine.report().fetched_by, 0U);
    fetch(lone);
    EXPECT_EQ(engine.report().fetched_by, 1U);
    EXPECT_EQ(given, (std::vector{parent(), transaction}));
    engine.on_message(lone, Tx{parent()}, now);
    EXPECT_EQ(engine.report().accepted_by, 0U);
    give_back(lone);
    EXPECT_EQ(outcome(), BroadcastOutcome::accepted);
}

TEST_F(BroadcastWithAncestor, IsRefusedByItsOwnFee) {
    const auto size = static_cast<chain::Satoshis>(transaction.virtual_size());
    EXPECT_FALSE(is_told(meet({.least_fee_rate = kFee * 1'000 / size + 1})));
}

TEST_F(BroadcastPlaces, EndsAfterSixteenUselessReplacements) {
    for (std::size_t count = 0; count < 16; ++count) {
        meet({.least_fee_rate = 1'000'000});
        settle(PeerAvailability::later);
        EXPECT_EQ(dropped.size(), count + 1);
        EXPECT_FALSE(engine.finished());
    }
    meet({.least_fee_rate = 1'000'000});
    settle(PeerAvailability::later);
    EXPECT_EQ(dropped.size(), 16U);
    EXPECT_TRUE(engine.finished());
    EXPECT_EQ(outcome(), BroadcastOutcome::low_fee);
}

}  // namespace
}  // namespace petal::net
