#include <algorithm>

#include "regtest/rpc/address_json.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/rpc_method.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/descriptor_checksum.h"
#include "wallet/descriptors/script_deriver.h"
#include "wallet/keys/key_path.h"

namespace petal::regtest::rpc {
namespace {

Json validate_address(RpcNode& /*node*/, const Arguments& arguments) {
    const auto script = wallet::parse_address(arguments.text(0), regtest_network());
    if (!script) {
        return {{"isvalid", false},
                {"error_locations", Json::array()},
                {"error", describe(script.error())}};
    }
    Json json = {{"isvalid", true},
                 {"address", wallet::address_of(*script, regtest_network())},
                 {"scriptPubKey", chain::to_hex(*script)}};
    add_address_details(json, *script);
    return json;
}

/// The text of a descriptor without the checksum.
std::string_view without_checksum(std::string_view text) {
    return text.substr(0, text.find('#'));
}

Json get_descriptor_info(RpcNode& /*node*/, const Arguments& arguments) {
    const auto descriptor = parse_regtest_descriptor(arguments.text(0), false);
    const bool is_solvable = descriptor.function() != wallet::ScriptFunction::addr &&
                             descriptor.function() != wallet::ScriptFunction::raw;
    Json paths = Json::array();
    for (const auto& path : descriptor.single_paths()) {
        paths.push_back(path.to_string(regtest_network()));
    }
    Json json = {{"descriptor", paths[0]}};
    if (paths.size() > 1) json["multipath_expansion"] = std::move(paths);
    json["checksum"] = *wallet::descriptor_checksum(without_checksum(arguments.text(0)));
    json["isrange"] = descriptor.is_range();
    json["issolvable"] = is_solvable;
    json["hasprivatekeys"] = descriptor.has_private_keys();
    return json;
}

Json derive_path(const wallet::Descriptor& descriptor, const IndexRange& range) {
    const RpcError underivable(RpcCode::not_found, "Cannot derive script without private keys");
    auto deriver = wallet::ScriptDeriver::create(descriptor);
    if (!deriver) throw underivable;
    Json addresses = Json::array();
    for (std::int64_t index = range.first; index <= range.last; ++index) {
        const auto scripts = deriver->script_pubkeys(static_cast<std::uint32_t>(index));
        if (!scripts) throw underivable;
        for (const auto& script : *scripts) {
            const std::string address = wallet::address_of(script, regtest_network());
            // The P2PK script of combo() has no address.
            if (address.empty() && scripts->size() > 1) continue;
            if (address.empty()) {
                throw RpcError(RpcCode::not_found,
                               "Descriptor does not have a corresponding address");
            }
            addresses.push_back(address);
        }
    }
    return addresses;
}

Json derive_addresses(RpcNode& /*node*/, const Arguments& arguments) {
    const IndexRange range = arguments.has(1) ? parse_range(arguments.at(1)) : IndexRange{};
    const auto descriptor = parse_regtest_descriptor(arguments.text(0), true);
    if (!descriptor.is_range() && arguments.has(1)) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Range should not be specified for an un-ranged descriptor");
    }
    if (descriptor.is_range() && !arguments.has(1)) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Range must be specified for a ranged descriptor");
    }
    if (!descriptor.is_derivable()) {
        throw RpcError(RpcCode::not_found, "Cannot derive script without private keys");
    }
    const auto paths = descriptor.single_paths();
    if (paths.size() == 1) return derive_path(paths[0], range);
    Json all = Json::array();
    for (const auto& path : paths) all.push_back(derive_path(path, range));
    return all;
}

}  // namespace

std::vector<Method> address_methods() {
    using enum ArgumentKind;
    return {
        {"validateaddress", {{"address", text}}, validate_address, "an address, taken apart"},
        {"getdescriptorinfo",
         {{"descriptor", text}},
         get_descriptor_info,
         "a descriptor, taken apart, with its checksum"},
        {"deriveaddresses",
         {{"descriptor", text}, {"range", any, false}},
         derive_addresses,
         "the addresses of a descriptor"},
    };
}

}  // namespace petal::regtest::rpc
