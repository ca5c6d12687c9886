#include "regtest/front/rpc_auth.h"

#include <algorithm>
#include <array>
#include <cstddef>

#include "chain/bytes.h"
#include "chain/hash.h"

namespace petal::regtest::front {
namespace {

constexpr std::size_t kHmacBlock = 64;

/// HMAC-SHA256 (RFC 2104).
std::array<chain::Byte, 32> hmac_sha256(std::string_view key, std::string_view message) {
    std::array<chain::Byte, kHmacBlock> inner{};
    if (key.size() > kHmacBlock) {
        std::ranges::copy(chain::sha256(chain::as_bytes(key)), inner.begin());
    } else {
        std::ranges::copy(chain::as_bytes(key), inner.begin());
    }
    auto outer = inner;
    for (auto& byte : inner) byte ^= 0x36;
    for (auto& byte : outer) byte ^= 0x5c;
    const auto first = chain::sha256({inner, chain::as_bytes(message)});
    return chain::sha256({outer, first});
}

/// Takes the same time wherever the texts differ.
bool is_equal_text(std::string_view left, std::string_view right) {
    if (left.size() != right.size()) return false;
    unsigned difference = 0;
    for (std::size_t i = 0; i < left.size(); ++i) {
        difference |= static_cast<unsigned>(left[i] ^ right[i]);
    }
    return difference == 0;
}

}  // namespace

std::optional<RpcAuth> RpcAuth::parse(std::string_view text) {
    const auto colon = text.find(':');
    if (colon == text.npos) return std::nullopt;
    const std::string_view rest = text.substr(colon + 1);
    const auto dollar = rest.find('$');
    const bool has_two_parts = dollar != rest.npos && rest.find('$', dollar + 1) == rest.npos &&
                               rest.find(':') == rest.npos;
    if (!has_two_parts) return std::nullopt;
    RpcAuth auth;
    auth.user_ = text.substr(0, colon);
    auth.salt_ = rest.substr(0, dollar);
    auth.hash_ = rest.substr(dollar + 1);
    return auth;
}

bool RpcAuth::accepts(std::string_view credentials) const {
    const auto colon = credentials.find(':');
    if (colon == credentials.npos) return false;
    const std::string hash = chain::to_hex(hmac_sha256(salt_, credentials.substr(colon + 1)));
    const bool is_password = is_equal_text(hash, hash_);
    return is_equal_text(credentials.substr(0, colon), user_) && is_password;
}

}  // namespace petal::regtest::front
