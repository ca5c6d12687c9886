#include "chain/script/signature_encoding.h"

#include <algorithm>
#include <array>
#include <span>

#include "chain/byte_reader.h"
#include "chain/script/script.h"
#include "chain/script/signature_hash.h"

namespace petal::chain {

namespace {

constexpr std::uint8_t kSequenceTag = 0x30;
constexpr std::uint8_t kIntegerTag = 0x02;
constexpr std::uint8_t kLongForm = 0x80;
constexpr std::size_t kScalarBytes = 32;

// A positive number in the shortest encoding.
void read_der_integer(ByteReader& reader) {
    if (reader.read_u8() != kIntegerTag) reader.fail(DecodeError::invalid_value);
    const ByteView number = reader.read_view(reader.read_u8());
    const bool is_negative = number.empty() || (number[0] & 0x80U) != 0;
    const bool is_padded = number.size() > 1 && number[0] == 0 && (number[1] & 0x80U) == 0;
    if (is_negative || is_padded) reader.fail(DecodeError::invalid_value);
}

// BIP66: a sequence of exactly two numbers (Bitcoin Core: IsValidSignatureEncoding, which also
// counts the hash type).
bool is_strict_der(ByteView der) {
    constexpr std::size_t kMinBytes = 8;
    constexpr std::size_t kMaxBytes = 72;
    if (der.size() < kMinBytes || der.size() > kMaxBytes) return false;
    ByteReader reader{der};
    if (reader.read_u8() != kSequenceTag) return false;
    const std::size_t length = reader.read_u8();
    if (length != reader.remaining()) return false;
    read_der_integer(reader);
    read_der_integer(reader);
    reader.expect_end();
    return reader.ok();
}

// A length of BER. The long form gives the number of the bytes that follow. As OpenSSL accepted,
// these may start with zeros.
std::size_t read_ber_length(ByteReader& reader) {
    const std::uint8_t first = reader.read_u8();
    if (first < kLongForm) return first;
    std::size_t length = 0;
    for (const Byte digit : reader.read_view(first - kLongForm)) {
        if (length > 0xffff) reader.fail(DecodeError::invalid_value);
        length = length << 8U | digit;
    }
    return length;
}

// Writes the number to the end of `scalar`. Returns false for more than 32 bytes.
bool read_ber_integer(ByteReader& reader, std::span<Byte> scalar) {
    if (reader.read_u8() != kIntegerTag) reader.fail(DecodeError::invalid_value);
    ByteView number = reader.read_view(read_ber_length(reader));
    while (!number.empty() && number[0] == 0) number = number.subspan(1);
    if (number.size() > kScalarBytes) return false;
    std::ranges::copy(number, scalar.end() - static_cast<std::ptrdiff_t>(number.size()));
    return true;
}

// Parses a signature from before BIP66 (Bitcoin Core: ecdsa_signature_parse_der_lax): the length of
// the sequence and the bytes behind it do not matter, and the numbers count as positive. Empty for
// any other form. Numbers out of range make a signature that no key matches.
std::optional<secp256k1_ecdsa_signature> parse_lax_der(ByteView der) {
    ByteReader reader{der};
    if (reader.read_u8() != kSequenceTag) return std::nullopt;
    const std::uint8_t length = reader.read_u8();
    if (length >= kLongForm) reader.read_view(length - kLongForm);
    std::array<Byte, 2 * kScalarBytes> compact{};
    const bool fits_r = read_ber_integer(reader, std::span(compact).first(kScalarBytes));
    const bool fits_s = read_ber_integer(reader, std::span(compact).last(kScalarBytes));
    if (!reader.ok() || !fits_r || !fits_s) return std::nullopt;
    secp256k1_ecdsa_signature signature;
    const auto* const context = verification_context();
    if (secp256k1_ecdsa_signature_parse_compact(context, &signature, compact.data()) != 1) {
        return std::nullopt;
    }
    return signature;
}

// BIP62 rule 5.
bool has_high_s(ByteView der) {
    const auto signature = parse_lax_der(der);
    return signature &&
           secp256k1_ecdsa_signature_normalize(verification_context(), nullptr, &*signature) == 1;
}

}  // namespace

const secp256k1_context* verification_context() {
    static const bool tested = (secp256k1_selftest(), true);
    (void)tested;
    return secp256k1_context_static;
}

ScriptResult check_signature_encoding(ByteView signature, ScriptFlags flags) {
    if (signature.empty()) return {};
    const ByteView der = signature.first(signature.size() - 1);
    const bool needs_strict_der = flags.has(ScriptFlag::der_signatures) ||
                                  flags.has(ScriptFlag::low_s) ||
                                  flags.has(ScriptFlag::strict_encoding);
    if (needs_strict_der && !is_strict_der(der)) return Unexpected(ScriptError::signature_der);
    if (flags.has(ScriptFlag::low_s) && has_high_s(der)) return Unexpected(ScriptError::high_s);
    if (flags.has(ScriptFlag::strict_encoding) && !is_defined_hash_type(signature.back())) {
        return Unexpected(ScriptError::signature_hash_type);
    }
    return {};
}

ScriptResult check_key_encoding(ByteView key, ScriptFlags flags, ScriptVersion version) {
    const bool is_compressed = key.size() == 33 && (key[0] == 2 || key[0] == 3);
    const bool is_uncompressed = key.size() == 65 && key[0] == 4;
    if (flags.has(ScriptFlag::strict_encoding) && !is_compressed && !is_uncompressed) {
        return Unexpected(ScriptError::key_type);
    }
    const bool needs_compressed =
        version == ScriptVersion::witness_v0 && flags.has(ScriptFlag::witness_key_type);
    if (needs_compressed && !is_compressed) return Unexpected(ScriptError::witness_key_type);
    return {};
}

bool verify_ecdsa_signature(ByteView der, ByteView key, const Hash256& hash) {
    const auto* const context = verification_context();
    secp256k1_pubkey parsed_key;
    if (!is_public_key_sized(key) ||
        secp256k1_ec_pubkey_parse(context, &parsed_key, key.data(), key.size()) != 1) {
        return false;
    }
    auto signature = parse_lax_der(der);
    if (!signature) return false;
    // libsecp256k1 verifies only signatures with the lower S.
    secp256k1_ecdsa_signature_normalize(context, &*signature, &*signature);
    return secp256k1_ecdsa_verify(context, &*signature, hash.bytes.data(), &parsed_key) == 1;
}

bool is_standard_signature(ByteView signature, ByteView key, ScriptVersion version,
                           const HashOf& hash_of) {
    return !signature.empty() && check_signature_encoding(signature, kStandardFlags) &&
           check_key_encoding(key, kStandardFlags, version) &&
           verify_ecdsa_signature(signature.first(signature.size() - 1), key,
                                  hash_of(signature.back()));
}

}  // namespace petal::chain
