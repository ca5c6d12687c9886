// How much memory a peer of a broadcast can take.
#include <gtest/gtest.h>

#include "tests/net/broadcast/broadcast_fixture.h"
#include "tests/net/counted_memory.h"

namespace petal::net {
namespace {

// A broadcast looks no txid up, so it remembers none. Each of 20,000 would take a hundred bytes.
TEST_F(Broadcast, RemembersNoAnnouncedTxids) {
    const PeerId peer = meet();
    Inv inv;
    for (std::uint32_t i = 0; i < kMaxInventoryEntries; ++i) {
        Inventory& entry = inv.entries.emplace_back();
        entry.type = InventoryType::tx;
        entry.hash.bytes[0] = static_cast<chain::Byte>(i);
        entry.hash.bytes[1] = static_cast<chain::Byte>(i >> 8);
    }
    const Message message{std::move(inv)};
    const test::CountedMemory memory;
    engine.on_message(peer, message, now);
    EXPECT_LT(memory.live(), 10'000U);
}

}  // namespace
}  // namespace petal::net
