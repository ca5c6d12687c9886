/// Scripts: their pushes, and the standard output templates.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/script/opcode.h"

namespace petal::chain {

/// The maximum sizes of a script and of a push, except in taproot (Bitcoin Core: script.h,
/// MAX_SCRIPT_SIZE, MAX_SCRIPT_ELEMENT_SIZE).
inline constexpr std::size_t kMaxScriptBytes = 10'000;
inline constexpr std::size_t kMaxPushBytes = 520;

/// Iterates over the operations of a script (Bitcoin Core: GetScriptOp).
class ScriptWalker {
public:
    explicit ScriptWalker(ByteView script) : rest_(script) {}

    struct Operation {
        std::uint8_t opcode = 0;
        ByteView data;  ///< the bytes of the script that are pushed, if any
    };

    /// The next operation. Empty at the end, and at a push that exceeds the end: malformed() is
    /// then true.
    std::optional<Operation> next();

    bool malformed() const { return malformed_; }

    /// The bytes after the last operation that next() returned.
    ByteView rest() const { return rest_; }

private:
    ByteView rest_;
    bool malformed_ = false;
};

enum class ScriptType : std::uint8_t {
    p2pk,
    p2pkh,
    p2sh,
    p2wpkh,
    p2wsh,
    p2tr,
    witness_unknown,  ///< a witness program of version 1 to 16 without consensus rules
    anchor,           ///< pay-to-anchor, 51024e73
    bare_multisig,
    null_data,  ///< OP_RETURN, unspendable
    other,
};

std::string_view describe(ScriptType type);

/// The template of a scriptPubKey (Bitcoin Core: Solver).
ScriptType classify(ByteView script_pubkey);

/// The maximum number of keys of a multisig script (Bitcoin Core: script.h,
/// MAX_PUBKEYS_PER_MULTISIG).
inline constexpr std::size_t kMaxMultisigKeys = 20;

/// The parts of a multisig script.
struct MultisigTemplate {
    unsigned required = 0;       ///< the number of signatures
    std::vector<ByteView> keys;  ///< 1 to 20, at least `required`, in the script's order
};

/// Parses a multisig script, which may be bare or within P2SH or P2WSH. Empty for any other script.
/// The keys are views into `script`.
std::optional<MultisigTemplate> parse_multisig(ByteView script);

/// The push that a BIP37 server looks up in the filter, and that identifies exactly this script:
/// key hash, script hash, witness program or public key. Empty for any other template.
ByteView watch_element(ByteView script_pubkey);

/// The witness program of a script with a version opcode and one direct push of 2 to 40 bytes
/// (BIP141). Empty for any other script.
ByteView witness_program(ByteView script);

/// Whether an input with this scriptSig may have a witness (BIP141): the scriptSig is empty, or is
/// exactly one push of a witness program (P2SH).
bool allows_witness(ByteView script_sig);

/// Whether an output with this script can never be spent, so that nodes do not store the output
/// (Bitcoin Core: CScript::IsUnspendable).
bool is_unspendable(ByteView script_pubkey);

/// Whether the script has only OP_0 to OP_16, and no push exceeds the end (Bitcoin Core:
/// CScript::IsPushOnly).
bool is_push_only(ByteView script);

/// Whether a public key has the size that the first byte implies (Bitcoin Core:
/// CPubKey::ValidSize).
bool is_public_key_sized(ByteView key);

/// public_key   must be is_public_key_sized()
Bytes p2pk_script(ByteView public_key);
Bytes p2pkh_script(const Hash160& key_hash);
Bytes p2sh_script(const Hash160& script_hash);
Bytes p2wpkh_script(const Hash160& key_hash);
/// OP_0 (version 0) or OP_1 to OP_16 (versions 1 to 16), then the program of 2 to 40 bytes.
Bytes witness_program_script(std::uint8_t version, ByteView program);

/// The shortest push of at most 65,535 bytes, as OP_n if possible (BIP62 rule 3).
Bytes push_data(ByteView data);
/// Whether the push of bytes has the shortest encoding (Bitcoin Core: CheckMinimalPush). The opcode
/// must be at most kOpPushData4.
bool is_shortest_push(const ScriptWalker::Operation& operation);
/// The shortest push of a number: OP_0, OP_1 to OP_16, or else little-endian with a sign bit.
Bytes push_number(std::int64_t number);

}  // namespace petal::chain
