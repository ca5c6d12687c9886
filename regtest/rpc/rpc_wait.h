/// Answers that come later.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <utility>

#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// Thrown by a method whose result is not there yet. Caught only by the dispatcher, which then asks
/// from time to time.
class RpcWait {
public:
    /// The result, if it is there after this time. May throw RpcError.
    using Poll = std::function<std::optional<Json>(std::chrono::milliseconds waited)>;

    explicit RpcWait(Poll poll) : poll_(std::move(poll)) {}
    const Poll& poll() const { return poll_; }

private:
    Poll poll_;
};

}  // namespace petal::regtest::rpc
