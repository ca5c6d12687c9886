#include <gtest/gtest.h>

#include "regtest/rpc/json_text.h"
#include "tests/regtest/rpc/rpc_fixture.h"
#include "tests/support/signing.h"

namespace petal::regtest::rpc {
namespace {

TEST_F(RpcMethodsTest, TellsTheGenesisBlockAsBitcoinCoreDoes) {
    EXPECT_EQ(call("getblockcount"), 0);
    EXPECT_EQ(call("getbestblockhash"), kGenesis);
    EXPECT_EQ(call("getblockhash", {0}), kGenesis);
    const Json header = {
        {"hash", kGenesis},
        {"confirmations", 1},
        {"height", 0},
        {"version", 1},
        {"versionHex", "00000001"},
        {"merkleroot", kGenesisCoinbase},
        {"time", 1296688602},
        {"mediantime", 1296688602},
        {"nonce", 2},
        {"bits", "207fffff"},
        {"target", "7fffff0000000000000000000000000000000000000000000000000000000000"},
        {"difficulty", 4.656542373906925e-10},
        {"chainwork", "0000000000000000000000000000000000000000000000000000000000000002"},
        {"nTx", 1}};
    EXPECT_EQ(call("getblockheader", {kGenesis}), header);
    EXPECT_EQ(
        call("getblockheader", {kGenesis, false}),
        "0100000000000000000000000000000000000000000000000000000000000000000000003ba3edfd7a7b12b2"
        "7ac72c3e67768f617fc81bc3888a51323a9fb8aa4b1e5e4adae5494dffff7f2002000000");
    const Json block = call("getblock", {kGenesis});
    EXPECT_EQ(block["strippedsize"], 285);
    EXPECT_EQ(block["size"], 285);
    EXPECT_EQ(block["weight"], 1140);
    EXPECT_EQ(block["tx"], Json::array({kGenesisCoinbase}));
    EXPECT_EQ(call("getblock", {kGenesis, 0}).get<std::string>().size(), 570U);
    const Json coinbase = call("getblock", {kGenesis, 2})["tx"][0];
    EXPECT_EQ(coinbase["vout"][0]["value"], 50.0);
    EXPECT_EQ(coinbase["vout"][0]["scriptPubKey"]["type"], "pubkey");
    EXPECT_EQ(
        coinbase["vout"][0]["scriptPubKey"]["asm"],
        "04678afdb0fe5548271967f1a67130b7105cd6a828e03909a67962e0ea1f61deb649f6bc3f4cef38c4f35504"
        "e51ec112de5c384df7ba0b8d578a4c702b6bf11d5f OP_CHECKSIG");
    EXPECT_FALSE(coinbase.contains("fee"));
}

TEST_F(RpcMethodsTest, TellsHowTheChainStands) {
    call("generatetoaddress", {2, kAddress});
    const Json info = call("getblockchaininfo");
    EXPECT_EQ(info["chain"], "regtest");
    EXPECT_EQ(info["blocks"], 2);
    EXPECT_EQ(info["headers"], 2);
    EXPECT_EQ(info["bestblockhash"], chain_.tip().to_hex());
    EXPECT_EQ(info["mediantime"], chain_.block_at(1).header.time);
    EXPECT_EQ(info["initialblockdownload"], false);
    EXPECT_EQ(info["chainwork"],
              "0000000000000000000000000000000000000000000000000000000000000006");
    const Json header = call("getblockheader", {info["bestblockhash"]});
    EXPECT_EQ(header["previousblockhash"], chain_.block_at(1).header.hash().to_hex());
    EXPECT_FALSE(header.contains("nextblockhash"));
    const Json parent = call("getblockheader", {header["previousblockhash"]});
    EXPECT_EQ(parent["nextblockhash"], info["bestblockhash"]);
    EXPECT_EQ(parent["confirmations"], 2);
    call("setmocktime", {1'600'100'000});
    const std::string tip = call("generatetoaddress", {1, kAddress})[0];
    EXPECT_EQ(call("getblockheader", {tip})["time"], 1'600'100'000);
    call("setmocktime", {0});
    const std::string next = call("generatetoaddress", {1, kAddress})[0];
    EXPECT_EQ(call("getblockheader", {next})["time"], 1'600'001'800)
        << "each block of the chain adds ten minutes";
}

TEST_F(RpcMethodsTest, TellsOfBlocksThatAReorganisationLeft) {
    chain_.mine(2);
    const std::string left = chain_.tip().to_hex();
    chain_.reorganise(1, 2);
    const Json header = call("getblockheader", {left});
    EXPECT_EQ(header["confirmations"], -1);
    EXPECT_EQ(header["height"], 2);
    EXPECT_FALSE(header.contains("nextblockhash"));
}

// The values of the genesis block are those of Bitcoin Core.
TEST_F(RpcMethodsTest, TellsTheFiltersOfBlocks) {
    const Json of_genesis = {
        {"filter", "014756c0"},
        {"header", "485e301e4509d7f0d954bf5b529f3ecef68c5191fd0e635f775c1d0266dc5a2b"}};
    EXPECT_EQ(call("getblockfilter", {kGenesis}), of_genesis);
    EXPECT_EQ(call("getblockfilter", {kGenesis, "basic"}), of_genesis);
    EXPECT_EQ(refusal("getblockfilter", {kGenesis, "Basic"}), "-5 Unknown filtertype");
    EXPECT_EQ(refusal("getblockfilter", {kGenesisCoinbase}), "-5 Block not found");
    EXPECT_EQ(refusal("getblockfilter", {"00"}),
              "-8 blockhash must be of length 64 (not 2, for '00')");
    chain_.mine(2);
    const std::string left = chain_.tip().to_hex();
    const Json filter = call("getblockfilter", {left});
    chain_.reorganise(1, 2);
    EXPECT_EQ(call("getblockfilter", {left}), filter);

    RegtestChain other;
    const RegtestBlock rival = other.mine_block({});
    ASSERT_TRUE(chain_.offer_block({rival.header, rival.transactions}).is_new());
    EXPECT_EQ(refusal("getblockfilter", {rival.header.hash().to_hex()}),
              "-5 Filter not found. Block was not connected to active chain.");
}

TEST_F(RpcMethodsTest, TellsItsIndexes) {
    chain_.mine(2);
    const Json complete = {{"synced", true}, {"best_block_height", 2}};
    EXPECT_EQ(call("getindexinfo"),
              (Json{{"txindex", complete}, {"basic block filter index", complete}}));
    EXPECT_EQ(call("getindexinfo", {"txindex"}), (Json{{"txindex", complete}}));
    EXPECT_EQ(call("getindexinfo", {"coinstatsindex"}), Json::object());
    settings_.indexes = {"coinstatsindex"};
    EXPECT_EQ(call("getindexinfo"), (Json{{"coinstatsindex", complete}}));
    EXPECT_EQ(refusal("getblockfilter", {chain_.tip().to_hex()}),
              "-1 Index is not enabled for filtertype basic");
}

TEST_F(RpcMethodsTest, MinesToAddressesAndDescriptors) {
    EXPECT_EQ(call("generatetoaddress", {3, kAddress}).size(), 3U);
    EXPECT_EQ(call("generatetoaddress", {0, kAddress}), Json::array());
    const Json hashes = call("generatetodescriptor", {1, "addr(" + std::string(kAddress) + ")"});
    const Json block = call("getblock", {hashes[0], 2});
    EXPECT_EQ(block["tx"][0]["vout"][0]["scriptPubKey"]["address"], kAddress);
    EXPECT_EQ(refusal("generatetoaddress", {1, "x"}), "-5 Error: Invalid address");
    EXPECT_EQ(refusal("generatetoaddress", {100'001, kAddress}).substr(0, 3), "-8 ");
    EXPECT_EQ(refusal("generatetodescriptor",
                      {1,
                       "wpkh(tpubD6NzVbkrYhZ4WaWSyoBvQwbpLkojyoTZPRsgXELWz3Popb3qkjcJyJUGLnL4qHHo"
                       "QvDb4hqFtk8qzVy9i3hWEYQpYGUxV6qUqpc9mRpNkYy/*)"})
                  .substr(0, 3),
              "-5 ");
    EXPECT_EQ(call("getblockcount"), 4);
}

TEST_F(RpcMethodsTest, FindsTransactionsInMempoolAndChain) {
    chain_.mine(100);
    const chain::Transaction paid = payment();
    const std::string txid = paid.txid().to_hex();
    chain_.submit(paid);
    EXPECT_EQ(call("getrawtransaction", {txid}), hex_of(paid));
    const Json unconfirmed = call("getrawtransaction", {txid, true});
    EXPECT_EQ(unconfirmed["txid"], txid);
    EXPECT_EQ(unconfirmed["hash"], paid.wtxid().to_hex());
    EXPECT_EQ(unconfirmed["vin"][0]["txinwitness"].size(), 2U);
    EXPECT_EQ(unconfirmed["vout"][0]["value"], 1.0);
    EXPECT_EQ(unconfirmed["vout"][0]["scriptPubKey"]["address"], kAddress);
    EXPECT_EQ(unconfirmed["hex"], hex_of(paid));
    EXPECT_FALSE(unconfirmed.contains("blockhash"));
    const Json decoded = call("decoderawtransaction", {hex_of(paid)});
    EXPECT_EQ(decoded["vsize"], paid.virtual_size());
    EXPECT_FALSE(decoded.contains("hex"));

    const std::string block = call("generatetoaddress", {1, kAddress})[0];
    const Json confirmed = call("getrawtransaction", {txid, 2});
    EXPECT_EQ(confirmed["blockhash"], block);
    EXPECT_EQ(confirmed["confirmations"], 1);
    EXPECT_EQ(confirmed["fee"], 0.00003);
    EXPECT_EQ(confirmed["vin"][0]["prevout"]["generated"], true);
    EXPECT_EQ(confirmed["vin"][0]["prevout"]["height"], 1);
    EXPECT_EQ(confirmed["vin"][0]["prevout"]["value"], 50.0);
    EXPECT_EQ(call("getrawtransaction", {txid, 1, block})["in_active_chain"], true);
    EXPECT_EQ(refusal("getrawtransaction", {txid, 1, kGenesis}).substr(0, 52),
              "-5 No such transaction found in the provided block. ");
    EXPECT_EQ(refusal("getrawtransaction", {kGenesis}).substr(0, 50),
              "-5 No such mempool or blockchain transaction. Use ");
    EXPECT_EQ(call("getblock", {block, 2})["tx"][1]["fee"], 0.00003);
    EXPECT_FALSE(call("getblock", {block, 2})["tx"][1]["vin"][0].contains("prevout"));
    EXPECT_EQ(call("getblock", {block, 3})["tx"][1]["vin"][0]["prevout"]["value"], 50.0);
}

TEST_F(RpcMethodsTest, TellsUnspentOutputs) {
    chain_.mine(100);
    const chain::Transaction paid = payment();
    const std::string txid = paid.txid().to_hex();
    const std::string spent = paid.inputs[0].prevout.txid.to_hex();
    EXPECT_EQ(call("gettxout", {txid, 0}), nullptr);
    EXPECT_EQ(call("gettxout", {spent, 0})["coinbase"], true);
    EXPECT_EQ(call("gettxout", {spent, 0})["confirmations"], 100);
    chain_.submit(paid);
    EXPECT_EQ(call("gettxout", {txid, 0})["confirmations"], 0);
    EXPECT_EQ(call("gettxout", {txid, 0})["value"], 1.0);
    EXPECT_EQ(call("gettxout", {txid, 0, false}), nullptr);
    EXPECT_EQ(call("gettxout", {spent, 0}), nullptr);
    EXPECT_EQ(call("gettxout", {spent, 0, false})["value"], 50.0);
    chain_.mine();
    const Json output = call("gettxout", {txid, 0});
    EXPECT_EQ(output["confirmations"], 1);
    EXPECT_EQ(output["coinbase"], false);
    EXPECT_EQ(output["scriptPubKey"]["type"], "witness_v0_keyhash");
    EXPECT_EQ(call("gettxout", {txid, 9}), nullptr);
}

TEST_F(RpcMethodsTest, ProvesThatTransactionsAreInBlocks) {
    chain_.mine(101);
    const chain::Transaction paid = payment();
    const std::string txid = paid.txid().to_hex();
    EXPECT_EQ(refusal("gettxoutproof", Json::array({Json::array({txid})})),
              "-5 Transaction not yet in block");
    chain_.submit(paid);
    const std::string block = call("generatetoaddress", {1, kAddress})[0];
    const std::string proof = call("gettxoutproof", Json::array({Json::array({txid})}));
    EXPECT_EQ(call("gettxoutproof", {Json::array({txid}), block}), proof);
    EXPECT_EQ(call("verifytxoutproof", {proof}), Json::array({txid}));
    std::string wrong = proof;
    wrong[200] = wrong[200] == '0' ? '1' : '0';
    EXPECT_EQ(call("verifytxoutproof", {wrong}), Json::array());
    chain_.reorganise(101, 2);
    EXPECT_EQ(refusal("verifytxoutproof", {proof}), "-5 Block not found in chain");
    EXPECT_EQ(refusal("gettxoutproof", Json::array({Json::array()})).substr(0, 3), "-8 ");
    EXPECT_EQ(refusal("gettxoutproof", Json::array({Json::array({txid, txid})})).substr(0, 3),
              "-8 ");
    EXPECT_EQ(refusal("gettxoutproof", {Json::array({txid}), kGenesis}),
              "-5 Not all transactions found in specified or retrieved block");
}

TEST_F(RpcMethodsTest, MinesExactlyTheseTransactions) {
    chain_.mine(100);
    const chain::Transaction pooled = payment();
    chain_.submit(pooled);
    const chain::Transaction raw = payment(kBitcoin / 2);  // spends the change of the first
    auto wrong = raw;
    ++wrong.outputs[0].value;
    const std::string txid = pooled.txid().to_hex();
    const auto generate = [](const Json& transactions) {
        return Json::array({kAddress, transactions});
    };
    EXPECT_EQ(refusal("generateblock", generate({hex_of(raw)})),
              "-25 TestBlockValidity failed: bad-txns-inputs-missingorspent, CheckTxInputs: inputs "
              "missing/spent in transaction " +
                  raw.txid().to_hex());
    EXPECT_EQ(refusal("generateblock", generate({txid, hex_of(wrong)})),
              "-25 TestBlockValidity failed: block-script-verify-flag-failed (Script evaluated "
              "without error but finished with a false/empty top stack element), input 0 of " +
                  wrong.txid().to_hex() + " (wtxid " + wrong.wtxid().to_hex() + "), spending " +
                  wrong.inputs[0].prevout.to_string());
    const auto coinbase = chain_.block_at(1).transactions[0];
    EXPECT_EQ(refusal("generateblock", generate({hex_of(raw), hex_of(coinbase)})),
              "-25 TestBlockValidity failed: bad-cb-multiple");
    EXPECT_EQ(refusal("generateblock", generate({kGenesis})),
              "-5 Transaction " + std::string(kGenesis) + " not in mempool.");
    EXPECT_EQ(refusal("generateblock", generate({"zz"})).substr(0, 4), "-22 ");
    auto nonstandard = raw;
    chain::Witness& witness = nonstandard.inputs[0].witness;
    witness = {test::with_high_s({witness[0].begin(), witness[0].end()}),
               {witness[1].begin(), witness[1].end()}};
    const Json mined = call("generateblock", generate({txid, hex_of(nonstandard)}));
    const Json block = call("getblock", {mined["hash"], 2});
    EXPECT_EQ(block["nTx"], 3);
    EXPECT_GT(block["tx"][1]["fee"], 0.0);
    EXPECT_EQ(block["tx"][0]["vout"][0]["value"], 50.0) << "no fees are collected";
    // The transaction alone has the largest weight, so that the block with its header and coinbase
    // is too heavy.
    const auto heavy = chain_.make_payment({{kBitcoin / 8, chain::Bytes(999'850, 0x6a)}});
    EXPECT_EQ(refusal("generateblock", generate({hex_of(heavy)})),
              "-25 TestBlockValidity failed: bad-blk-weight");
    EXPECT_EQ(call("getrawmempool"), Json::array());
}

TEST_F(RpcMethodsTest, ShowsABlockBeforeItIsSubmitted) {
    chain_.mine(101);
    const std::string tip = call("getbestblockhash");
    const auto raw = payment();
    const Json made = call("generateblock", {kAddress, Json::array({hex_of(raw)}), false});
    EXPECT_EQ(call("getbestblockhash"), tip);
    EXPECT_EQ(refusal("getblock", {made["hash"]}), "-5 Block not found");
    EXPECT_EQ(call("submitblock", {made["hex"]}), nullptr);
    EXPECT_EQ(call("getbestblockhash"), made["hash"]);
    EXPECT_EQ(call("getblock", {made["hash"]})["tx"][1], raw.txid().to_hex());
    EXPECT_FALSE(call("generateblock", {kAddress, Json::array(), true}).contains("hex"));
}

// Bitcoin Core: core_io.cpp, DecodeTx.
TEST_F(RpcMethodsTest, DecodesTransactionsInBothForms) {
    const std::string failed = "-22 TX decode failed";
    for (const char* wrong : {"00", "x", "0200000001"}) {
        EXPECT_EQ(refusal("decoderawtransaction", {wrong}), failed) << wrong;
    }
    // The bytes after the version mean no inputs and one output, or the marker of a witness
    // transaction that ends there.
    const std::string draft = "02000000000100e1f50500000000015100000000";
    EXPECT_EQ(call("decoderawtransaction", {draft})["vout"][0]["value"], 1.0);
    EXPECT_EQ(call("decoderawtransaction", {draft, false})["vin"], Json::array());
    EXPECT_EQ(refusal("decoderawtransaction", {draft, true}), failed);
    const std::string empty = "02000000000000000000";
    for (const Json& form : {Json(nullptr), Json(true), Json(false)}) {
        EXPECT_EQ(call("decoderawtransaction", {empty, form})["size"], 10);
    }
    chain_.mine(101);
    const auto paid = payment();
    EXPECT_EQ(call("decoderawtransaction", {hex_of(paid), true})["hash"], paid.wtxid().to_hex());
    EXPECT_EQ(refusal("decoderawtransaction", {hex_of(paid), false}), failed);
    const std::string stripped = chain::to_hex(paid.serialize_without_witness());
    for (const bool form : {true, false}) {
        EXPECT_EQ(call("decoderawtransaction", {stripped, form})["txid"], paid.txid().to_hex());
    }
}

TEST_F(RpcMethodsTest, TellsOfConnectionsAndClosesThem) {
    PeerRecord peer;
    peer.id = 4;
    peer.address = "127.0.0.1:5000";
    peer.version = net::Version{};
    peer.version->user_agent = "/test:1/";
    peer.time_offset = -3;
    peer.relay.fee_filter = 1'000;
    peer.traffic = {1'700'000'001, 1'700'000'002, {{"inv", 61}}, {{"*other*", 24}, {"ping", 32}}};
    peers_.records = {peer};
    EXPECT_EQ(call("getconnectioncount"), 1);
    const Json told = call("getpeerinfo")[0];
    EXPECT_EQ(told["id"], 4);
    EXPECT_EQ(told["addr"], "127.0.0.1:5000");
    EXPECT_EQ(told["subver"], "/test:1/");
    EXPECT_EQ(told["inbound"], true);
    EXPECT_EQ(told["timeoffset"], -3);
    EXPECT_EQ(told["minfeefilter"], 0.00001);
    EXPECT_EQ(told["lastsend"], 1'700'000'001);
    EXPECT_EQ(told["lastrecv"], 1'700'000'002);
    EXPECT_EQ(told["bytessent_per_msg"], (Json{{"inv", 61}}));
    EXPECT_EQ(told["bytesrecv_per_msg"], (Json{{"*other*", 24}, {"ping", 32}}));
    EXPECT_EQ(told["synced_headers"], -1);
    EXPECT_EQ(told["synced_blocks"], -1);
    EXPECT_EQ(told["inflight"], Json::array());
    EXPECT_FALSE(told.contains("pingtime"));
    peers_.records[0].blocks.known_height = 12;
    peers_.records[0].blocks.common_height = 10;
    peers_.records[0].blocks.requested_heights = {13, 14};
    peers_.records[0].pings.last = std::chrono::milliseconds{15};
    peers_.records[0].pings.least = std::chrono::milliseconds{7};
    peers_.records[0].blocks.last_block = 1'700'000'003;
    const Json later = call("getpeerinfo")[0];
    EXPECT_EQ(later["synced_headers"], 12);
    EXPECT_EQ(later["synced_blocks"], 10);
    EXPECT_EQ(later["inflight"], Json::array({13, 14}));
    EXPECT_EQ(later["pingtime"], 0.015);
    EXPECT_EQ(later["minping"], 0.007);
    EXPECT_EQ(later["last_block"], 1'700'000'003);
    const Json info = call("getnetworkinfo");
    EXPECT_EQ(info["connections"], 1);
    EXPECT_EQ(info["localservices"], "000000000000044d");
    EXPECT_EQ(info["localservicesnames"],
              (Json::array({"NETWORK", "BLOOM", "WITNESS", "COMPACT_FILTERS", "NETWORK_LIMITED"})));
    EXPECT_EQ(refusal("disconnectnode", {"127.0.0.1:5001"}),
              "-29 Node not found in connected nodes");
    EXPECT_EQ(refusal("disconnectnode", {"127.0.0.1:5000", 4}).substr(0, 7), "-32602 ");
    EXPECT_EQ(call("disconnectnode", {"", 4}), nullptr);
    EXPECT_TRUE(peers_.disconnected.contains(4));
}

TEST_F(RpcMethodsTest, TellsOfItself) {
    EXPECT_EQ(call("uptime"), 100);
    EXPECT_EQ(
        call("estimatesmartfee", {6}),
        (Json{{"errors", Json::array({"Insufficient data or no feerate found"})}, {"blocks", 0}}));
    EXPECT_EQ(refusal("estimatesmartfee", {0}).substr(0, 3), "-8 ");
    const std::string help = call("help");
    for (const Method& method : all_methods()) {
        EXPECT_NE(help.find(method.name), std::string::npos) << method.name;
        EXPECT_FALSE(method.text.empty()) << method.name;
    }
    EXPECT_EQ(call("help", {"nothing"}), "help: unknown command: nothing");
    const std::string of_one = call("help", {"getrawtransaction"});
    EXPECT_TRUE(of_one.starts_with("getrawtransaction \"txid\" ( verbosity \"blockhash\" )\n\n"))
        << of_one;
    const std::string of_another = call("help", {"sendmany"});
    EXPECT_TRUE(of_another.starts_with("sendmany ( \"dummy\" ) amounts ( minconf \"comment\" "))
        << of_another;
    EXPECT_EQ(stops_, 0);
    call("stop", Json{{"wait", 0}});
    EXPECT_EQ(stops_, 1);
}

TEST_F(RpcMethodsTest, TakesArgumentsByPositionAndByName) {
    chain_.mine(1);
    const std::string usage = "getblock \"blockhash\" ( verbosity )";
    EXPECT_EQ(call("getblock", Json{{"blockhash", kGenesis}, {"verbosity", 0}}),
              call("getblock", {kGenesis, 0}));
    EXPECT_EQ(call("getblock", Json{{"args", Json::array({kGenesis})}, {"verbosity", 0}}),
              call("getblock", {kGenesis, false}));
    EXPECT_EQ(call("getblock", Json{{"blockhash", kGenesis}, {"verbose", false}}),
              call("getblock", {kGenesis, 0}));
    EXPECT_EQ(refusal("getblock", Json{{"verbosity", 0}, {"verbose", 1}}),
              "-8 Unknown named parameter verbose");
    const std::string coinbase = chain_.block_at(1).txids[0].to_hex();
    EXPECT_EQ(call("getrawtransaction", Json{{"txid", coinbase}, {"verbose", true}}),
              call("getrawtransaction", {coinbase, 1}));
    EXPECT_EQ(refusal("getblock"), "-1 " + usage);
    EXPECT_EQ(refusal("getblock", {kGenesis, 1, 2}), "-1 " + usage);
    EXPECT_EQ(refusal("getblock", Json{{"hash", kGenesis}}), "-8 Unknown named parameter hash");
    EXPECT_EQ(
        refusal("getblock", {1}),
        "-3 Wrong type passed:\n{\n    \"Position 1 (blockhash)\": \"JSON value of type number "
        "is not of expected type string\"\n}");
    EXPECT_EQ(refusal("getblock", {kGenesis, "1"}),
              "-3 JSON value of type string is not of expected type number");
    EXPECT_EQ(refusal("getblock", {"abc"}), "-8 blockhash must be of length 64 (not 3, for 'abc')");
    EXPECT_EQ(refusal("getblockheader", {"x"}), "-8 hash must be of length 64 (not 1, for 'x')");
    EXPECT_EQ(refusal("getrawtransaction", {"x"}),
              "-8 parameter 1 must be of length 64 (not 1, for 'x')");
    EXPECT_EQ(refusal("getrawtransaction", {kGenesis, 0, "x"}),
              "-8 parameter 3 must be of length 64 (not 1, for 'x')");
    EXPECT_EQ(refusal("testmempoolaccept", Json::array({Json::array()})),
              "-8 Array must contain between 1 and 25 transactions.");
    EXPECT_EQ(refusal("testmempoolaccept", Json::array({Json(26, "00")})),
              "-8 Array must contain between 1 and 25 transactions.");
    const std::string no_hex(64, 'x');
    EXPECT_EQ(refusal("getblock", {no_hex}),
              "-8 blockhash must be hexadecimal string (not '" + no_hex + "')");
    EXPECT_EQ(refusal("getblock", {kGenesisCoinbase}), "-5 Block not found");
    EXPECT_EQ(refusal("getblockhash", {2}), "-8 Block height out of range");
    EXPECT_EQ(refusal("getblockhash", {-1}), "-8 Block height out of range");
    EXPECT_EQ(refusal("getblockhash", {1.5}), "-1 JSON integer out of range");
    EXPECT_EQ(refusal("getblocks"), "-32601 Method not found");
}

// Bitcoin Core: rpc/util.cpp, RPCMethod::HandleRequest; rpc/server.cpp, transformNamedArguments.
TEST_F(RpcMethodsTest, RefusesArgumentsWithCoresCodes) {
    const auto wrong = [](const std::string& position, const std::string& type) {
        return "\n    \"Position " + position + "\": \"JSON value of type " + type +
               " is not of expected type string\"";
    };
    const std::string null_hash = wrong("1 (blockhash)", "null");
    EXPECT_EQ(refusal("getblock", {nullptr, 1}), "-3 Wrong type passed:\n{" + null_hash + "\n}");
    EXPECT_EQ(refusal("getblock", Json::array({nullptr})),
              "-3 Wrong type passed:\n{" + null_hash + "\n}");
    EXPECT_EQ(refusal("getblock", Json{{"verbosity", 1}}),
              "-3 Wrong type passed:\n{" + null_hash + "\n}");
    EXPECT_EQ(refusal("sendtoaddress", {1, 1, 2, true}),
              "-3 Wrong type passed:\n{" + wrong("1 (address)", "number") + "," +
                  wrong("3 (comment)", "number") + "," + wrong("4 (comment_to)", "bool") + "\n}");
    EXPECT_EQ(refusal("sendtoaddress", {kAddress, nullptr}), "-3 Amount is not a number or string");
    EXPECT_EQ(refusal("sendtoaddress", {kAddress}).substr(0, 3), "-1 ");
    EXPECT_EQ(refusal("getblock", Json{{"args", Json::array({kGenesis})}, {"blockhash", kGenesis}}),
              "-8 Parameter blockhash specified twice both as positional and named argument");
    EXPECT_EQ(refusal("getblock", Json{{"args", Json::array({kGenesis, 1, 2})}}).substr(0, 3),
              "-1 ");
    EXPECT_EQ(refusal("getblock", Json{{"args", 1}}).substr(0, 3), "-1 ");
    const auto twice = parse_bounded(R"({"verbosity":1,"verbosity":1})");
    EXPECT_EQ(refusal("getblock", *twice), "-8 Parameter verbosity specified multiple times");
}

// Bitcoin Core 31 returned these codes on the same chain.
TEST_F(RpcMethodsTest, RefusesRareArgumentsWithCoresCodes) {
    const auto code_of = [this](std::string_view method, const Json& arguments) {
        const std::string refused = refusal(method, arguments);
        return refused.substr(0, refused.find(' '));
    };
    EXPECT_EQ(code_of("getrawtransaction", {"", 1.5}), "-8") << "the txid is checked first";
    EXPECT_EQ(code_of("getrawtransaction", {"", ""}), "-8");
    EXPECT_EQ(code_of("getrawmempool", {true, true}), "-8");
    EXPECT_EQ(code_of("verifytxoutproof", {""}), "-8");
    EXPECT_EQ(code_of("testmempoolaccept", Json::array({Json::array({1})})), "-3");
    EXPECT_EQ(code_of("generateblock", {kAddress, Json::array({1})}), "-3");
    EXPECT_EQ(code_of("generateblock", {kAddress, Json::array(), 0}), "-3");
    EXPECT_EQ(code_of("generateblock", {kAddress, Json::array({"00"}), false}), "-22");
    EXPECT_EQ(code_of("generatetoaddress", {0, kAddress, 1.5}), "-1");
    EXPECT_EQ(code_of("generatetoaddress", {0, kAddress, 2'147'483'648}), "-1");
    EXPECT_EQ(code_of("getbalance", Json::array({""})), "-32");
    EXPECT_EQ(call("generatetoaddress", {-1, kAddress}), Json::array());
    EXPECT_EQ(code_of("disconnectnode", Json::array({""})), "-29");
    EXPECT_EQ(code_of("disconnectnode", {"x", 1.5}), "-1");
    EXPECT_EQ(code_of("disconnectnode", {"x", 1}), "-32602");
    EXPECT_EQ(code_of("disconnectnode", Json::array()), "-32602");
    EXPECT_EQ(code_of("estimatesmartfee", {1, "x"}), "-8");
    EXPECT_EQ(code_of("estimatesmartfee", {1, "Economical"}), "");
    EXPECT_EQ(refusal("deriveaddresses", {"x", -1}), "-8 End of range is too high");
    EXPECT_EQ(code_of("deriveaddresses", {"x", 1.5}), "-1");
    EXPECT_EQ(code_of("deriveaddresses", {"x", {0, 1.5}}), "-1");
}

// UniValue::getInt of the integer type that Bitcoin Core uses there.
TEST_F(RpcMethodsTest, RefusesNumbersThatAreNoIntegersInRange) {
    const std::string refused = "-1 JSON integer out of range";
    for (const Json& number : {Json(2'147'483'648), Json(-2'147'483'649), Json(1.0), Json(1e15),
                               Json(std::uint64_t{1} << 63U)}) {
        EXPECT_EQ(refusal("getblockhash", {number}), refused) << number;
        EXPECT_EQ(refusal("getblock", {kGenesis, number}), refused) << number;
    }
    EXPECT_EQ(refusal("getblockhash", {2'147'483'647}), "-8 Block height out of range");
    EXPECT_EQ(refusal("gettxout", {kGenesis, -1}), refused);
    EXPECT_EQ(call("gettxout", {kGenesis, 4'294'967'295}), nullptr);
    EXPECT_EQ(refusal("gettxout", {kGenesis, 4'294'967'296}), refused);
    EXPECT_EQ(refusal("setmocktime", {std::uint64_t{1} << 63U}), refused);
    EXPECT_EQ(refusal("setmocktime", {4'294'967'296}),
              "-8 Mocktime must be in the range [0, 4294967295], not 4294967296.");
}

}  // namespace
}  // namespace petal::regtest::rpc
