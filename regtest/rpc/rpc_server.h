/// JSON-RPC: turns the body of a request into the body of the answer.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// An HTTP status, and JSON text, which may be empty.
struct RpcAnswer {
    unsigned status = 200;
    std::string body;
    /// If set, the answer is not there yet. Call this from time to time until it returns an answer.
    /// waited   the time since the request
    std::function<std::optional<RpcAnswer>(std::chrono::milliseconds waited)> later = {};
};

/// Runs a method and returns the result. Throws RpcError or RpcWait.
using RpcCall = std::function<Json(const std::string& method, const Json& arguments)>;

/// Answers a request or a batch, like Bitcoin Core (httprpc.cpp, rpc/request.cpp). Errors of
/// JSON-RPC 1.0 have their own HTTP status. Errors of 2.0 have status 200, and notifications of 2.0
/// get no answer. Answers any input, and any exception of `call`. A request of a batch that waits
/// delays the requests after it.
/// call              must stay valid until the answer is there
/// max_batch_bytes   once the answers to a batch exceed this size, the remaining requests are not
///                   run
RpcAnswer answer_rpc(std::string_view body, const RpcCall& call,
                     std::size_t max_batch_bytes = 64'000'000);

}  // namespace petal::regtest::rpc
