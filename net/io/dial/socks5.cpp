#include "net/io/dial/socks5.h"

#include <array>
#include <boost/asio/ip/address.hpp>
#include <boost/system/error_code.hpp>
#include <cassert>
#include <utility>

#include "chain/byte_writer.h"

namespace petal::net {

namespace {

constexpr chain::Byte kSocksVersion = 5;
constexpr chain::Byte kLoginVersion = 1;
constexpr chain::Byte kNoLogin = 0;
constexpr chain::Byte kLogin = 2;
constexpr chain::Byte kConnect = 1;
constexpr chain::Byte kIpv4 = 1;
constexpr chain::Byte kName = 3;
constexpr chain::Byte kIpv6 = 4;
constexpr std::size_t kPortBytes = 2;
constexpr std::size_t kMaxField = 255;

/// Errors for replies 1 and up (RFC 1928). Later replies are unassigned.
constexpr std::array kErrors = {
    Socks5Error::general_failure,     Socks5Error::not_allowed,
    Socks5Error::network_unreachable, Socks5Error::host_unreachable,
    Socks5Error::connection_refused,  Socks5Error::expired,
    Socks5Error::unsupported,         Socks5Error::unsupported,
};

Socks5Error error_of(chain::Byte reply) {
    if (reply >= 1 && reply <= kErrors.size()) return kErrors[reply - 1U];
    // Tor's codes for onion services (Tor proposal 304).
    if (reply >= 0xf0 && reply <= 0xf7) return Socks5Error::host_unreachable;
    return Socks5Error::general_failure;
}

void write_field(chain::ByteWriter& out, const std::string& text) {
    assert(text.size() <= kMaxField);
    out.u8(static_cast<chain::Byte>(text.size())).bytes(chain::as_bytes(text));
}

void write_host(chain::ByteWriter& out, const std::string& host) {
    boost::system::error_code not_literal;
    const auto address = boost::asio::ip::make_address(host, not_literal);
    if (not_literal) {
        out.u8(kName);
        write_field(out, host);
    } else if (address.is_v4()) {
        out.u8(kIpv4).bytes(address.to_v4().to_bytes());
    } else {
        out.u8(kIpv6).bytes(address.to_v6().to_bytes());
    }
}

}  // namespace

Socks5Dialogue::Socks5Dialogue(Endpoint target, Socks5Credentials credentials)
    : target_(std::move(target)), credentials_(std::move(credentials)) {}

// Both methods are offered. Tor accepts the login. Some proxies support none.
chain::Bytes Socks5Dialogue::opening() const {
    return {kSocksVersion, 2, kNoLogin, kLogin};
}

void Socks5Dialogue::expect(Step step, std::size_t bytes) {
    step_ = step;
    wanted_ = bytes;
}

Socks5Dialogue::Answer Socks5Dialogue::on_bytes(chain::ByteView bytes) {
    assert(bytes.size() == wanted_ && !done());
    switch (step_) {
        case Step::method:
            return on_method(bytes);
        case Step::credentials:
            if (bytes[0] != kLoginVersion) return chain::Unexpected{Socks5Error::not_socks5};
            if (bytes[1] != 0) return chain::Unexpected{Socks5Error::refused_credentials};
            expect(Step::verdict, 2);
            return request();
        case Step::verdict:
            if (bytes[0] != kSocksVersion) return chain::Unexpected{Socks5Error::not_socks5};
            if (bytes[1] != 0) return chain::Unexpected{error_of(bytes[1])};
            expect(Step::address_kind, 3);
            return chain::Bytes{};
        case Step::address_kind:
            return on_address_kind(bytes);
        case Step::address:
        case Step::done:
            break;
    }
    expect(Step::done, 0);
    return chain::Bytes{};
}

Socks5Dialogue::Answer Socks5Dialogue::on_method(chain::ByteView bytes) {
    if (bytes[0] != kSocksVersion) return chain::Unexpected{Socks5Error::not_socks5};
    switch (bytes[1]) {
        case kNoLogin:
            expect(Step::verdict, 2);
            return request();
        case kLogin:
            expect(Step::credentials, 2);
            return login();
        case 0xff:
            return chain::Unexpected{Socks5Error::no_common_method};
        default:
            return chain::Unexpected{Socks5Error::not_socks5};
    }
}

/// Handles a reserved byte, the kind of the proxy's bound address, and the first byte of that
/// address. The address is not needed.
Socks5Dialogue::Answer Socks5Dialogue::on_address_kind(chain::ByteView bytes) {
    switch (bytes[1]) {
        case kIpv4:
            expect(Step::address, 3 + kPortBytes);
            return chain::Bytes{};
        case kIpv6:
            expect(Step::address, 15 + kPortBytes);
            return chain::Bytes{};
        case kName:
            expect(Step::address, bytes[2] + kPortBytes);
            return chain::Bytes{};
        default:
            return chain::Unexpected{Socks5Error::not_socks5};
    }
}

chain::Bytes Socks5Dialogue::login() const {
    chain::ByteWriter out;
    out.u8(kLoginVersion);
    write_field(out, credentials_.username);
    write_field(out, credentials_.password);
    return out.take();
}

chain::Bytes Socks5Dialogue::request() const {
    chain::ByteWriter out;
    out.u8(kSocksVersion).u8(kConnect).u8(0);
    write_host(out, target_.host);
    out.u16_big_endian(target_.port);
    return out.take();
}

}  // namespace petal::net
