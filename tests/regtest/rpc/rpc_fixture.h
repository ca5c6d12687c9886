/// A node without sockets. Tests call the RPC methods directly.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "regtest/rpc/rpc_method.h"
#include "tests/support/fake_peers.h"
#include "wallet/descriptors/address.h"

namespace petal::regtest::rpc {

inline constexpr const char* kAddress = "bcrt1q6rz28mcfaxtmd6v789l9rrlrusdprr9pz3cppk";
inline constexpr const char* kGenesis =
    "0f9188f13cb7b2c71f2a335e3a4fc328bf5beb436012afca590b1a11466e2206";
inline constexpr const char* kGenesisCoinbase =
    "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b";
inline constexpr chain::Satoshis kBitcoin = 100'000'000;

using test::FakePeers;

class RpcMethodsTest : public testing::Test {
protected:
    /// clock   the chain's clock, may be empty
    explicit RpcMethodsTest(std::function<std::int64_t()> clock = {})
        : chain_({1'600'000'000, PurseKind::p2wpkh, std::move(clock)}) {
        settings_.machine_time = [] { return std::int64_t{1'700'000'100}; };
        settings_.start_time = 1'700'000'000;
        settings_.stop = [this] { ++stops_; };
    }

    Json call(std::string_view method, const Json& arguments = Json::array()) {
        return call_method(node_, method, arguments);
    }
    /// The code and the message of the error. Empty if the call succeeds.
    std::string refusal(std::string_view method, const Json& arguments = Json::array()) {
        try {
            const Json result = call(method, arguments);
        } catch (const RpcError& error) {
            return std::to_string(static_cast<int>(error.code())) + " " + error.what();
        }
        return "";
    }

    /// A signed payment that is not yet in the mempool.
    chain::Transaction payment(chain::Satoshis value = kBitcoin) {
        return chain_.make_payment({{value, *wallet::parse_address(kAddress, regtest_network())}});
    }
    static std::string hex_of(const chain::Transaction& transaction) {
        return chain::to_hex(transaction.serialize());
    }

    RegtestChain chain_;
    FakePeers peers_;
    NodeSettings settings_;
    RpcNode node_{chain_, peers_, settings_};
    int stops_ = 0;
};

}  // namespace petal::regtest::rpc
