/// Which keys a wallet has: the kinds of outputs, and where their keys are in the tree (BIP44,
/// BIP84).
#include "wallet/keys/key_path.h"

#include <cassert>

#include "chain/hash.h"
#include "chain/script/script.h"
#include "wallet/keys/extended_key.h"

namespace petal::wallet {

namespace {

std::uint32_t purpose(ScriptKind kind) {
    switch (kind) {
        case ScriptKind::wpkh:
            return 84;
    }
    assert(false);
    return 0;
}

}  // namespace

AccountPath account_path(ScriptKind kind, std::uint32_t coin_type) {
    return {kHardened | purpose(kind), kHardened | coin_type, kHardened};
}

std::string path_to_string(std::span<const std::uint32_t> child_numbers) {
    std::string text;
    for (const std::uint32_t number : child_numbers) {
        text += '/' + std::to_string(number & ~kHardened);
        if ((number & kHardened) != 0) text += 'h';
    }
    return text;
}

std::string full_path_to_string(ScriptKind kind, std::uint32_t coin_type, KeyPath path) {
    const std::array below{static_cast<std::uint32_t>(path.chain), path.index};
    return 'm' + path_to_string(account_path(kind, coin_type)) + path_to_string(below);
}

chain::Bytes script_for(ScriptKind kind, const PublicKey& key) {
    switch (kind) {
        case ScriptKind::wpkh:
            return chain::p2wpkh_script(chain::hash160(key.compressed()));
    }
    assert(false);
    return {};
}

chain::ScriptType script_type(ScriptKind kind) {
    switch (kind) {
        case ScriptKind::wpkh:
            return chain::ScriptType::p2wpkh;
    }
    assert(false);
    return chain::ScriptType::other;
}

}  // namespace petal::wallet
