#include "regtest/rpc/script_json.h"

#include <algorithm>
#include <optional>

#include "chain/enum_table.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"
#include "regtest/rpc/rpc_node.h"
#include "wallet/descriptors/address.h"
#include "wallet/descriptors/descriptor.h"
#include "wallet/descriptors/descriptor_checksum.h"
#include "wallet/keys/secp256k1.h"

namespace petal::regtest::rpc {
namespace {

/// OP_1NEGATE to OP_CHECKSIGADD (Bitcoin Core: GetOpName), separated by spaces.
constexpr std::string_view kOperationNames =
    "-1 OP_RESERVED 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 OP_NOP OP_VER OP_IF OP_NOTIF "
    "OP_VERIF OP_VERNOTIF OP_ELSE OP_ENDIF OP_VERIFY OP_RETURN OP_TOALTSTACK "
    "OP_FROMALTSTACK OP_2DROP OP_2DUP OP_3DUP OP_2OVER OP_2ROT OP_2SWAP OP_IFDUP "
    "OP_DEPTH OP_DROP OP_DUP OP_NIP OP_OVER OP_PICK OP_ROLL OP_ROT OP_SWAP OP_TUCK "
    "OP_CAT OP_SUBSTR OP_LEFT OP_RIGHT OP_SIZE OP_INVERT OP_AND OP_OR OP_XOR OP_EQUAL "
    "OP_EQUALVERIFY OP_RESERVED1 OP_RESERVED2 OP_1ADD OP_1SUB OP_2MUL OP_2DIV OP_NEGATE "
    "OP_ABS OP_NOT OP_0NOTEQUAL OP_ADD OP_SUB OP_MUL OP_DIV OP_MOD OP_LSHIFT OP_RSHIFT "
    "OP_BOOLAND OP_BOOLOR OP_NUMEQUAL OP_NUMEQUALVERIFY OP_NUMNOTEQUAL OP_LESSTHAN "
    "OP_GREATERTHAN OP_LESSTHANOREQUAL OP_GREATERTHANOREQUAL OP_MIN OP_MAX OP_WITHIN "
    "OP_RIPEMD160 OP_SHA1 OP_SHA256 OP_HASH160 OP_HASH256 OP_CODESEPARATOR OP_CHECKSIG "
    "OP_CHECKSIGVERIFY OP_CHECKMULTISIG OP_CHECKMULTISIGVERIFY OP_NOP1 "
    "OP_CHECKLOCKTIMEVERIFY OP_CHECKSEQUENCEVERIFY OP_NOP4 OP_NOP5 OP_NOP6 OP_NOP7 "
    "OP_NOP8 OP_NOP9 OP_NOP10 OP_CHECKSIGADD";

std::string_view operation_name(std::uint8_t opcode) {
    constexpr std::uint8_t kInvalidOperation = 0xff;
    if (opcode == kInvalidOperation) return "OP_INVALIDOPCODE";
    std::string_view rest = kOperationNames;
    for (int skipped = opcode - chain::kOp1Negate; skipped > 0; --skipped) {
        const auto space = rest.find(' ');
        if (space == std::string_view::npos) return "OP_UNKNOWN";
        rest.remove_prefix(space + 1);
    }
    return rest.substr(0, rest.find(' '));
}

/// A push of at most four bytes, as the number that the stack would have.
std::string push_as_number(chain::ByteView data) {
    std::int64_t number = 0;
    for (std::size_t i = 0; i < data.size(); ++i) {
        const bool is_last = i + 1 == data.size();
        const std::int64_t byte = is_last ? data[i] & 0x7f : data[i];
        number |= byte << (8 * i);
    }
    const bool is_negative = !data.empty() && (data.back() & 0x80) != 0;
    return std::to_string(is_negative ? -number : number);
}

/// Whether the data is a strict DER signature (BIP66) followed by a hash type.
bool is_der_signature(chain::ByteView data) {
    if (data.size() < 9 || data.size() > 73) return false;
    if (data[0] != 0x30 || data[1] != data.size() - 3) return false;
    const std::size_t r_size = data[3];
    if (r_size + 5 >= data.size()) return false;
    const std::size_t s_size = data[5 + r_size];
    if (r_size + s_size + 7 != data.size()) return false;
    const auto is_integer = [&](std::size_t at, std::size_t size) {
        if (data[at - 2] != 0x02 || size == 0 || (data[at] & 0x80) != 0) return false;
        return size == 1 || data[at] != 0 || (data[at + 1] & 0x80) != 0;
    };
    return is_integer(4, r_size) && is_integer(6 + r_size, s_size);
}

/// The name of a hash type, in brackets.
std::string hash_type_text(std::uint32_t type) {
    constexpr std::string_view kBases[] = {"ALL", "NONE", "SINGLE"};
    const std::uint32_t base = type & ~chain::kSighashAnyoneCanPay;
    const bool others = (type & chain::kSighashAnyoneCanPay) != 0;
    return "[" + std::string(kBases[base - 1]) + (others ? "|ANYONECANPAY]" : "]");
}

std::string push_text(chain::ByteView data, ShownPushes pushes) {
    if (data.size() <= 4) return push_as_number(data);
    const bool is_signature = pushes == ShownPushes::signatures && is_der_signature(data) &&
                              chain::is_defined_hash_type(data.back());
    if (!is_signature) return chain::to_hex(data);
    return chain::to_hex(data.first(data.size() - 1)) + hash_type_text(data.back());
}

std::string_view type_name_of(chain::ScriptType type) {
    using enum chain::ScriptType;
    static constexpr auto kTypeNames = chain::enum_table<chain::ScriptType, std::string_view>({
        {p2pk, "pubkey"},
        {p2pkh, "pubkeyhash"},
        {p2sh, "scripthash"},
        {p2wpkh, "witness_v0_keyhash"},
        {p2wsh, "witness_v0_scripthash"},
        {p2tr, "witness_v1_taproot"},
        {witness_unknown, "witness_unknown"},
        {anchor, "anchor"},
        {bare_multisig, "multisig"},
        {null_data, "nulldata"},
        {other, "nonstandard"},
    });
    return kTypeNames[type];
}

/// Whether a point of the curve has this x coordinate.
bool is_x_only_key(chain::ByteView x) {
    chain::Bytes point{0x02};
    point.insert(point.end(), x.begin(), x.end());
    return wallet::PublicKey::parse(point).has_value();
}

/// A descriptor with checksum for exactly this script, as far as it follows from the script alone.
std::string script_descriptor(chain::ByteView script_pubkey) {
    std::string text;
    chain::ScriptType type = chain::classify(script_pubkey);
    const bool has_key =
        type != chain::ScriptType::p2tr || is_x_only_key(chain::watch_element(script_pubkey));
    if (!has_key) type = chain::ScriptType::other;
    switch (type) {
        case chain::ScriptType::p2pk:
            text = "pk(" + chain::to_hex(chain::watch_element(script_pubkey)) + ")";
            break;
        case chain::ScriptType::p2tr:
            text = "rawtr(" + chain::to_hex(chain::watch_element(script_pubkey)) + ")";
            break;
        case chain::ScriptType::bare_multisig: {
            const auto parts = chain::parse_multisig(script_pubkey);
            text = "multi(" + std::to_string(parts->required);
            for (const auto& key : parts->keys) text += "," + chain::to_hex(key);
            text += ")";
            break;
        }
        default: {
            const chain::Bytes script(script_pubkey.begin(), script_pubkey.end());
            return wallet::Descriptor::of_script(script, regtest_network())
                .to_string(regtest_network());
        }
    }
    return text + "#" + *wallet::descriptor_checksum(text);
}

}  // namespace

std::string script_asm(chain::ByteView script, ShownPushes pushes) {
    // Data after OP_RETURN is never a signature.
    if (!script.empty() && script[0] == chain::kOpReturn) pushes = ShownPushes::plain;
    std::string text;
    chain::ScriptWalker walker(script);
    while (const auto operation = walker.next()) {
        if (!text.empty()) text += ' ';
        text += operation->opcode <= chain::kOpPushData4 ? push_text(operation->data, pushes)
                                                         : operation_name(operation->opcode);
    }
    if (walker.malformed()) text += text.empty() ? "[error]" : " [error]";
    return text;
}

bool has_valid_operations(chain::ByteView script) {
    constexpr std::uint8_t kLastOperation = 0xb9;  // OP_NOP10
    chain::ScriptWalker walker(script);
    while (const auto operation = walker.next()) {
        if (operation->opcode > kLastOperation || operation->data.size() > chain::kMaxPushBytes) {
            return false;
        }
    }
    return !walker.malformed();
}

Json script_pubkey_json(chain::ByteView script_pubkey) {
    Json json = {{"asm", script_asm(script_pubkey)},
                 {"desc", script_descriptor(script_pubkey)},
                 {"hex", chain::to_hex(script_pubkey)}};
    const std::string address = wallet::address_of(script_pubkey, regtest_network());
    if (!address.empty()) json["address"] = address;
    json["type"] = type_name_of(chain::classify(script_pubkey));
    return json;
}

}  // namespace petal::regtest::rpc
