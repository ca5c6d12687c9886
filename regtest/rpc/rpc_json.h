/// The JSON type of the RPC interface, and the errors of its methods.
#pragma once

#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <utility>

namespace petal::regtest::rpc {

/// Keys keep the order in which they are added.
using Json = nlohmann::ordered_json;

/// Appends a member without searching for duplicates. Json's own functions compare with each
/// existing name, which takes quadratic time for objects with many members.
inline void append_member(Json& object, std::string name, Json value) {
    object.get_ref<Json::object_t&>().push_back({std::move(name), std::move(value)});
}

/// Bitcoin Core's error codes (rpc/protocol.h).
enum class RpcCode : int {
    misc = -1,  ///< also wrong usage, with the method's help as the message
    wrong_type = -3,
    wallet_error = -4,
    not_found = -5,  ///< also an invalid address or key
    insufficient_funds = -6,
    invalid_parameter = -8,
    invalid_label = -11,
    no_new_address = -12,  ///< Bitcoin Core: RPC_WALLET_KEYPOOL_RAN_OUT
    wallet_locked = -13,   ///< Bitcoin Core: RPC_WALLET_UNLOCK_NEEDED
    wrong_passphrase = -14,
    wrong_encryption_state = -15,
    encryption_failed = -16,
    wallet_not_found = -18,
    wallet_not_specified = -19,
    undecodable = -22,
    node_already_added = -23,
    node_not_added = -24,
    verify_error = -25,
    rejected = -26,
    already_in_chain = -27,
    node_not_connected = -29,
    method_deprecated = -32,
    wallet_already_loaded = -35,
    wallet_already_exists = -36,
    invalid_request = -32600,
    invalid_params = -32602,
    method_not_found = -32601,
    parse_error = -32700,
};

/// Ends a method. Caught only by the dispatcher.
class RpcError : public std::runtime_error {
public:
    RpcError(RpcCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
    RpcCode code() const { return code_; }

private:
    RpcCode code_;
};

}  // namespace petal::regtest::rpc
