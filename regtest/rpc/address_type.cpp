#include "regtest/rpc/address_type.h"

#include "chain/enum_table.h"

namespace petal::regtest::rpc {

std::string_view name_of(wallet::ScriptKind kind) {
    using enum wallet::ScriptKind;
    static constexpr auto kNames = chain::enum_table<wallet::ScriptKind, std::string_view>({
        {wpkh, "bech32"},
        {tr, "bech32m"},
        {sh_wpkh, "p2sh-segwit"},
        {pkh, "legacy"},
    });
    return kNames[kind];
}

std::optional<wallet::ScriptKind> find_address_type(std::string_view name) {
    for (const wallet::ScriptKind kind : wallet::kScriptKinds) {
        if (name_of(kind) == name) return kind;
    }
    return std::nullopt;
}

}  // namespace petal::regtest::rpc
