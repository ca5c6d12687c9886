/// The client side of SOCKS5 (RFC 1928, RFC 1929), without I/O.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "net/io/dial/endpoint.h"

namespace petal::net {

/// Why the proxy made no connection.
enum class Socks5Error : std::uint8_t {
    not_socks5,        ///< the answer is not SOCKS5
    no_common_method,  ///< the proxy demands an unsupported authentication method
    refused_credentials,
    general_failure,
    not_allowed,  ///< forbidden by the proxy's rules
    network_unreachable,
    host_unreachable,    ///< or unknown name
    connection_refused,  ///< by the host
    expired,             ///< TTL expired
    unsupported,         ///< unsupported kind of address
};

/// A user name and a password, up to 255 bytes each. Tor uses separate circuits for connections
/// with different credentials, so that connections cannot be linked (Tor: IsolateSOCKSAuth).
struct Socks5Credentials {
    std::string username;
    std::string password;
};

/// The dialogue for one connection. Pure: bytes in, bytes out. Never asks for more bytes than the
/// proxy's answer has, so that the host's bytes stay unread.
class Socks5Dialogue {
public:
    /// A name is passed to the proxy unresolved. `target.host` has at most 255 bytes.
    Socks5Dialogue(Endpoint target, Socks5Credentials credentials);

    /// The bytes to send first.
    chain::Bytes opening() const;

    /// The number of bytes to read next. 0 once the connection is made.
    std::size_t wanted() const { return wanted_; }

    /// Handles exactly wanted() bytes. Returns the bytes to send next, possibly none.
    chain::Expected<chain::Bytes, Socks5Error> on_bytes(chain::ByteView bytes);

    bool done() const { return step_ == Step::done; }

private:
    enum class Step : std::uint8_t { method, credentials, verdict, address_kind, address, done };

    using Answer = chain::Expected<chain::Bytes, Socks5Error>;
    Answer on_method(chain::ByteView bytes);
    Answer on_address_kind(chain::ByteView bytes);
    void expect(Step step, std::size_t bytes);
    chain::Bytes login() const;
    chain::Bytes request() const;

    Endpoint target_;
    Socks5Credentials credentials_;
    Step step_ = Step::method;
    std::size_t wanted_ = 2;
};

}  // namespace petal::net
