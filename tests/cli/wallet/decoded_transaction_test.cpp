#include <gtest/gtest.h>

#include "chain/block_header.h"
#include "chain/byte_reader.h"
#include "regtest/serve/embedded_node.h"
#include "tests/cli/scene.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

using test::Scene;

constexpr chain::Satoshis kPaidAmount = 100'000'000;

class TransactionCommand : public testing::Test {
protected:
    void SetUp() override { ASSERT_EQ(scene_.run({"create"}).status, ExitStatus::done); }

    void sync(regtest::EmbeddedNode& node) const {
        const auto synced = scene_.run({"sync", "--connect", to_string(node.endpoint())});
        ASSERT_EQ(synced.status, ExitStatus::done) << synced.err;
    }

    /// Mines a block that pays the wallet 1 BTC. The first input of the payment has this scriptSig;
    /// any scriptSig is valid for the output that it spends.
    void pay(regtest::EmbeddedNode& node, const chain::Bytes& script_sig) const {
        const std::string address = scene_.run({"receive", "--new", "--json"}).json().at("address");
        const auto script = wallet::parse_address(address, *chain::find_network("regtest")).value();
        node.with_chain([&](regtest::RegtestChain& chain) {
            auto payment = chain.make_payment({{kPaidAmount, script}});
            payment.inputs[0].script_sig = script_sig;
            chain.mine_block({payment});
        });
    }

    Scene scene_;
};

/// Expects the merkle proof that `petal tx` prints of the second of two transactions.
void expect_merkle_proof(const Json& tx) {
    const auto wire = chain::from_hex(tx.at("txoutproof").get<std::string>()).value();
    chain::ByteReader reader{wire};
    const auto header = chain::read_block_header(reader);
    const auto tree = chain::read_partial_merkle_tree(reader);
    EXPECT_EQ(tx.at("block_header"), chain::to_hex(header.serialize()));
    const auto proven = chain::check_merkle_proof(tree, header.merkle_root);
    ASSERT_TRUE(reader.ok() && reader.remaining() == 0 && proven);
    ASSERT_EQ(proven->size(), 1U);
    EXPECT_EQ(tx.at("txid"), (*proven)[0].txid.to_hex());
    EXPECT_EQ(tx.at("merkle_proof"), (Json{{"block_height", tx.at("height")},
                                           {"merkle", {tree.hashes.at(0).to_hex()}},
                                           {"pos", 1}}));
}

TEST_F(TransactionCommand, ShowsOneTransaction) {
    regtest::EmbeddedNode node;
    pay(node, {});
    sync(node);
    const Json entry = scene_.run({"history", "--json"}).json().at("transactions")[0];
    const Json tx = scene_.run({"tx", entry.at("txid"), "--json"}).json();
    for (const auto& [key, value] : entry.items()) EXPECT_EQ(tx.at(key), value) << key;
    EXPECT_EQ(tx.at("position"), 1);
    EXPECT_EQ(tx.at("outputs")[0].at("own"), true);
    EXPECT_EQ(tx.at("outputs")[0].at("amount_sat"), kPaidAmount);
    EXPECT_EQ(tx.at("inputs")[0].at("own"), false);
    const auto header = chain::from_hex(tx.at("block_header").get<std::string>()).value();
    chain::ByteReader reader{header};
    EXPECT_EQ(entry.at("block_hash"), chain::read_block_header(reader).hash().to_hex());
    expect_merkle_proof(tx);
    const std::string text = scene_.run({"tx", entry.at("txid")}).out;
    EXPECT_NE(text.find("1.00000000 BTC to bcrt1q"), std::string::npos) << text;
    EXPECT_NE(text.find(", the wallet's\n"), std::string::npos) << text;
    EXPECT_EQ(scene_.run({"tx", std::string(64, 'a'), "--json"}).code(), "unknown-transaction");
    EXPECT_EQ(scene_.run({"tx", "abc"}).status, ExitStatus::usage);
}

// Confirmed transactions are stored without witnesses, so the stored bytes may not be the whole
// transaction.
TEST_F(TransactionCommand, ClaimsNothingOfATransactionWhoseWitnessesMayBeMissing) {
    regtest::EmbeddedNode node;
    for (const chain::Bytes& script_sig : {chain::Bytes{}, chain::Bytes{0x51}}) {
        pay(node, script_sig);
    }
    sync(node);
    const Json history = scene_.run({"history", "--json"}).json().at("transactions");
    ASSERT_EQ(history.size(), 2U);

    const Json stripped = scene_.run({"tx", history[1].at("txid"), "--json"}).json();
    EXPECT_EQ(stripped.at("witness_stored"), false);
    for (const char* key : {"weight", "has_witness", "hex"}) {
        EXPECT_TRUE(stripped.at(key).is_null()) << key;
    }
    EXPECT_TRUE(stripped.at("inputs")[0].at("witness").is_null());
    const auto raw = chain::from_hex(stripped.at("hex_without_witness").get<std::string>()).value();
    EXPECT_EQ(history[1].at("txid"), chain::decode_transaction(raw)->txid().to_hex());
    EXPECT_NE(scene_.run({"tx", history[1].at("txid")}).out.find("not stored"), std::string::npos);

    const Json whole = scene_.run({"tx", history[0].at("txid"), "--json"}).json();
    EXPECT_EQ(whole.at("witness_stored"), true);
    EXPECT_EQ(whole.at("has_witness"), false);
    EXPECT_EQ(whole.at("hex"), whole.at("hex_without_witness"));
    EXPECT_EQ(whole.at("weight"), 2 * whole.at("hex").get<std::string>().size());
    EXPECT_EQ(whole.at("inputs")[0].at("witness"), Json::array());
}

}  // namespace
}  // namespace petal::cli
