/// Base58 and Base58Check, the encodings of legacy addresses and extended keys.
#include "wallet/keys/base58.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "chain/hash.h"
#include "wallet/keys/secret_bytes.h"

namespace petal::wallet {

namespace {

constexpr std::string_view kBase58Alphabet =
    "123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz";
constexpr std::size_t kBase58ChecksumBytes = 4;

constexpr chain::Byte kInvalid = 0xff;

constexpr std::array<chain::Byte, 256> kDigits = [] {
    std::array<chain::Byte, 256> digits{};
    digits.fill(kInvalid);
    for (std::size_t i = 0; i < kBase58Alphabet.size(); ++i) {
        digits[static_cast<unsigned char>(kBase58Alphabet[i])] = static_cast<chain::Byte>(i);
    }
    return digits;
}();

/// Computes number * factor + digit in the given base, least significant digit first.
void multiply_and_add(SecretBytes& number, unsigned base, unsigned factor, unsigned digit) {
    unsigned carry = digit;
    for (chain::Byte& place : number) {
        carry += place * factor;
        place = static_cast<chain::Byte>(carry % base);
        carry /= base;
    }
    for (; carry > 0; carry /= base) number.push_back(static_cast<chain::Byte>(carry % base));
}

std::array<chain::Byte, kBase58ChecksumBytes> base58_checksum(chain::ByteView payload) {
    const auto hash = chain::sha256d(payload);
    std::array<chain::Byte, kBase58ChecksumBytes> result{};
    std::copy_n(hash.bytes.begin(), result.size(), result.begin());
    return result;
}

/// An upper bound of the number of characters for this number of bytes: log 256 / log 58 is below
/// 1.366.
constexpr std::size_t max_characters(std::size_t bytes) {
    return bytes * 1'366 / 1'000 + 1;
}

}  // namespace

std::string encode_base58(chain::ByteView bytes) {
    const auto first =
        std::find_if(bytes.begin(), bytes.end(), [](auto byte) { return byte != 0; });
    const auto zeros = static_cast<std::size_t>(first - bytes.begin());
    SecretBytes number;
    number.reserve(max_characters(bytes.size()));
    for (const chain::Byte byte : bytes.subspan(zeros)) multiply_and_add(number, 58, 256, byte);

    std::string text(zeros, kBase58Alphabet.front());
    text.reserve(zeros + number.size());
    for (auto digit = number.rbegin(); digit != number.rend(); ++digit) {
        text += kBase58Alphabet[*digit];
    }
    return text;
}

chain::Expected<chain::Bytes, Base58Error> decode_base58(std::string_view text,
                                                         std::size_t max_bytes) {
    if (text.size() > max_characters(max_bytes)) return chain::Unexpected{Base58Error::too_long};
    const std::size_t zeros =
        std::min(text.find_first_not_of(kBase58Alphabet.front()), text.size());
    SecretBytes number;
    number.reserve(text.size());
    for (const char character : text.substr(zeros)) {
        const chain::Byte digit = kDigits[static_cast<unsigned char>(character)];
        if (digit == kInvalid) return chain::Unexpected{Base58Error::invalid_character};
        multiply_and_add(number, 256, 58, digit);
    }
    if (zeros + number.size() > max_bytes) return chain::Unexpected{Base58Error::too_long};

    chain::Bytes bytes;
    bytes.reserve(zeros + number.size());
    bytes.resize(zeros);
    bytes.insert(bytes.end(), number.rbegin(), number.rend());
    return bytes;
}

std::string encode_base58check(chain::ByteView payload) {
    SecretBytes bytes;
    bytes.reserve(payload.size() + kBase58ChecksumBytes);
    bytes.assign(payload.begin(), payload.end());
    const auto sum = base58_checksum(payload);
    bytes.insert(bytes.end(), sum.begin(), sum.end());
    return encode_base58(bytes);
}

chain::Expected<chain::Bytes, Base58Error> decode_base58check(std::string_view text,
                                                              std::size_t max_bytes) {
    auto bytes = decode_base58(text, max_bytes + kBase58ChecksumBytes);
    if (!bytes) return bytes;
    if (bytes->size() < kBase58ChecksumBytes) return chain::Unexpected{Base58Error::too_short};
    const std::size_t payload_bytes = bytes->size() - kBase58ChecksumBytes;
    const auto sum = base58_checksum(chain::ByteView{*bytes}.first(payload_bytes));
    if (!std::equal(sum.begin(), sum.end(), bytes->end() - kBase58ChecksumBytes)) {
        OPENSSL_cleanse(bytes->data(),
                        bytes->size());  // probably a mistyped private key
        return chain::Unexpected{Base58Error::wrong_checksum};
    }
    bytes->resize(payload_bytes);
    return bytes;
}

}  // namespace petal::wallet
