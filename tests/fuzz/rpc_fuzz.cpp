// The body of a JSON-RPC request from an authorised client: for any content, the answer is JSON or
// empty, and the chain has a tip.
#include <cassert>
#include <cstdint>
#include <string_view>

#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/rpc_server.h"
#include "tests/support/fake_peers.h"

namespace {

using namespace petal;
using regtest::rpc::Json;

/// The method limits mining itself. Here the limit is stricter, to be fast.
bool mines_much(const std::string& method, const Json& arguments) {
    if (!method.starts_with("generateto")) return false;
    return !arguments.is_array() || arguments.empty() || arguments[0] != 1;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    regtest::RegtestChain chain({1'600'000'000, regtest::PurseKind::p2wpkh});
    chain.mine(3);
    test::FakePeers peers;
    regtest::rpc::NodeSettings settings;
    settings.machine_time = [] { return std::int64_t{1'700'000'000}; };
    regtest::rpc::RpcNode node{chain, peers, settings};
    const std::string_view body(reinterpret_cast<const char*>(data), size);
    const auto answer =
        regtest::rpc::answer_rpc(body, [&](const std::string& method, const Json& arguments) {
            if (mines_much(method, arguments)) return Json();
            return regtest::rpc::call_method(node, method, arguments);
        });
    assert(answer.body.empty() == (answer.status == 204));
    assert(answer.body.empty() || Json::accept(answer.body));
    assert(chain.blocks().is_active(chain.blocks().tip()));
    return 0;
}
