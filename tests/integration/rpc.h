/// JSON-RPC over HTTP, as bcoin and Bitcoin Core speak it.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "chain/transaction.h"

namespace petal::test {

/// Calls the methods of a node on 127.0.0.1, one connection a call.
class RpcClient {
public:
    /// user_and_password   `user:password` for HTTP's basic authentication, or empty
    RpcClient(std::uint16_t port, const std::string& user_and_password);

    /// The method's result. Throws std::runtime_error where the node can't be reached or reports an
    /// error.
    nlohmann::json call(const std::string& method, const nlohmann::json& parameters) const;

private:
    std::uint16_t port_;
    std::string authorization_;  // a header line, or empty
};

/// An amount that Bitcoin Core writes in bitcoin, in satoshi.
chain::Satoshis satoshis_of(const nlohmann::json& btc);

}  // namespace petal::test
