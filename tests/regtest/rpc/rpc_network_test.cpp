// Submitted blocks, connections to other nodes, and conflicts on request.
#include "tests/regtest/rpc/rpc_fixture.h"

namespace petal::regtest::rpc {
namespace {

TEST_F(RpcMethodsTest, AddsAndRemovesNodesWithCoresErrors) {
    EXPECT_EQ(call("addnode", {"127.0.0.1:5000", "add"}), nullptr);
    EXPECT_EQ(refusal("addnode", {"127.0.0.1:5000", "add"}), "-23 Error: Node already added");
    EXPECT_EQ(call("addnode", {"127.0.0.1:5000", "remove"}), nullptr);
    EXPECT_EQ(refusal("addnode", {"127.0.0.1:5000", "remove"}),
              "-24 Error: Node could not be removed. It has not been added previously.");
    call("addnode", {"[::1]:5001", "onetry"});
    EXPECT_EQ(peers_.tried, std::vector<std::string>{"[::1]:5001"});
    EXPECT_EQ(refusal("addnode", {"127.0.0.1:5000", "dance"}).substr(0, 3), "-1 ");
    EXPECT_EQ(refusal("addnode", {"127.0.0.1:5000", "add", true}).substr(0, 3), "-8 ");
    for (const char* empty : {"", " \t"}) {
        EXPECT_EQ(refusal("addnode", {empty, "onetry"}), "-8 Error: Node address cannot be empty");
    }
    EXPECT_EQ(refusal("addnode", {"", "dance"}).substr(0, 3), "-1 ")
        << "the command is checked first";
}

TEST_F(RpcMethodsTest, NamesServicesAndNetworksAsBitcoinCoreDoes) {
    PeerRecord peer;
    peer.version.emplace().services = 0xc4d | 1ULL << 63;
    peer.network = "ipv6";
    peers_.records = {peer};
    const Json shown = call("getpeerinfo")[0];
    EXPECT_EQ(shown["servicesnames"], Json::array({"NETWORK", "BLOOM", "WITNESS", "COMPACT_FILTERS",
                                                   "NETWORK_LIMITED", "P2P_V2", "UNKNOWN[2^63]"}));
    EXPECT_EQ(shown["network"], "ipv6");
    const Json networks = call("getnetworkinfo")["networks"];
    ASSERT_EQ(networks.size(), 5U);
    EXPECT_EQ(networks[1].dump(), R"({"name":"ipv6","limited":false,"reachable":true,"proxy":"",)"
                                  R"("proxy_randomize_credentials":false})");
    EXPECT_EQ(networks[2]["name"], "onion");
    EXPECT_EQ(networks[2]["reachable"], false);
}

TEST_F(RpcMethodsTest, CountsConnectionsBothWays) {
    peers_.records.resize(3);
    peers_.records[1].is_inbound = false;
    const Json info = call("getnetworkinfo");
    EXPECT_EQ(info["connections_in"], 2);
    EXPECT_EQ(info["connections_out"], 1);
    const Json shown = call("getpeerinfo");
    EXPECT_EQ(shown[1]["connection_type"], "manual");
    EXPECT_EQ(shown[1]["inbound"], false);
}

TEST_F(RpcMethodsTest, TakesSubmittedBlocks) {
    RegtestChain other({1'600'000'000, PurseKind::p2wpkh});
    other.mine(3);
    const auto hex = [&other](std::uint32_t height) {
        const RegtestBlock& block = other.block_at(height);
        return chain::to_hex(chain::Block{block.header, block.transactions}.serialize());
    };
    ASSERT_EQ(chain_.height(), 0U);
    EXPECT_EQ(call("submitblock", {hex(2)}), "prev-blk-not-found");
    EXPECT_EQ(call("submitblock", {hex(1)}), nullptr);
    EXPECT_EQ(call("submitblock", {hex(1)}), "duplicate");
    EXPECT_EQ(refusal("submitblock", {"00"}), "-22 Block decode failed");
    EXPECT_EQ(refusal("submitblock", {"xyz"}), "-22 Block decode failed");
    EXPECT_EQ(call("submitblock", {hex(1) + "00"}), "duplicate");
    const std::string input = "010200000001" + std::string(72, '0') + "fe41420f00";
    const std::string too_large = hex(1).substr(0, 160) + input + std::string(2'000'100, '0');
    EXPECT_EQ(call("submitblock", {too_large}), "bad-blk-length");
    const std::string claims_many = hex(1).substr(0, 160) + "feffffffff";
    EXPECT_EQ(refusal("submitblock", {claims_many}), "-22 Block decode failed");
    std::string wrong = hex(2);
    wrong[wrong.size() - 1] = wrong.back() == '0' ? '1' : '0';  // changes the lock time
    EXPECT_EQ(call("submitblock", {wrong}), "bad-txnmrklroot");
}

// Bitcoin Core does this in UpdateUncommittedBlockStructures().
TEST_F(RpcMethodsTest, AddsTheReservedValueThatASubmittedBlockLacks) {
    RegtestChain other({1'600'000'000, PurseKind::p2wpkh});
    for (RegtestChain* chain : {&chain_, &other}) chain->mine(130);
    ASSERT_EQ(other.tip(), chain_.tip());
    other.submit(other.make_payment({{kBitcoin, other.purse().script()}}));
    other.mine(1);
    const RegtestBlock& mined = other.block_at(131);
    chain::Block block{mined.header, mined.transactions};
    ASSERT_TRUE(block.transactions[1].has_witness());
    const auto submitted = [&] { return call("submitblock", {chain::to_hex(block.serialize())}); };
    block.transactions[0].inputs[0].witness = {chain::Bytes(31)};
    EXPECT_EQ(submitted(), "bad-witness-nonce-size");
    block.transactions[0].inputs[0].witness.clear();
    EXPECT_EQ(submitted(), nullptr);
    EXPECT_EQ(chain_.tip(), other.tip());
}

TEST_F(RpcMethodsTest, ReplacesDropsAndConfirmsConflicts) {
    chain_.mine(130);
    const auto paid = chain_.submit(payment());
    const std::string other = call("replacetransaction", {paid.to_hex()});
    EXPECT_FALSE(chain_.mempool().transaction(paid));
    call("droptransaction", {other});
    EXPECT_TRUE(chain_.mempool().transactions().empty());
    EXPECT_EQ(refusal("droptransaction", {other}), "-5 Transaction not in mempool");

    const auto confirmed = chain_.submit(payment());
    chain_.mine(2);
    const std::uint32_t height = chain_.height();
    const Json mined = call("confirmconflict", {confirmed.to_hex()});
    EXPECT_EQ(mined["tip"], chain_.tip().to_hex());
    EXPECT_EQ(chain_.height(), height + 1);
    EXPECT_EQ(mined["txid"], chain_.block_at(height - 1).txids.at(1).to_hex());

    const auto deep = chain_.submit(payment());
    chain_.mine(10'001);
    EXPECT_EQ(refusal("confirmconflict", {deep.to_hex()}), "-8 it is too many blocks deep");
}

/// Three payments of a purse with one coin. Each payment spends the change of the previous one.
class ConflictInAFamily : public RpcMethodsTest {
protected:
    void pay_thrice() {
        chain_.mine(100);
        for (int i = 0; i < 3; ++i) paid_.push_back(chain_.submit(payment()));
        ASSERT_EQ(chain_.mempool().transaction(paid_[2])->inputs[0].prevout.txid, paid_[1]);
    }
    void expect_parents_and(const std::string& conflict, const RegtestBlock& block) {
        ASSERT_EQ(block.txids.size(), 4U);
        EXPECT_EQ(block.txids[1], paid_[0]);
        EXPECT_EQ(block.txids[2], paid_[1]);
        EXPECT_NE(block.txids[3], paid_[2]);
        EXPECT_EQ(block.txids[3].to_hex(), conflict);
    }

    std::vector<chain::Txid> paid_;
};

TEST_F(ConflictInAFamily, IsMinedWithItsUnconfirmedParents) {
    pay_thrice();
    const std::string conflict = call("confirmconflict", {paid_[2].to_hex()})["txid"];
    expect_parents_and(conflict, chain_.block_at(chain_.height()));
    EXPECT_TRUE(chain_.mempool().transactions().empty());
}

TEST_F(ConflictInAFamily, IsMinedWithItsParentsFromTheReplacedBlock) {
    pay_thrice();
    chain_.mine(1);
    const std::uint32_t height = chain_.height();
    const std::string conflict = call("confirmconflict", {paid_[2].to_hex()})["txid"];
    EXPECT_EQ(chain_.height(), height + 1);
    expect_parents_and(conflict, chain_.block_at(height));
    EXPECT_TRUE(chain_.mempool().transactions().empty());
}

TEST_F(RpcMethodsTest, TakesAConflictOfOthersOnlyIfItIsSigned) {
    chain_.mine(130);
    const auto made = payment();
    const auto paid = chain_.submit(made);
    chain::Transaction foreign = made;
    foreign.outputs[0].value -= 1;
    EXPECT_EQ(refusal("replacetransaction", {paid.to_hex(), hex_of(foreign)}).substr(0, 4), "-26 ");
    const auto unrelated = payment();
    EXPECT_EQ(refusal("replacetransaction", {paid.to_hex(), hex_of(unrelated)}),
              "-8 it spends none of the same outputs");
    EXPECT_TRUE(chain_.mempool().transaction(paid));
}

TEST_F(RpcMethodsTest, CountsMessagesForSilenceAndDisconnection) {
    call("setfault", {"silent=4"});
    EXPECT_EQ(peers_.behaviour().silent_after, 4U);
    call("setfault", {"disconnect"});
    EXPECT_EQ(peers_.behaviour().hangs_up_after, 0U);
    EXPECT_FALSE(peers_.behaviour().silent_after);
    call("setfault", {"disconnect-at-block=2"});
    EXPECT_EQ(peers_.behaviour().faults.at(0).kind, FaultKind::hang_up);
    EXPECT_EQ(peers_.behaviour().faults.at(0).after_blocks, 2U);
}

}  // namespace
}  // namespace petal::regtest::rpc
