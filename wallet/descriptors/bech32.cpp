/// Bech32 and Bech32m, the encodings of segwit addresses (BIP173, BIP350).
#include "wallet/descriptors/bech32.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstddef>

namespace petal::wallet {

namespace {

constexpr std::string_view kBech32Alphabet = "qpzry9x8gf2tvdw0s3jn54khce6mua7l";
constexpr std::size_t kMaxCharacters = 90;
constexpr std::size_t kChecksumValues = 6;
constexpr char kSeparator = '1';

constexpr bool is_upper(char c) {
    return c >= 'A' && c <= 'Z';
}
constexpr bool is_lower(char c) {
    return c >= 'a' && c <= 'z';
}
constexpr char to_lower(char c) {
    return is_upper(c) ? static_cast<char>(c - 'A' + 'a') : c;
}

/// The Polymod value of a valid text.
constexpr std::uint32_t target(Bech32Kind kind) {
    return kind == Bech32Kind::bech32 ? 1 : 0x2bc8'30a3;
}

/// The remainder of the BCH code, one value at a time (BIP173: bech32_polymod).
class Polymod {
public:
    /// Starts with the expanded prefix (BIP173: bech32_hrp_expand).
    explicit Polymod(std::string_view prefix) {
        for (const char c : prefix) add(static_cast<chain::Byte>(c) >> 5);
        add(0);
        for (const char c : prefix) add(static_cast<chain::Byte>(c) & 31);
    }

    void add(std::uint32_t value) {
        static constexpr std::array<std::uint32_t, 5> kGenerator{
            0x3b6a'57b2, 0x2650'8e6d, 0x1ea1'19fa, 0x3d42'33dd, 0x2a14'62b3};
        const std::uint32_t top = remainder_ >> 25;
        remainder_ = ((remainder_ & 0x01ff'ffff) << 5) ^ value;
        for (std::size_t i = 0; i < kGenerator.size(); ++i) {
            if (((top >> i) & 1) != 0) remainder_ ^= kGenerator[i];
        }
    }

    std::uint32_t remainder() const { return remainder_; }

private:
    std::uint32_t remainder_ = 1;
};

/// The 5-bit values of lower-case characters. Empty if a character is not in the alphabet.
std::optional<chain::Bytes> values_of(std::string_view characters) {
    chain::Bytes values;
    values.reserve(characters.size());
    for (const char c : characters) {
        const std::size_t value = kBech32Alphabet.find(c);
        if (value == std::string_view::npos) return std::nullopt;
        values.push_back(static_cast<chain::Byte>(value));
    }
    return values;
}

/// The checks before the text is split into its parts.
std::optional<Bech32Error> check_characters(std::string_view text) {
    if (text.size() > kMaxCharacters) return Bech32Error::too_long;
    const auto printable = [](char c) { return c >= 33 && c <= 126; };
    if (!std::all_of(text.begin(), text.end(), printable)) return Bech32Error::invalid_character;
    const bool mixed = std::any_of(text.begin(), text.end(), is_upper) &&
                       std::any_of(text.begin(), text.end(), is_lower);
    if (mixed) return Bech32Error::mixed_case;
    return std::nullopt;
}

}  // namespace

chain::Expected<Bech32, Bech32Error> decode_bech32(std::string_view text) {
    if (const auto error = check_characters(text)) return chain::Unexpected{*error};
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(), to_lower);

    const std::size_t separator = lower.rfind(kSeparator);
    if (separator == std::string::npos || separator == 0) {
        return chain::Unexpected{Bech32Error::no_prefix};
    }
    const std::string prefix = lower.substr(0, separator);
    auto values = values_of(std::string_view{lower}.substr(separator + 1));
    if (!values) return chain::Unexpected{Bech32Error::invalid_character};
    if (values->size() < kChecksumValues) return chain::Unexpected{Bech32Error::wrong_checksum};

    Polymod polymod{prefix};
    for (const chain::Byte value : *values) polymod.add(value);
    values->resize(values->size() - kChecksumValues);
    for (const Bech32Kind kind : {Bech32Kind::bech32, Bech32Kind::bech32m}) {
        if (polymod.remainder() == target(kind)) return Bech32{kind, prefix, *std::move(values)};
    }
    return chain::Unexpected{Bech32Error::wrong_checksum};
}

std::string encode_bech32(const Bech32& content) {
    assert(!content.prefix.empty() &&
           std::none_of(content.prefix.begin(), content.prefix.end(), is_upper));
    std::string text = content.prefix + kSeparator;
    Polymod polymod{content.prefix};
    for (const chain::Byte value : content.values) {
        assert(value < kBech32Alphabet.size());
        polymod.add(value);
        text += kBech32Alphabet[value];
    }
    for (std::size_t i = 0; i < kChecksumValues; ++i) polymod.add(0);
    const std::uint32_t checksum = polymod.remainder() ^ target(content.kind);
    for (std::size_t i = 0; i < kChecksumValues; ++i) {
        text += kBech32Alphabet[(checksum >> (5 * (kChecksumValues - 1 - i))) & 31];
    }
    assert(text.size() <= kMaxCharacters);
    return text;
}

chain::Bytes to_five_bits(chain::ByteView bytes) {
    chain::Bytes values;
    values.reserve((bytes.size() * 8 + 4) / 5);
    std::uint32_t waiting = 0;
    unsigned waiting_bits = 0;
    for (const chain::Byte byte : bytes) {
        waiting = (waiting << 8 | byte) & 0xfff;
        for (waiting_bits += 8; waiting_bits >= 5;) {
            waiting_bits -= 5;
            values.push_back(static_cast<chain::Byte>((waiting >> waiting_bits) & 31));
        }
    }
    if (waiting_bits > 0) {
        values.push_back(static_cast<chain::Byte>((waiting << (5 - waiting_bits)) & 31));
    }
    return values;
}

std::optional<chain::Bytes> from_five_bits(chain::ByteView values) {
    chain::Bytes bytes;
    bytes.reserve(values.size() * 5 / 8);
    std::uint32_t waiting = 0;
    unsigned waiting_bits = 0;
    for (const chain::Byte value : values) {
        assert(value < 32);
        waiting = (waiting << 5 | value) & 0xfff;
        waiting_bits += 5;
        if (waiting_bits < 8) continue;
        waiting_bits -= 8;
        bytes.push_back(static_cast<chain::Byte>(waiting >> waiting_bits));
    }
    const std::uint32_t padding = waiting & ((1U << waiting_bits) - 1);
    if (waiting_bits >= 5 || padding != 0) return std::nullopt;
    return bytes;
}

}  // namespace petal::wallet
