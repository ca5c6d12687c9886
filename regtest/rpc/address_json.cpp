#include "regtest/rpc/address_json.h"

#include "chain/script/script.h"

namespace petal::regtest::rpc {

void add_address_details(Json& json, chain::ByteView script) {
    using enum chain::ScriptType;
    const auto type = chain::classify(script);
    const bool is_anchor = type == anchor;
    // Unknown for witness versions without a meaning yet.
    if (type != witness_unknown) {
        json["isscript"] = type == p2sh || type == p2wsh || type == p2tr || is_anchor;
    }
    const bool has_program =
        type == p2wpkh || type == p2wsh || type == p2tr || type == witness_unknown;
    json["iswitness"] = has_program || is_anchor;
    if (!has_program) return;
    json["witness_version"] = script[0] == 0 ? 0 : script[0] - 0x50;
    json["witness_program"] = chain::to_hex(script.subspan(2));
}

}  // namespace petal::regtest::rpc
