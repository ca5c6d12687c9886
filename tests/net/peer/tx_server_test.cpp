#include "net/peer/tx_server.h"

#include <gtest/gtest.h>

namespace petal::net {
namespace {

chain::Transaction spend_of(const chain::Txid& txid) {
    chain::Transaction transaction;
    transaction.inputs.emplace_back().prevout = {txid, 0};
    transaction.outputs.push_back({5'000, chain::Bytes(22, 3)});
    return transaction;
}

Inventory request_of(const chain::Transaction& transaction) {
    return {InventoryType::witness_tx, {transaction.txid().bytes}};
}

TEST(TxServer, HandsOutAncestorsThatPayLessThanThePeerAsks) {
    const auto first = spend_of({});
    const auto second = spend_of(first.txid());
    const auto third = spend_of(second.txid());
    const auto other = spend_of({{1}});
    TxServer server;
    server.start({{first, 0}, {second, 0}, {other, 0}, {third, 100'000}});
    const PeerId asking = 1;
    EXPECT_EQ(server.serve(asking, request_of(first)), nullptr)
        << "no transaction has been announced to this peer";
    const Inv inv = server.announce(asking, 1'000);
    ASSERT_EQ(inv.entries.size(), 1U);
    EXPECT_EQ(inv.entries[0].hash.bytes, third.txid().bytes);
    for (const auto& each : {first, second, third}) {
        const auto* given = server.serve(asking, request_of(each));
        ASSERT_NE(given, nullptr);
        EXPECT_EQ(*given, each);
    }
    EXPECT_EQ(server.serve(asking, request_of(other)), nullptr) << "it is not an ancestor";
    EXPECT_EQ(server.serve(2, request_of(first)), nullptr) << "another peer";
    EXPECT_TRUE(server.announce(2, 10'000'000).entries.empty());
    EXPECT_EQ(server.serve(2, request_of(first)), nullptr)
        << "no transaction has been announced to this peer";
}

}  // namespace
}  // namespace petal::net
