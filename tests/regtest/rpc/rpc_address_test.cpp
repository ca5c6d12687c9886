// Addresses, descriptors and scripts.
#include "tests/regtest/rpc/rpc_fixture.h"

namespace petal::regtest::rpc {
namespace {

TEST_F(RpcMethodsTest, TakesAddressesAndDescriptorsApart) {
    const Json valid = call("validateaddress", {kAddress});
    EXPECT_EQ(valid["isvalid"], true);
    EXPECT_EQ(valid["scriptPubKey"], "0014d0c4a3ef09e997b6e99e397e518fe3e41a118ca1");
    EXPECT_EQ(valid["isscript"], false);
    EXPECT_EQ(valid["witness_version"], 0);
    EXPECT_EQ(valid["witness_program"], "d0c4a3ef09e997b6e99e397e518fe3e41a118ca1");
    struct Row {
        const char* address;
        std::string details;  // as Bitcoin Core reports them
    };
    for (const auto& [address, details] : std::initializer_list<Row>{
             {"mipcBbFg9gMiCh81Kj8tqqdgoZub1ZJRfn", R"("isscript":false,"iswitness":false})"},
             {"2N2JD6wb56AfK4tfmM6PwdVmoYk2dCKf4Br", R"("isscript":true,"iswitness":false})"},
             {"bcrt1pfeesnyr2tx", R"("isscript":true,"iswitness":true})"},
             {"bcrt1sqypqjmjlsn",
              R"("iswitness":true,"witness_version":16,"witness_program":"0102"})"},
             {"bcrt1pqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqqn5md8r",
              R"("iswitness":true,"witness_version":1,"witness_program":")" + std::string(40, '0') +
                  "\"}"},
         }) {
        const std::string shown = call("validateaddress", {address}).dump();
        const auto behind_script = shown.find(',', shown.find("scriptPubKey"));
        EXPECT_EQ(shown.substr(behind_script + 1), details) << address;
    }
    const Json mainnet = call("validateaddress", {"bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"});
    EXPECT_EQ(mainnet["isvalid"], false);
    EXPECT_FALSE(mainnet["error"].get<std::string>().empty());
    // Bitcoin Core: doc/descriptors.md
    const std::string key = "02c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";
    const Json info = call("getdescriptorinfo", {"wpkh(" + key + ")"});
    EXPECT_EQ(info["isrange"], false);
    EXPECT_EQ(info["issolvable"], true);
    EXPECT_EQ(info["hasprivatekeys"], false);
    const std::string text = info["descriptor"];
    EXPECT_EQ(text, "wpkh(" + key + ")#" + info["checksum"].get<std::string>());
    EXPECT_EQ(call("deriveaddresses", {text}),
              Json::array({"bcrt1qq6hag67dl53wl99vzg42z8eyzfz2xlkvwk6f7m"}));
    EXPECT_EQ(refusal("deriveaddresses", {text, 3}),
              "-8 Range should not be specified for an un-ranged descriptor");
    EXPECT_EQ(refusal("deriveaddresses", {"wpkh(" + key + ")"}).substr(0, 3), "-5 ");
    const std::string tpub =
        "tpubD6NzVbkrYhZ4XgiXtGrdW5XDAPFCL9h7we1vwNCpn8tGbBcgfVYjXyhWo4E1xkh56hjod1RhGjxbaTLV3X4Fy"
        "WuejifB9jusQ46QzG87VKp";
    const Json several = call("getdescriptorinfo", {"wpkh(" + tpub + "/<0;1>/*)"});
    const Json first = call("getdescriptorinfo", {"wpkh(" + tpub + "/0/*)"});
    EXPECT_EQ(several["descriptor"], first["descriptor"]);
    EXPECT_EQ(several["multipath_expansion"].size(), 2U);
    EXPECT_EQ(several["multipath_expansion"][0], first["descriptor"]);
    EXPECT_NE(several["checksum"], first["checksum"]) << "the checksum is of the given text";
    EXPECT_FALSE(first.contains("multipath_expansion"));
}

TEST_F(RpcMethodsTest, ShowsScriptsInCoresWords) {
    const auto shown = [this](const std::string& script) {
        chain::Transaction transaction;
        transaction.inputs.resize(1);
        transaction.outputs = {{0, *chain::from_hex(script)}};
        return call("decoderawtransaction", {hex_of(transaction)})["vout"][0]["scriptPubKey"];
    };
    EXPECT_EQ(shown("ff")["asm"], "OP_INVALIDOPCODE");
    EXPECT_EQ(shown("fe")["asm"], "OP_UNKNOWN");
    const auto taproot = [&shown](const std::string& program) {
        return shown("5120" + program)["desc"].get<std::string>();
    };
    const std::string key = "c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee5";
    EXPECT_EQ(taproot(key).substr(0, 71), "rawtr(" + key + ")");
    const std::string no_key = std::string(63, '0') + "5";  // the x-coordinate of no point
    EXPECT_EQ(taproot(no_key).substr(0, 12), "addr(bcrt1pq");
}

}  // namespace
}  // namespace petal::regtest::rpc
