/// JSON-RPC: computes the body of an answer from that of a request.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// An HTTP status and a JSON text, which may be empty.
struct RpcAnswer {
    unsigned status = 200;
    std::string body;
};

/// The answer of a method; throws RpcError.
using RpcCall = std::function<Json(const std::string& method, const Json& arguments)>;

/// Answers a request, or a batch of them, like Bitcoin Core (httprpc.cpp, rpc/request.cpp):
/// JSON-RPC 1.0 with errors by HTTP status, and 2.0, whose errors have status 200 and whose
/// notifications get no answer. Answers input of any kind, and any exception of `call`.
/// max_batch_bytes   once the answers to a batch exceed it, its other requests are not run
RpcAnswer answer_rpc(std::string_view body, const RpcCall& call,
                     std::size_t max_batch_bytes = 64'000'000);

}  // namespace petal::regtest::rpc
