#include "cli/regtest/event_text.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cli/terminal/table.h"
#include "tests/support/fake_peers.h"

namespace petal::cli {
namespace {

class NodeEventText : public testing::Test {
protected:
    NodeEventText() {
        chain.mine(3);
        events.begin(chain);
    }
    /// What is told of the present state, in words.
    std::vector<std::string> words() {
        told.clear();
        events.on_change(chain, peers);
        std::vector<std::string> lines;
        for (const regtest::NodeEvent& event : told) lines.push_back(words_of(event));
        return lines;
    }

    regtest::RegtestChain chain;
    test::FakePeers peers;
    std::vector<regtest::NodeEvent> told;
    regtest::NodeEvents events{[this](const regtest::NodeEvent& event) { told.push_back(event); }};
};

TEST_F(NodeEventText, TellInWordsOfBlocksAndPayments) {
    chain.mine();
    EXPECT_EQ(words(),
              std::vector{"block 4 with 1 transaction, " + short_ids(chain.tip().to_hex())});
    chain.reorganise(2, 3);
    const auto lines = words();
    ASSERT_EQ(lines.size(), 4U);
    EXPECT_EQ(lines[0], "reorganisation: 2 blocks above block 2 replaced");
    const auto txid = *chain::Txid::from_hex(std::string(58, 'a') + "012345");
    EXPECT_EQ(words_of(regtest::TransactionEvent{txid}), "payment aaaaaa…012345");
}

TEST_F(NodeEventText, TellInWordsOfClientsAndEachFilter) {
    regtest::PeerRecord& peer = peers.records.emplace_back();
    peer.id = 7;
    peer.address = "127.0.0.1:5";
    EXPECT_TRUE(words().empty()) << "it has not greeted";
    peer.version.emplace().user_agent = "/petal:1/";
    EXPECT_EQ(words(), std::vector<std::string>{"client 7 at 127.0.0.1:5: /petal:1/"});
    peer.relay.filter = {1, 512, 11};
    const std::vector<std::string> loaded{
        "client 7 loaded a filter of 512 bytes with 11 hash functions"};
    EXPECT_EQ(words(), loaded);
    EXPECT_TRUE(words().empty());
    peer.relay.filter.loads = 2;
    EXPECT_EQ(words(), loaded);
    peers.records.clear();
    EXPECT_EQ(words(), std::vector<std::string>{"client 7 left"});
}

}  // namespace
}  // namespace petal::cli
