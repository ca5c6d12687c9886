/// JSON-RPC over HTTP, as used by bcoin and Bitcoin Core.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "chain/transaction.h"

namespace petal::test {

/// Calls the methods of a node on 127.0.0.1, with one connection for each call.
class RpcClient {
public:
    /// user_and_password   `user:password` for HTTP's basic authentication, or empty
    RpcClient(std::uint16_t port, const std::string& user_and_password);

    /// The result of the method. Throws std::runtime_error if the node cannot be reached or returns
    /// an error.
    nlohmann::json call(const std::string& method, const nlohmann::json& parameters) const;

private:
    std::uint16_t port_;
    std::string authorization_;  // a header line, or empty
};

/// An amount that Bitcoin Core writes in bitcoin, in satoshis.
chain::Satoshis satoshis_of(const nlohmann::json& btc);

}  // namespace petal::test
