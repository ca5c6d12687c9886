#include "net/io/dial/onion_address.h"

#include <openssl/evp.h>

#include <algorithm>
#include <new>

namespace petal::net {

namespace {

constexpr std::string_view kEnding = ".onion";
constexpr std::string_view kChecksumPrefix = ".onion checksum";
constexpr std::string_view kAlphabet = "abcdefghijklmnopqrstuvwxyz234567";  // RFC 4648
constexpr std::size_t kNameBytes = 35;  // key, checksum, version
constexpr std::size_t kNameLetters = kNameBytes * 8 / 5;
constexpr chain::Byte kVersion = 3;

using NameBytes = std::array<chain::Byte, kNameBytes>;

char to_lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::array<chain::Byte, 2> checksum_of(const OnionKey& key) {
    std::array<chain::Byte, kChecksumPrefix.size() + std::tuple_size_v<OnionKey> + 1> text{};
    auto* end = std::copy(kChecksumPrefix.begin(), kChecksumPrefix.end(), text.begin());
    end = std::copy(key.begin(), key.end(), end);
    *end = kVersion;
    std::array<chain::Byte, EVP_MAX_MD_SIZE> digest{};
    const int ok =
        EVP_Digest(text.data(), text.size(), digest.data(), nullptr, EVP_sha3_256(), nullptr);
    if (ok != 1) throw std::bad_alloc{};  // a digest of memory can fail only for this reason
    return {digest[0], digest[1]};
}

NameBytes name_bytes(const OnionKey& key) {
    NameBytes bytes{};
    const auto checksum = checksum_of(key);
    auto* const end = std::copy(key.begin(), key.end(), bytes.begin());
    *std::copy(checksum.begin(), checksum.end(), end) = kVersion;
    return bytes;
}

}  // namespace

bool is_onion_name(std::string_view host) {
    if (host.ends_with('.')) host.remove_suffix(1);  // final dot of a fully qualified name
    if (host.size() < kEnding.size()) return false;
    const auto same = [](char a, char b) { return to_lower(a) == b; };
    return std::ranges::equal(host.substr(host.size() - kEnding.size()), kEnding, same);
}

std::optional<OnionKey> parse_onion(std::string_view host) {
    if (!is_onion_name(host) || host.size() != kNameLetters + kEnding.size()) return std::nullopt;
    NameBytes bytes{};
    std::size_t filled = 0;
    std::uint32_t bits = 0;
    int bit_count = 0;
    for (const char c : host.substr(0, kNameLetters)) {
        const auto value = kAlphabet.find(to_lower(c));
        if (value == std::string_view::npos) return std::nullopt;
        bits = (bits << 5U | static_cast<std::uint32_t>(value)) & 0xfffU;
        bit_count += 5;
        if (bit_count < 8) continue;
        bit_count -= 8;
        bytes[filled++] = static_cast<chain::Byte>(bits >> bit_count);
    }
    OnionKey key{};
    std::copy_n(bytes.begin(), key.size(), key.begin());
    if (bytes != name_bytes(key)) return std::nullopt;
    return key;
}

std::string onion_name(const OnionKey& key) {
    std::string name;
    std::uint32_t bits = 0;
    int bit_count = 0;
    for (const chain::Byte byte : name_bytes(key)) {
        bits = (bits << 8U | byte) & 0xfffU;
        bit_count += 8;
        while (bit_count >= 5) {
            bit_count -= 5;
            name.push_back(kAlphabet[bits >> bit_count & 31U]);
        }
    }
    return name.append(kEnding);
}

}  // namespace petal::net
