#include "net/io/dial/dial.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <optional>
#include <string>

#include "chain/enum_table.h"
#include "net/io/dial/first_of.h"
#include "net/io/dial/onion_address.h"
#include "net/io/dial/peer_endpoint.h"
#include "net/io/dial/resolve.h"
#include "net/io/dial/socks5.h"
#include "net/io/dial/system_random.h"

namespace petal::net {

namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

asio::awaitable<void> connect_to(tcp::socket& socket, tcp::endpoint address) {
    co_await socket.async_connect(address, asio::use_awaitable);
    // Requests are small. Nagle's algorithm would only delay them.
    socket.set_option(tcp::no_delay{true});
}

DialError proxy_error_of(DialError error) {
    return error == DialError::timed_out ? DialError::proxy_timed_out
                                         : DialError::proxy_unreachable;
}

DialError error_of(Socks5Error error) {
    static constexpr auto kErrors = chain::enum_table<Socks5Error, DialError>({
        {Socks5Error::not_socks5, DialError::not_a_proxy},
        {Socks5Error::no_common_method, DialError::proxy_denied},
        {Socks5Error::refused_credentials, DialError::proxy_denied},
        {Socks5Error::general_failure, DialError::proxy_host_unreachable},
        {Socks5Error::not_allowed, DialError::proxy_denied},
        {Socks5Error::network_unreachable, DialError::proxy_host_unreachable},
        {Socks5Error::host_unreachable, DialError::proxy_host_unreachable},
        {Socks5Error::connection_refused, DialError::refused},
        {Socks5Error::expired, DialError::timed_out},
        {Socks5Error::unsupported, DialError::proxy_denied},
    });
    return kErrors[error];
}

DialError error_of(ResolveError error) {
    return error == ResolveError::no_such_host ? DialError::unknown_host : DialError::dns_failed;
}

Socks5Credentials random_credentials() {
    return {std::to_string(random_seed()), std::to_string(random_seed())};
}

/// Runs the SOCKS5 dialogue until the proxy has connected to the host. `failure` is empty on
/// success, otherwise the error.
asio::awaitable<void> converse(tcp::socket& socket, Socks5Dialogue& dialogue,
                               std::optional<DialError>& failure) {
    chain::Bytes outgoing = dialogue.opening();
    chain::Bytes incoming;
    while (!dialogue.done()) {
        const auto [write_error, sent] = co_await asio::async_write(
            socket, asio::buffer(outgoing), asio::as_tuple(asio::use_awaitable));
        incoming.resize(dialogue.wanted());
        const auto [read_error, received] = co_await asio::async_read(
            socket, asio::buffer(incoming), asio::as_tuple(asio::use_awaitable));
        if (read_error == asio::error::operation_aborted) co_return;  // out of time
        if (write_error || read_error) {
            failure = DialError::proxy_closed;
            co_return;
        }
        auto answer = dialogue.on_bytes(incoming);
        if (!answer) {
            failure = error_of(answer.error());
            co_return;
        }
        outgoing = std::move(*answer);
    }
    failure.reset();
}

struct DialErrorRow {
    std::string_view text;
    bool is_about_proxy;
};

const DialErrorRow& row_of(DialError error) {
    using enum DialError;
    static constexpr auto kRows = chain::enum_table<DialError, DialErrorRow>({
        {unreachable, {"network unreachable", false}},
        {timed_out, {"no answer in time", false}},
        {refused, {"connection refused", false}},
        {unknown_host, {"no such host", false}},
        {dns_failed, {"DNS lookup failed", false}},
        {onion_without_proxy, {"onion services are reached through a proxy alone", true}},
        {proxy_host_unreachable, {"proxy: host unreachable", false}},
        {proxy_unreachable, {"the proxy can't be reached", true}},
        {proxy_timed_out, {"the proxy did not answer in time", true}},
        {proxy_closed, {"the proxy closed the connection", true}},
        {proxy_denied, {"the proxy refuses", true}},
        {not_a_proxy, {"not a SOCKS5 proxy", true}},
    });
    return kRows[error];
}

}  // namespace

std::string_view describe(DialError error) {
    return row_of(error).text;
}

bool is_about_proxy(DialError error) {
    return row_of(error).is_about_proxy;
}

bool proves_connectivity(const Endpoint& peer, DialError error) {
    const auto address = address_of(peer);
    return error == DialError::refused && address && is_public(*address);
}

asio::awaitable<chain::Expected<tcp::socket, DialError>> dial(Endpoint endpoint,
                                                              std::chrono::milliseconds limit) {
    const auto executor = co_await asio::this_coro::executor;
    const auto deadline = Clock::now() + limit;
    if (is_onion_name(endpoint.host)) co_return chain::Unexpected{DialError::onion_without_proxy};
    const auto addresses = co_await resolve(endpoint.host, limit);
    if (!addresses) co_return chain::Unexpected{error_of(addresses.error())};

    auto most_telling = DialError::unreachable;
    for (auto left = addresses->size(); left > 0; --left) {
        const tcp::endpoint address{(*addresses)[addresses->size() - left], endpoint.port};
        const auto share = (deadline - Clock::now()) / static_cast<Clock::rep>(left);
        tcp::socket socket{executor};
        try {
            const bool connected = co_await within(share, connect_to(socket, address));
            if (connected) co_return socket;
            most_telling = std::max(most_telling, DialError::timed_out);
        } catch (const boost::system::system_error& failure) {
            if (failure.code() == asio::error::operation_aborted) throw;
            if (failure.code() == asio::error::connection_refused)
                most_telling = DialError::refused;
        }
    }
    co_return chain::Unexpected{most_telling};
}

asio::awaitable<chain::Expected<tcp::socket, DialError>> dial_through(
    Endpoint proxy, Endpoint endpoint, std::chrono::milliseconds limit) {
    const auto deadline = Clock::now() + limit;
    auto socket = co_await dial(proxy, limit);
    if (!socket) co_return chain::Unexpected{proxy_error_of(socket.error())};

    Socks5Dialogue dialogue{endpoint, random_credentials()};
    std::optional<DialError> failure = DialError::proxy_timed_out;  // replaced if it ends in time
    co_await within(deadline - Clock::now(), converse(*socket, dialogue, failure));
    if (failure) co_return chain::Unexpected{*failure};
    co_return std::move(*socket);
}

asio::awaitable<chain::Expected<tcp::socket, DialError>> dial_by(std::optional<Endpoint> proxy,
                                                                 Endpoint endpoint,
                                                                 std::chrono::milliseconds limit) {
    if (!proxy) co_return co_await dial(endpoint, limit);
    const Endpoint way = *proxy;
    co_return co_await dial_through(way, endpoint, limit);
}

}  // namespace petal::net
