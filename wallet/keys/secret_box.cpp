/// A secret encrypted with a password: scrypt (RFC 7914) derives the key, ChaCha20-Poly1305 (RFC
/// 8439) encrypts and authenticates.
///
/// The bytes of the box:
///   8   "petalbox"
///   1   version, 2
///   3   scrypt's cost: log2 of N, r, p
///  32   scrypt's salt
///  12   the cipher's nonce
///  32   the secret's context (SecretOwner), not in version 1
///   n   the encrypted secret, authenticated together with all bytes above
///  16   the cipher's tag
///   8   a checksum: the first bytes of the SHA-256 of all bytes above
///
/// All versions start with the same eight bytes and the version, and end with the checksum. The
/// checksum distinguishes damage from a newer version and from a wrong password.
#include "wallet/keys/secret_box.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <cassert>
#include <memory>
#include <optional>
#include <stdexcept>
#include <tuple>

#include "chain/byte_reader.h"
#include "chain/byte_writer.h"
#include "chain/enum_table.h"
#include "chain/hash.h"
#include "wallet/keys/randomness.h"

namespace petal::wallet {

namespace {

constexpr std::string_view kMagic = "petalbox";
constexpr std::uint8_t kVersion = 2;
constexpr std::uint8_t kVersionWithoutOwner = 1;
constexpr std::size_t kSaltBytes = 32;
constexpr std::size_t kNonceBytes = 12;
constexpr std::size_t kOldHeaderBytes = 8 + 1 + 3 + kSaltBytes + kNonceBytes;
constexpr std::size_t kHeaderBytes = kOldHeaderBytes + std::tuple_size_v<SecretOwner>;
constexpr std::size_t kTagBytes = 16;
constexpr std::size_t kBoxChecksumBytes = 8;
constexpr std::size_t kShortestBox = kMagic.size() + 1 + kBoxChecksumBytes;
constexpr std::size_t kOverhead = kHeaderBytes + kTagBytes + kBoxChecksumBytes;
constexpr std::size_t kOldOverhead = kOldHeaderBytes + kTagBytes + kBoxChecksumBytes;

constexpr std::uint64_t kMaxScryptBytes = std::uint64_t{256} << 20;
constexpr std::uint8_t kMaxPasses = 4;

using Key = SecretArray<32>;

struct Header {
    ScryptCost cost;
    std::array<chain::Byte, kSaltBytes> salt{};
    std::array<chain::Byte, kNonceBytes> nonce{};
    std::optional<SecretOwner> owner;
};

struct FreeCipher {
    void operator()(EVP_CIPHER_CTX* context) const { EVP_CIPHER_CTX_free(context); }
};
using CipherContext = std::unique_ptr<EVP_CIPHER_CTX, FreeCipher>;

void check_sealing(bool done) {
    if (!done) throw std::runtime_error("OpenSSL could not seal or open a secret");
}

/// N must be below 2^(16 r) (RFC 7914). The limit of the memory is petal's.
bool is_supported(ScryptCost cost) {
    if (cost.r == 0 || cost.p == 0 || cost.p > kMaxPasses) return false;
    if (cost.log2_n == 0 || cost.log2_n >= std::min(32, 16 * cost.r)) return false;
    return (std::uint64_t{128} * cost.r << cost.log2_n) <= kMaxScryptBytes;
}

Key derive_key(std::string_view password, const Header& header) {
    // In addition to the table of N blocks, OpenSSL counts p blocks and a few temporary blocks.
    constexpr std::uint64_t kAllowedBytes = kMaxScryptBytes + (std::uint64_t{16} << 20);
    const ScryptCost& cost = header.cost;
    Key key;
    check_sealing(EVP_PBE_scrypt(password.data(), password.size(), header.salt.data(),
                                 header.salt.size(), std::uint64_t{1} << cost.log2_n, cost.r,
                                 cost.p, kAllowedBytes, key.data(), key.size()) == 1);
    return key;
}

chain::Bytes write_header(const Header& header) {
    chain::ByteWriter writer{kHeaderBytes};
    writer.bytes(chain::as_bytes(kMagic)).u8(kVersion);
    writer.u8(header.cost.log2_n).u8(header.cost.r).u8(header.cost.p);
    writer.bytes(header.salt).bytes(header.nonce).bytes(*header.owner);
    return writer.take();
}

std::array<chain::Byte, kBoxChecksumBytes> box_checksum(chain::ByteView bytes) {
    const auto hash = chain::sha256(bytes);
    std::array<chain::Byte, kBoxChecksumBytes> result{};
    std::copy_n(hash.begin(), result.size(), result.begin());
    return result;
}

/// A context that is initialised with the key, the nonce and the header. `encrypt` is 1 or 0.
CipherContext start_cipher(const Key& key, const Header& header, chain::ByteView header_bytes,
                           int encrypt) {
    CipherContext context{EVP_CIPHER_CTX_new()};
    check_sealing(context != nullptr);
    check_sealing(EVP_CipherInit_ex2(context.get(), EVP_chacha20_poly1305(), key.data(),
                                     header.nonce.data(), encrypt, nullptr) == 1);
    int unused = 0;
    check_sealing(EVP_CipherUpdate(context.get(), nullptr, &unused, header_bytes.data(),
                                   static_cast<int>(header_bytes.size())) == 1);
    return context;
}

/// The parts of a box, as views.
struct Box {
    Header header;
    chain::ByteView header_bytes;
    chain::ByteView ciphertext;
    std::array<chain::Byte, kTagBytes> tag{};
};

chain::Expected<Box, SecretBoxError> parse_box(chain::ByteView bytes) {
    if (bytes.size() < kShortestBox || bytes.size() > kOverhead + kMaxSecretBytes) {
        return chain::Unexpected{SecretBoxError::damaged};
    }
    const chain::ByteView body = bytes.first(bytes.size() - kBoxChecksumBytes);
    if (!std::ranges::equal(box_checksum(body), bytes.last(kBoxChecksumBytes))) {
        return chain::Unexpected{SecretBoxError::damaged};
    }
    chain::ByteReader reader{body};
    if (!std::ranges::equal(reader.read_view(kMagic.size()), chain::as_bytes(kMagic))) {
        return chain::Unexpected{SecretBoxError::damaged};
    }
    const std::uint8_t version = reader.read_u8();
    if (version > kVersion) return chain::Unexpected{SecretBoxError::newer_version};
    const bool has_owner = version != kVersionWithoutOwner;
    if (version == 0 || bytes.size() < (has_owner ? kOverhead : kOldOverhead)) {
        return chain::Unexpected{SecretBoxError::damaged};
    }
    Box box;
    box.header_bytes = body.first(has_owner ? kHeaderBytes : kOldHeaderBytes);
    box.header.cost.log2_n = reader.read_u8();
    box.header.cost.r = reader.read_u8();
    box.header.cost.p = reader.read_u8();
    box.header.salt = reader.read_array<kSaltBytes>();
    box.header.nonce = reader.read_array<kNonceBytes>();
    if (has_owner) box.header.owner = reader.read_array<std::tuple_size_v<SecretOwner>>();
    box.ciphertext = reader.read_view(reader.remaining() - kTagBytes);
    box.tag = reader.read_array<kTagBytes>();
    if (!is_supported(box.header.cost)) return chain::Unexpected{SecretBoxError::unsupported_cost};
    return box;
}

}  // namespace

std::string_view describe(SecretBoxError error) {
    using enum SecretBoxError;
    static constexpr auto kTexts = chain::enum_table<SecretBoxError, std::string_view>({
        {damaged, "the encrypted secret is damaged"},
        {newer_version, "the secret was encrypted by a newer petal"},
        {unsupported_cost, "the encrypted secret asks for more work than petal does"},
        {other_owner, "the encrypted secret belongs to other public keys"},
        {wrong_password, "wrong password"},
    });
    return kTexts[error];
}

chain::Bytes seal_secret(chain::ByteView secret, std::string_view password,
                         const SecretOwner& owner, ScryptCost cost) {
    assert(secret.size() <= kMaxSecretBytes && is_supported(cost));
    Header header{cost, {}, {}, owner};
    fill_random(header.salt);
    fill_random(header.nonce);
    chain::Bytes box = write_header(header);
    const auto cipher = start_cipher(derive_key(password, header), header, box, /*encrypt=*/1);

    box.resize(kHeaderBytes + secret.size() + kTagBytes);
    chain::Byte* const ciphertext = box.data() + kHeaderBytes;
    int written = 0;
    check_sealing(EVP_CipherUpdate(cipher.get(), ciphertext, &written, secret.data(),
                                   static_cast<int>(secret.size())) == 1);
    check_sealing(static_cast<std::size_t>(written) == secret.size());
    check_sealing(EVP_CipherFinal_ex(cipher.get(), ciphertext + written, &written) == 1);
    check_sealing(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_GET_TAG, kTagBytes,
                                      ciphertext + secret.size()) == 1);
    const auto sum = box_checksum(box);
    box.insert(box.end(), sum.begin(), sum.end());
    return box;
}

chain::Expected<SecretBytes, SecretBoxError> open_secret(chain::ByteView box,
                                                         std::string_view password,
                                                         const SecretOwner& owner) {
    auto parts = parse_box(box);
    if (!parts) return chain::Unexpected{parts.error()};
    if (parts->header.owner.value_or(owner) != owner) {
        return chain::Unexpected{SecretBoxError::other_owner};
    }
    const auto cipher = start_cipher(derive_key(password, parts->header), parts->header,
                                     parts->header_bytes, /*encrypt=*/0);

    SecretBytes secret(parts->ciphertext.size());
    int written = 0;
    check_sealing(EVP_CipherUpdate(cipher.get(), secret.data(), &written, parts->ciphertext.data(),
                                   static_cast<int>(parts->ciphertext.size())) == 1);
    check_sealing(EVP_CIPHER_CTX_ctrl(cipher.get(), EVP_CTRL_AEAD_SET_TAG, kTagBytes,
                                      parts->tag.data()) == 1);
    if (EVP_CipherFinal_ex(cipher.get(), secret.data() + written, &written) != 1) {
        return chain::Unexpected{SecretBoxError::wrong_password};
    }
    return secret;
}

}  // namespace petal::wallet
