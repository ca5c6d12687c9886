/// The client's side of SOCKS5 (RFC 1928, RFC 1929), as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "chain/bytes.h"
#include "chain/expected.h"
#include "net/io/dial/endpoint.h"

namespace petal::net {

/// Why the proxy makes no connection.
enum class Socks5Error : std::uint8_t {
    not_socks5,        ///< the answer is none of SOCKS5's
    no_common_method,  ///< it demands an authentication method that we lack
    refused_credentials,
    general_failure,
    not_allowed,  ///< its rules forbid it
    network_unreachable,
    host_unreachable,    ///< or its name is unknown
    connection_refused,  ///< by the host
    expired,             ///< its TTL expired
    unsupported,         ///< it can't connect to this kind of address
};

/// A user name and a password, up to 255 bytes each. Tor uses separate circuits for connections
/// with different credentials, so that no circuit links them (Tor: IsolateSOCKSAuth).
struct Socks5Credentials {
    std::string username;
    std::string password;
};

/// One request for a connection. Pure: bytes in, bytes out. Never reads beyond the proxy's answer,
/// so that bytes of the host stay unread.
class Socks5Dialogue {
public:
    /// A name is passed on unchanged, for the proxy to resolve; `target.host` has at most 255
    /// bytes.
    Socks5Dialogue(Endpoint target, Socks5Credentials credentials);

    /// The bytes to send first.
    chain::Bytes opening() const;

    /// The number of bytes to read next; 0 once the connection is made.
    std::size_t wanted() const { return wanted_; }

    /// Handles exactly wanted() bytes; returns the bytes to send next, which may be none.
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
