/// The values of bitcoind's -rpcauth.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace petal::regtest::front {

/// A user and the salted hash of the user's password.
class RpcAuth {
public:
    /// Parses `USER:SALT$HASH`. The hash is HMAC-SHA256 of the password with the salt as the key,
    /// in hexadecimal. Empty for other text.
    static std::optional<RpcAuth> parse(std::string_view text);

    /// Whether these are the credentials of the user, as `USER:PASSWORD`. Takes the same time
    /// wherever the hashes differ.
    bool accepts(std::string_view credentials) const;

private:
    std::string user_;
    std::string salt_;
    std::string hash_;
};

}  // namespace petal::regtest::front
