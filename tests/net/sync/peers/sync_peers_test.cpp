#include "net/sync/peers/sync_peers.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "net/peer/recent_txids.h"

namespace petal::net {
namespace {

Inv announcement_of(std::uint32_t count, chain::Byte mark) {
    Inv inv;
    for (std::uint32_t i = 0; i < count; ++i) {
        chain::Hash256 hash;
        std::copy_n(reinterpret_cast<const chain::Byte*>(&i), sizeof i, hash.bytes.begin());
        hash.bytes[31] = mark;
        inv.entries.push_back({InventoryType::tx, hash});
    }
    return inv;
}

TEST(SyncPeers, RememberAnnouncementsWithinOneBoundForAll) {
    constexpr PeerId kPeers = 20;
    std::vector<PeerReport> reports;
    SecretNumbers random(1);
    Outbox outbox;
    SyncPeers peers(reports, random, outbox);
    const auto hear = [&](PeerId id, const Message& message) {
        ASSERT_TRUE(peers.find(id)->connection.on_message(message, outbox, {}));
    };
    const auto remembered = [&] {
        std::size_t sum = 0;
        for (const auto& [id, peer] : peers) sum += peer.connection.announced_by_peer().size();
        return sum;
    };
    for (PeerId id = 1; id <= kPeers; ++id) {
        peers.add(Peer(id, {}, {.services = 0}, {}, {}), {}, {});
        Version version;
        version.nonce = id;
        hear(id, version);
        hear(id, Verack{});
        hear(id, announcement_of(kMaxTxids, static_cast<chain::Byte>(id)));
        EXPECT_LE(remembered(), kMaxTxids);
    }
    EXPECT_EQ(remembered(), kMaxTxids / kPeers * kPeers);
}

}  // namespace
}  // namespace petal::net
