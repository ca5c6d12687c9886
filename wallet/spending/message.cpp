#include "wallet/spending/message.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/bytes.h"
#include "chain/enum_table.h"
#include "chain/script/input_verification.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"

namespace petal::wallet {

namespace {

using chain::ByteView;
using chain::Unexpected;
using Verdict = chain::Expected<VerifiedMessage, MessageError>;

// BIP322: prefixes of signatures.
constexpr std::string_view kSimplePrefix = "smp";
constexpr std::string_view kFullPrefix = "ful";
constexpr std::string_view kProofOfFundsPrefix = "pof";

constexpr std::size_t kLegacyBytes = 65;
// The first byte of a legacy signature: 27 + recovery id, + 4 if the key is compressed. BIP137 adds
// 8 for P2SH-P2WPKH, and 12 for P2WPKH.
constexpr chain::Byte kLegacyFirst = 27;
constexpr chain::Byte kLegacyCompressed = 4;
constexpr chain::Byte kLegacyNested = 8;
constexpr chain::Byte kLegacySegwit = 12;
constexpr chain::Byte kLegacyLast = kLegacyFirst + kLegacySegwit + 3;

chain::Transaction to_spend(std::string_view message, ByteView script_pubkey) {
    const auto hash = chain::tagged_hash("BIP0322-signed-message", chain::as_bytes(message));
    chain::Transaction transaction;
    transaction.version = 0;
    chain::TxInput input;
    input.prevout = {chain::Txid{}, 0xffffffff};
    input.script_sig = chain::ByteWriter{}.u8(0).var_bytes(hash).take();
    input.sequence = 0;
    transaction.inputs.push_back(std::move(input));
    transaction.outputs.push_back({0, chain::Bytes(script_pubkey.begin(), script_pubkey.end())});
    return transaction;
}

/// The hash of a legacy signature (Bitcoin Core: MessageHash).
chain::Hash256 legacy_message_hash(std::string_view message) {
    constexpr std::string_view kMagic = "Bitcoin Signed Message:\n";
    chain::ByteWriter writer;
    writer.var_bytes(chain::as_bytes(kMagic)).var_bytes(chain::as_bytes(message));
    return chain::sha256d(writer.view());
}

/// The type of address that the first byte states. Empty if the byte states only the form of the
/// key.
std::optional<ScriptKind> stated_kind(chain::Byte first) {
    if (first >= kLegacyFirst + kLegacySegwit) return ScriptKind::wpkh;
    if (first >= kLegacyFirst + kLegacyNested) return ScriptKind::sh_wpkh;
    return std::nullopt;
}

/// The type of this script as an address of the key. Empty if the script is of another key.
/// is_compressed   the form of the key in P2PKH. Segwit always uses the compressed form
std::optional<ScriptKind> kind_of(const PublicKey& key, bool is_compressed,
                                  ByteView script_pubkey) {
    const auto hash =
        is_compressed ? chain::hash160(key.compressed()) : chain::hash160(key.uncompressed());
    if (std::ranges::equal(chain::p2pkh_script(hash), script_pubkey)) return ScriptKind::pkh;
    for (const ScriptKind kind : {ScriptKind::sh_wpkh, ScriptKind::wpkh}) {
        if (std::ranges::equal(script_for(kind, key), script_pubkey)) return kind;
    }
    return std::nullopt;
}

/// Whether an address can have a legacy signature. P2SH may be P2SH-P2WPKH.
bool is_of_key(ByteView script_pubkey) {
    using enum chain::ScriptType;
    const chain::ScriptType type = chain::classify(script_pubkey);
    return type == p2pkh || type == p2sh || type == p2wpkh;
}

Verdict verify_legacy(std::string_view message, ByteView script_pubkey, ByteView bytes) {
    if (!is_of_key(script_pubkey)) return Unexpected(MessageError::needs_key_address);
    const int form = bytes[0] - kLegacyFirst;
    RecoverableSignature signature;
    signature.recovery_id = form % kLegacyCompressed;
    std::copy(bytes.begin() + 1, bytes.end(), signature.compact.begin());
    const auto key = PublicKey::recover(signature, legacy_message_hash(message));
    if (!key) return Unexpected(MessageError::wrong_signature);
    const auto kind = kind_of(*key, form >= kLegacyCompressed, script_pubkey);
    if (!kind) return Unexpected(MessageError::wrong_signature);
    const auto stated = stated_kind(bytes[0]);
    if (stated && stated != kind) return Unexpected(MessageError::other_address_type);
    const MessageFormat format = stated                     ? MessageFormat::bip137
                                 : *kind == ScriptKind::pkh ? MessageFormat::legacy
                                                            : MessageFormat::electrum;
    return VerifiedMessage{format, 0, 0};
}

std::vector<ByteView> pushes_of(ByteView script_sig) {
    std::vector<ByteView> items;
    chain::ScriptWalker walker{script_sig};
    while (const auto operation = walker.next()) items.push_back(operation->data);
    return items;
}

/// Whether a valid input spends P2WPKH, also within P2SH.
bool is_p2wpkh(const chain::TxInput& input, chain::ScriptType spent) {
    if (spent != chain::ScriptType::p2sh || input.witness.empty()) {
        return spent == chain::ScriptType::p2wpkh;
    }
    return chain::classify(pushes_of(input.script_sig).back()) == chain::ScriptType::p2wpkh;
}

/// Whether the items that the script takes are signatures, and a key for P2PKH.
bool is_template(chain::ScriptType script) {
    return script == chain::ScriptType::p2pk || script == chain::ScriptType::p2pkh ||
           script == chain::ScriptType::bare_multisig;
}

/// Whether all signatures of a valid input commit to the whole transaction, as BIP322 requires.
/// Empty if the script is no template, whose signatures cannot be told from other items.
std::optional<bool> signs_all(const chain::TxInput& input, const chain::TxOutput& spent) {
    const auto is_all = [](ByteView signature) {
        return signature.empty() || signature.back() == chain::kSighashAll;
    };
    const chain::ScriptType type = chain::classify(spent.script_pubkey);
    const bool is_segwit = !input.witness.empty();
    if (!chain::is_push_only(input.script_sig)) return std::nullopt;
    std::vector<ByteView> items = is_segwit ? input.witness.items() : pushes_of(input.script_sig);
    if (type == chain::ScriptType::p2tr) {
        if (items.size() != 1) return std::nullopt;
        constexpr std::size_t kDefaultSignature = 64;  // without a hash type
        return items[0].size() == kDefaultSignature || is_all(items[0]);
    }
    // The last item is the redeem or witness script, or the key of P2WPKH. If this script is P2PKH,
    // the item before is the key. All remaining items are signatures.
    ByteView script = spent.script_pubkey;
    if (is_segwit || type == chain::ScriptType::p2sh) {
        script = items.back();
        items.pop_back();
    }
    const chain::ScriptType inner = chain::classify(script);
    if (!is_p2wpkh(input, type) && !is_template(inner)) return std::nullopt;
    if (inner == chain::ScriptType::p2pkh) items.pop_back();
    return std::ranges::all_of(items, is_all);
}

/// Verifies that the transaction's first input may spend the output.
Verdict verify_signed(const chain::Transaction& transaction, const chain::TxOutput& spent,
                      MessageFormat format) {
    const std::array<std::optional<chain::TxOutput>, 1> outputs{spent};
    const auto invalid = chain::find_invalid_input(transaction, outputs);
    if (!invalid) {
        const chain::TxInput& input = transaction.inputs[0];
        const auto all = signs_all(input, spent);
        if (!all) return Unexpected(MessageError::not_judged);
        if (!*all) return Unexpected(MessageError::not_sighash_all);
        return VerifiedMessage{format, transaction.lock_time, input.sequence};
    }
    const bool is_judged = !chain::is_inconclusive(invalid->error) ||
                           invalid->error == chain::ScriptError::missing_witness;
    return Unexpected(is_judged ? MessageError::wrong_signature : MessageError::not_judged);
}

/// The scriptSig of segwit in P2SH, computed from the witness, because BIP322's simple format has
/// no scriptSig. Empty for any other address.
chain::Bytes nested_script_sig(const chain::Witness& witness, ByteView script_pubkey) {
    const auto items = witness.items();
    if (items.empty()) return {};
    for (const chain::Bytes& redeem_script :
         {chain::p2wpkh_script(chain::hash160(items.back())),
          chain::witness_program_script(0, chain::sha256(items.back()))}) {
        if (std::ranges::equal(chain::p2sh_script(chain::hash160(redeem_script)), script_pubkey)) {
            return chain::push_data(redeem_script);
        }
    }
    return {};
}

Verdict verify_simple(std::string_view message, ByteView script_pubkey, ByteView bytes) {
    chain::ByteReader reader{bytes};
    chain::Witness witness = chain::read_witness(reader);
    reader.expect_end();
    if (!reader.ok()) return Unexpected(MessageError::malformed);
    MessageToSign expected = message_to_sign(message, script_pubkey);
    chain::TxInput& input = expected.transaction.inputs[0];
    input.script_sig = nested_script_sig(witness, script_pubkey);
    input.witness = std::move(witness);
    return verify_signed(expected.transaction, expected.spent, MessageFormat::simple);
}

Verdict verify_full(std::string_view message, ByteView script_pubkey, ByteView bytes) {
    const auto transaction = chain::decode_transaction(bytes);
    if (!transaction) return Unexpected(MessageError::malformed);
    const MessageToSign expected = message_to_sign(message, script_pubkey);
    const bool is_for_message =
        !transaction->inputs.empty() &&
        transaction->inputs[0].prevout == expected.transaction.inputs[0].prevout &&
        transaction->outputs == expected.transaction.outputs;
    if (!is_for_message) return Unexpected(MessageError::other_transaction);
    const bool is_known = transaction->version == 0 || transaction->version == 2;
    if (!is_known) return Unexpected(MessageError::not_judged);
    if (transaction->inputs.size() > 1) return Unexpected(MessageError::proof_of_funds);
    return verify_signed(*transaction, expected.spent, MessageFormat::full);
}

constexpr auto kFormatNames = chain::enum_table<MessageFormat, std::string_view>({
    {MessageFormat::legacy, "legacy"},
    {MessageFormat::bip137, "bip137"},
    {MessageFormat::electrum, "electrum"},
    {MessageFormat::simple, "simple"},
    {MessageFormat::full, "full"},
});

constexpr auto kMessageErrors = chain::enum_table<MessageError, std::string_view>({
    {MessageError::not_base64, "it is not base64"},
    {MessageError::malformed, "it is no signature of a message"},
    {MessageError::needs_key_address,
     "it is of the older form, which only P2PKH, P2WPKH and P2SH-P2WPKH addresses have"},
    {MessageError::other_address_type,
     "its first byte states another type of address (BIP137) than this one of the same key"},
    {MessageError::proof_of_funds, "it is a proof of funds, which petal does not check"},
    {MessageError::other_transaction, "it is of another message or address"},
    {MessageError::not_judged, "it is of a kind that petal does not check"},
    {MessageError::not_sighash_all, "it does not commit to the whole transaction (SIGHASH_ALL)"},
    {MessageError::wrong_signature, "it is of another message, address or key"},
});

}  // namespace

std::string_view name_of(MessageFormat format) {
    return kFormatNames[format];
}

std::string_view describe(MessageError error) {
    return kMessageErrors[error];
}

bool is_inconclusive(MessageError error) {
    return error == MessageError::not_judged || error == MessageError::proof_of_funds ||
           error == MessageError::needs_key_address;
}

MessageFormat usual_format(ScriptKind kind) {
    if (kind == ScriptKind::pkh) return MessageFormat::legacy;
    return kind == ScriptKind::sh_wpkh ? MessageFormat::full : MessageFormat::simple;
}

bool has_format(ScriptKind kind, MessageFormat format) {
    return format == MessageFormat::full || format == usual_format(kind);
}

MessageToSign message_to_sign(std::string_view message, ByteView script_pubkey) {
    const chain::Transaction spent = to_spend(message, script_pubkey);
    MessageToSign result{{}, spent.outputs[0]};
    result.transaction.version = 0;
    chain::TxInput input;
    input.prevout = {spent.txid(), 0};
    input.sequence = 0;
    result.transaction.inputs.push_back(std::move(input));
    result.transaction.outputs.push_back({0, {chain::kOpReturn}});
    return result;
}

std::string message_signature(const chain::Transaction& signed_transaction, MessageFormat format) {
    if (format == MessageFormat::full) {
        return std::string(kFullPrefix) + chain::to_base64(signed_transaction.serialize());
    }
    const chain::Witness& witness = signed_transaction.inputs.at(0).witness;
    chain::ByteWriter writer;
    writer.compact_size(witness.size()).bytes(witness.serialized_items());
    return std::string(kSimplePrefix) + chain::to_base64(writer.view());
}

std::string legacy_message_signature(std::string_view message, const PrivateKey& key) {
    const auto signature = key.sign_recoverable(legacy_message_hash(message), key.public_key());
    chain::Bytes bytes{
        static_cast<chain::Byte>(kLegacyFirst + kLegacyCompressed + signature.recovery_id)};
    bytes.insert(bytes.end(), signature.compact.begin(), signature.compact.end());
    return chain::to_base64(bytes);
}

Verdict verify_message(std::string_view message, ByteView script_pubkey,
                       std::string_view signature) {
    const bool is_full = signature.starts_with(kFullPrefix);
    const bool is_simple = signature.starts_with(kSimplePrefix);
    const bool is_proof = signature.starts_with(kProofOfFundsPrefix);
    if (is_full || is_simple || is_proof) signature.remove_prefix(kSimplePrefix.size());
    if (signature.size() / 4 * 3 > kMaxMessageSignature) return Unexpected(MessageError::malformed);
    const auto bytes = chain::from_base64(signature);
    if (!bytes) return Unexpected(MessageError::not_base64);
    if (is_proof) return Unexpected(MessageError::proof_of_funds);
    if (is_full) return verify_full(message, script_pubkey, *bytes);
    if (is_simple) return verify_simple(message, script_pubkey, *bytes);
    const bool is_legacy = bytes->size() == kLegacyBytes && bytes->front() >= kLegacyFirst &&
                           bytes->front() <= kLegacyLast;
    if (is_legacy) return verify_legacy(message, script_pubkey, *bytes);
    // Signers for an earlier version of BIP322 write no prefix.
    const bool is_transaction = chain::decode_transaction(*bytes).has_value();
    return is_transaction ? verify_full(message, script_pubkey, *bytes)
                          : verify_simple(message, script_pubkey, *bytes);
}

}  // namespace petal::wallet
