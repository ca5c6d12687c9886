#include "wallet/psbt/record_rules.h"

#include <algorithm>
#include <span>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/enum_table.h"
#include "chain/script/signature_encoding.h"
#include "chain/transaction.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/psbt/record_types.h"

namespace petal::wallet {

namespace {

using chain::ByteReader;
using chain::ByteView;

enum class PsbtVersions : std::uint8_t { any, only_0, only_2 };

using IsSound = bool (*)(ByteView);

/// The rules for a record's key data and value. The value's rule may depend on the key.
struct RecordRule {
    chain::Byte type;
    PsbtVersions versions;
    IsSound key;
    IsSound value;
};

// Lock times from this value on are Unix times (Bitcoin Core: LOCKTIME_THRESHOLD).
constexpr std::uint32_t kFirstTimeLock = 500'000'000;
constexpr std::size_t kMaxTaprootDepth = 128;

template <std::size_t... kSizes>
bool has_size(ByteView bytes) {
    return ((bytes.size() == kSizes) || ...);
}

bool is_anything(ByteView) {
    return true;
}

bool is_key(ByteView bytes) {
    return PublicKey::parse(bytes) || PublicKey::parse_uncompressed(bytes);
}

bool is_compressed_key(ByteView bytes) {
    return PublicKey::parse(bytes).has_value();
}

/// Two compressed keys, and optionally a leaf hash.
bool is_musig_session(ByteView bytes) {
    return has_size<66, 98>(bytes) && is_compressed_key(bytes.first(33)) &&
           is_compressed_key(bytes.subspan(33, 33));
}

bool are_compressed_keys(ByteView bytes) {
    if (bytes.empty() || bytes.size() % 33 != 0) return false;
    for (; !bytes.empty(); bytes = bytes.subspan(33)) {
        if (!is_compressed_key(bytes.first(33))) return false;
    }
    return true;
}

bool is_xpub(ByteView bytes) {
    return bytes.size() == 78 && is_compressed_key(bytes.subspan(45));
}

bool is_control_block(ByteView bytes) {
    return bytes.size() >= 33 && (bytes.size() - 33) % 32 == 0 &&
           (bytes.size() - 33) / 32 <= kMaxTaprootDepth;
}

bool is_origin(ByteView bytes) {
    return bytes.size() >= 4 && bytes.size() % 4 == 0;
}

/// Leaf hashes, then an origin.
bool is_taproot_origin(ByteView bytes) {
    ByteReader reader(bytes);
    const std::size_t hashes = reader.read_count(chain::kMaxCompactSize, 32);
    reader.read_view(32 * hashes);
    return reader.ok() && is_origin(reader.rest());
}

bool is_output(ByteView bytes) {
    ByteReader reader(bytes);
    reader.read_i64();
    reader.read_var_view(chain::kMaxCompactSize);
    reader.expect_end();
    return reader.ok();
}

bool is_witness(ByteView bytes) {
    ByteReader reader(bytes);
    chain::read_witness(reader);
    reader.expect_end();
    return reader.ok();
}

bool is_compact_size(ByteView bytes) {
    ByteReader reader(bytes);
    reader.read_compact_size();
    reader.expect_end();
    return reader.ok();
}

bool is_leaf_script(ByteView bytes) {
    return !bytes.empty();  // the last byte is the leaf's version
}

/// DER and a defined hash type, for any key. A high S is accepted, although nodes do not relay it.
bool is_ecdsa_signature(ByteView bytes) {
    return !bytes.empty() &&
           chain::check_signature_encoding(bytes, {chain::ScriptFlag::strict_encoding});
}

std::uint32_t u32_of(ByteView bytes) {
    return ByteReader(bytes).read_u32();
}

bool is_time_lock(ByteView bytes) {
    return bytes.size() == 4 && u32_of(bytes) >= kFirstTimeLock;
}

bool is_height_lock(ByteView bytes) {
    return bytes.size() == 4 && u32_of(bytes) > 0 && u32_of(bytes) < kFirstTimeLock;
}

/// The leaves of a complete binary tree, depth first (BIP371).
bool is_taproot_tree(ByteView bytes) {
    ByteReader reader(bytes);
    std::vector<bool> is_right{};  // for each node on the path to the next leaf
    bool is_complete = false;
    while (reader.ok() && reader.remaining() > 0 && !is_complete) {
        const std::size_t depth = reader.read_u8();
        const std::uint8_t leaf_version = reader.read_u8();
        reader.read_var_view(chain::kMaxCompactSize);
        if (depth > kMaxTaprootDepth || depth < is_right.size() || (leaf_version & 1) != 0) {
            return false;
        }
        is_right.resize(depth, false);
        while (!is_right.empty() && is_right.back()) is_right.pop_back();
        is_complete = is_right.empty();
        if (!is_complete) is_right.back() = true;
    }
    reader.expect_end();
    return reader.ok() && is_complete;
}

constexpr auto kAny = PsbtVersions::any;
constexpr auto kOnly0 = PsbtVersions::only_0;
constexpr auto kOnly2 = PsbtVersions::only_2;

constexpr RecordRule kGlobalRules[] = {
    {psbt_global::kUnsignedTransaction, kOnly0, has_size<0>, is_anything},
    {psbt_global::kXpub, kAny, is_xpub, is_origin},
    {psbt_global::kTransactionVersion, kOnly2, has_size<0>, has_size<4>},
    {psbt_global::kFallbackLockTime, kOnly2, has_size<0>, has_size<4>},
    {psbt_global::kInputCount, kOnly2, has_size<0>, is_compact_size},
    {psbt_global::kOutputCount, kOnly2, has_size<0>, is_compact_size},
    {psbt_global::kModifiable, kOnly2, has_size<0>, has_size<1>},
    {psbt_global::kVersion, kAny, has_size<0>, has_size<4>},
};

constexpr RecordRule kInputRules[] = {
    {psbt_input::kFullTransaction, kAny, has_size<0>, is_anything},
    {psbt_input::kWitnessUtxo, kAny, has_size<0>, is_output},
    {psbt_input::kPartialSignature, kAny, is_key, is_ecdsa_signature},
    {psbt_input::kHashType, kAny, has_size<0>, has_size<4>},
    {psbt_input::kRedeemScript, kAny, has_size<0>, is_anything},
    {psbt_input::kWitnessScript, kAny, has_size<0>, is_anything},
    {psbt_input::kDerivation, kAny, is_key, is_origin},
    {psbt_input::kFinalScriptSig, kAny, has_size<0>, is_anything},
    {psbt_input::kFinalWitness, kAny, has_size<0>, is_witness},
    {psbt_input::kReserveProof, kAny, has_size<0>, is_anything},
    {psbt_input::kRipemd160, kAny, has_size<20>, is_anything},
    {psbt_input::kSha256, kAny, has_size<32>, is_anything},
    {psbt_input::kHash160, kAny, has_size<20>, is_anything},
    {psbt_input::kHash256, kAny, has_size<32>, is_anything},
    {psbt_input::kPreviousTxid, kOnly2, has_size<0>, has_size<32>},
    {psbt_input::kOutputIndex, kOnly2, has_size<0>, has_size<4>},
    {psbt_input::kSequence, kOnly2, has_size<0>, has_size<4>},
    {psbt_input::kTimeLock, kOnly2, has_size<0>, is_time_lock},
    {psbt_input::kHeightLock, kOnly2, has_size<0>, is_height_lock},
    {psbt_input::kTaprootKeySignature, kAny, has_size<0>, has_size<64, 65>},
    {psbt_input::kTaprootScriptSignature, kAny, has_size<64>, has_size<64, 65>},
    {psbt_input::kTaprootLeafScript, kAny, is_control_block, is_leaf_script},
    {psbt_input::kTaprootDerivation, kAny, has_size<32>, is_taproot_origin},
    {psbt_input::kTaprootInternalKey, kAny, has_size<0>, has_size<32>},
    {psbt_input::kTaprootMerkleRoot, kAny, has_size<0>, has_size<32>},
    {psbt_input::kMusigParticipants, kAny, is_compressed_key, are_compressed_keys},
    {psbt_input::kMusigNonce, kAny, is_musig_session, has_size<66>},
    {psbt_input::kMusigPartialSignature, kAny, is_musig_session, has_size<32>},
};

constexpr RecordRule kOutputRules[] = {
    {psbt_output::kRedeemScript, kAny, has_size<0>, is_anything},
    {psbt_output::kWitnessScript, kAny, has_size<0>, is_anything},
    {psbt_output::kDerivation, kAny, is_key, is_origin},
    {psbt_output::kAmount, kOnly2, has_size<0>, has_size<8>},
    {psbt_output::kScript, kOnly2, has_size<0>, is_anything},
    {psbt_output::kTaprootInternalKey, kAny, has_size<0>, has_size<32>},
    {psbt_output::kTaprootTree, kAny, has_size<0>, is_taproot_tree},
    {psbt_output::kTaprootDerivation, kAny, has_size<32>, is_taproot_origin},
    {psbt_output::kMusigParticipants, kAny, is_compressed_key, are_compressed_keys},
};

std::span<const RecordRule> rules_of(PsbtMapKind kind) {
    static constexpr auto kRules = chain::enum_table<PsbtMapKind, std::span<const RecordRule>>({
        {PsbtMapKind::global, kGlobalRules},
        {PsbtMapKind::input, kInputRules},
        {PsbtMapKind::output, kOutputRules},
    });
    return kRules[kind];
}

/// Whether the extended key's depth is the number of steps.
bool matches_depth(const PsbtRecord& xpub) {
    return xpub.value.size() / 4 - 1 == xpub.key_data()[4];
}

}  // namespace

std::optional<PsbtFault> find_fault(const PsbtRecord& record, PsbtMapKind kind,
                                    std::uint32_t version) {
    const auto rules = rules_of(kind);
    const auto rule = std::ranges::find(rules, record.type(), &RecordRule::type);
    if (rule == rules.end()) return std::nullopt;
    if (rule->versions == (version == 0 ? kOnly2 : kOnly0)) return PsbtFault::wrong_version;
    if (!rule->key(record.key_data())) return PsbtFault::bad_key;
    const bool is_xpub_record = kind == PsbtMapKind::global && record.type() == psbt_global::kXpub;
    if (!rule->value(record.value) || (is_xpub_record && !matches_depth(record))) {
        return PsbtFault::bad_value;
    }
    return std::nullopt;
}

}  // namespace petal::wallet
