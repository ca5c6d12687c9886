#include "regtest/rpc/rpc_server.h"

#include <gtest/gtest.h>

namespace petal::regtest::rpc {
namespace {

/// `echo` returns its arguments; `fail`, `throw` and `break` fail.
Json call_test_method(const std::string& method, const Json& arguments) {
    if (method == "echo") return arguments;
    if (method == "fail") throw RpcError(RpcCode::not_found, "Block not found");
    if (method == "throw") throw std::invalid_argument("the chain's own rule");
    if (method == "break") throw std::length_error("a string of that length");
    throw RpcError(RpcCode::method_not_found, "Method not found");
}

RpcAnswer answer(std::string_view body) {
    return answer_rpc(body, call_test_method);
}

struct Row {
    std::string_view request;
    unsigned status;
    std::string_view answer;
};

void PrintTo(const Row& row, std::ostream* out) {
    *out << row.request;
}

class RpcServerTest : public testing::TestWithParam<Row> {};

TEST_P(RpcServerTest, AnswersAsBitcoinCore) {
    const auto& [request, status, expected] = GetParam();
    const RpcAnswer given = answer(request);
    EXPECT_EQ(given.status, status);
    EXPECT_EQ(given.body, expected.empty() ? "" : std::string(expected) + "\n");
}

// Bitcoin Core: test/functional/interface_rpc.py; rpc/request.cpp, JSONRPCRequest::parse.
constexpr Row kRows[] = {
    // JSON-RPC 1.0 and 1.1: the answer has both keys, and errors have an HTTP status.
    {R"({"method":"echo","params":[1,"a"],"id":7})", 200,
     R"({"result":[1,"a"],"error":null,"id":7})"},
    {R"({"method":"echo","params":{"a":1},"id":"x"})", 200,
     R"({"result":{"a":1},"error":null,"id":"x"})"},
    {R"({"method":"echo"})", 200, R"({"result":[],"error":null})"},
    {R"({"method":"nothing"})", 404,
     R"({"result":null,"error":{"code":-32601,"message":"Method not found"}})"},
    {R"({"jsonrpc":"1.0","method":"echo","params":null,"id":null})", 200,
     R"({"result":[],"error":null,"id":null})"},
    {R"({"method":"fail","id":1})", 500,
     R"({"result":null,"error":{"code":-5,"message":"Block not found"},"id":1})"},
    {R"({"method":"throw","id":1})", 500,
     R"({"result":null,"error":{"code":-1,"message":"the chain's own rule"},"id":1})"},
    {R"({"method":"break","id":1})", 500,
     R"({"result":null,"error":{"code":-1,"message":"a string of that length"},"id":1})"},
    {R"({"method":"nothing","id":1})", 404,
     R"({"result":null,"error":{"code":-32601,"message":"Method not found"},"id":1})"},
    {R"({"params":[],"id":1})", 400,
     R"({"result":null,"error":{"code":-32600,"message":"Missing method"},"id":1})"},
    {R"({"method":1,"id":1})", 400,
     R"({"result":null,"error":{"code":-32600,"message":"Method must be a string"},"id":1})"},
    {R"({"method":"echo","params":3,"id":1})", 400,
     R"({"result":null,"error":{"code":-32600,"message":"Params must be an array or object"},"id":1})"},
    {R"({"jsonrpc":"3.0","method":"echo","id":1})", 400,
     R"({"result":null,"error":{"code":-32600,"message":"JSON-RPC version not supported"},"id":1})"},
    {R"({"jsonrpc":2,"method":"echo","id":1})", 400,
     R"({"result":null,"error":{"code":-32600,"message":"jsonrpc field must be a string"},"id":1})"},
    // JSON-RPC 2.0: the answer has one of the two keys and status 200. A request without an id is a
    // notification.
    {R"({"jsonrpc":"2.0","method":"echo","params":[1],"id":7})", 200,
     R"({"jsonrpc":"2.0","result":[1],"id":7})"},
    {R"({"jsonrpc":"2.0","method":"fail","id":1})", 200,
     R"({"jsonrpc":"2.0","error":{"code":-5,"message":"Block not found"},"id":1})"},
    {R"({"jsonrpc":"2.0","method":"nothing","id":null})", 200,
     R"({"jsonrpc":"2.0","error":{"code":-32601,"message":"Method not found"},"id":null})"},
    {R"({"jsonrpc":"2.0","method":"echo"})", 204, ""},
    {R"({"jsonrpc":"2.0","method":"fail"})", 204, ""},
    // An id is returned exactly as it was sent.
    {R"({"method":"echo","id":0.8444218515250481})", 200,
     R"({"result":[],"error":null,"id":0.8444218515250481})"},
    {R"({"method":"echo","id":-0})", 200, R"({"result":[],"error":null,"id":-0})"},
    {R"({"method":"echo","id":0.5})", 200, R"({"result":[],"error":null,"id":0.5})"},
    {R"({"method":"echo","id":1e15})", 200, R"({"result":[],"error":null,"id":1e15})"},
    {R"({"method":"echo","id":1700000000123.0})", 200,
     R"({"result":[],"error":null,"id":1700000000123.0})"},
    {R"({"method":"echo","id":-18446744073709551616})", 200,
     R"({"result":[],"error":null,"id":-18446744073709551616})"},
    {R"({"method":"echo","id":18446744073709551616})", 200,
     R"({"result":[],"error":null,"id":18446744073709551616})"},
    {R"({"method":"echo","id":18446744073709551615})", 200,
     R"({"result":[],"error":null,"id":18446744073709551615})"},
    {R"({"method":"fail","id":1.50})", 500,
     R"({"result":null,"error":{"code":-5,"message":"Block not found"},"id":1.50})"},
    {R"([{"jsonrpc":"2.0","method":"echo","id":1.50}])", 200,
     R"([{"jsonrpc":"2.0","result":[],"id":1.50}])"},
    {R"({"method":"echo","id":[1,{"id":2.50},3.50],"params":[2.50]})", 200,
     R"({"result":[2.50000000],"error":null,"id":[1,{"id":2.50},3.50]})"},
    {R"({"method":"echo","id":false})", 200, R"({"result":[],"error":null,"id":false})"},
    // Numbers of another member called "id" are not treated as an id.
    {R"({"method":"echo","params":{"id":2.50}})", 200,
     R"({"result":{"id":2.50000000},"error":null})"},
    {R"([[{"id":2.50}]])", 200,
     R"([{"result":null,"error":{"code":-32600,"message":"Invalid Request object"},"id":null}])"},
    // Of two equal keys, the first counts.
    {R"({"method":"echo","id":1,"method":"fail","id":2})", 200,
     R"({"result":[],"error":null,"id":1})"},
    // Batches.
    {R"([{"method":"echo","id":1},{"jsonrpc":"2.0","method":"echo"},{"method":"fail","id":2}])",
     200,
     R"([{"result":[],"error":null,"id":1},)"
     R"({"result":null,"error":{"code":-5,"message":"Block not found"},"id":2}])"},
    {R"([{"jsonrpc":"2.0","method":"echo"}])", 204, ""},
    {R"([])", 200, R"([])"},
    {R"([1])", 200,
     R"([{"result":null,"error":{"code":-32600,"message":"Invalid Request object"},"id":null}])"},
    // Invalid requests.
    {"", 500, R"({"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null})"},
    {"{", 500, R"({"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null})"},
    {"{} {}", 500, R"({"result":null,"error":{"code":-32700,"message":"Parse error"},"id":null})"},
    {"\"x\"", 500,
     R"({"result":null,"error":{"code":-32700,"message":"Top-level object parse error"},"id":null})"},
};

INSTANTIATE_TEST_SUITE_P(Rows, RpcServerTest, testing::ValuesIn(kRows));

TEST(RpcServer, BoundsDepthAndBatch) {
    const auto nested = [](int depth) {
        return R"({"method":"echo","params":)" + std::string(static_cast<std::size_t>(depth), '[') +
               std::string(static_cast<std::size_t>(depth), ']') + "}";
    };
    EXPECT_EQ(answer(nested(32)).status, 200U);
    EXPECT_EQ(answer(nested(33)).status, 500U);
    EXPECT_EQ(answer(nested(1'000'000)).status, 500U);
    const auto batch = [](std::size_t size) {
        std::string text = "[1";
        for (std::size_t i = 1; i < size; ++i) text += ",1";
        return text + "]";
    };
    EXPECT_EQ(answer(batch(10'000)).status, 200U);
    EXPECT_EQ(answer(batch(10'001)).status, 400U);
}

TEST(RpcServer, BoundsTheAnswersToABatch) {
    const std::string_view batch =
        R"([{"method":"echo","params":["xxxxxxxxxx"]},{"method":"echo","params":["xxxxxxxxxx"]},)"
        R"({"jsonrpc":"2.0","method":"echo"},{"method":"echo","id":3},{"method":1}])";
    const auto answers = Json::parse(answer_rpc(batch, call_test_method, 70).body);
    ASSERT_EQ(answers.size(), 4U);
    EXPECT_EQ(answers[1]["error"], nullptr);
    EXPECT_EQ(answers[2]["error"]["code"], -1);
    EXPECT_EQ(answers[2]["id"], 3);
    EXPECT_EQ(answers[3]["error"]["code"], -32600);
}

TEST(RpcServer, AnswersInUtf8WhateverItWasSent) {
    const auto answered =
        Json::parse(answer("{\"method\":\"echo\",\"id\":\"a\\ud83d\\ude00\"}").body);
    EXPECT_EQ(answered["id"], "a\xf0\x9f\x98\x80");
    EXPECT_EQ(answer("{\"method\":\"echo\",\"id\":\"\xff\"}").status, 500U);
}

}  // namespace
}  // namespace petal::regtest::rpc
