#include "net/io/dial/dial.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <boost/system/system_error.hpp>
#include <optional>
#include <string>

#include "net/io/dial/first_of.h"
#include "net/io/dial/onion_address.h"
#include "net/io/dial/resolve.h"
#include "net/io/dial/socks5.h"
#include "net/io/dial/system_random.h"

namespace petal::net {

namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;

asio::awaitable<void> connect_to(tcp::socket& socket, tcp::endpoint address) {
    co_await socket.async_connect(address, asio::use_awaitable);
    // Requests are small and wait for nothing: Nagle's algorithm would only delay them.
    socket.set_option(tcp::no_delay{true});
}

DialError proxy_error_of(DialError error) {
    return error == DialError::timed_out ? DialError::proxy_silent : DialError::proxy_unreachable;
}

DialError error_of(Socks5Error error) {
    switch (error) {
        case Socks5Error::not_socks5:
            return DialError::not_a_proxy;
        case Socks5Error::no_common_method:
        case Socks5Error::refused_credentials:
        case Socks5Error::not_allowed:
        case Socks5Error::unsupported:
            return DialError::proxy_refuses;
        case Socks5Error::general_failure:
        case Socks5Error::network_unreachable:
        case Socks5Error::host_unreachable:
            return DialError::no_way_by_proxy;
        case Socks5Error::connection_refused:
            return DialError::refused;
        case Socks5Error::expired:
            return DialError::timed_out;
    }
    return DialError::not_a_proxy;
}

DialError error_of(ResolveError error) {
    return error == ResolveError::no_such_host ? DialError::unknown_host
                                               : DialError::name_unanswered;
}

Socks5Credentials random_credentials() {
    return {std::to_string(random_seed()), std::to_string(random_seed())};
}

/// Talks with the proxy until the connection behind it stands; `failure` is then empty, and else
/// says why.
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
            failure = DialError::proxy_hung_up;
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

}  // namespace

std::string_view describe(DialError error) {
    switch (error) {
        case DialError::unreachable:
            return "no way there";
        case DialError::timed_out:
            return "no answer in time";
        case DialError::refused:
            return "connection refused";
        case DialError::unknown_host:
            return "no such host";
        case DialError::name_unanswered:
            return "DNS lookup failed";
        case DialError::onion_without_proxy:
            return "onion services are reached through a proxy alone";
        case DialError::no_way_by_proxy:
            return "the proxy finds no way there";
        case DialError::proxy_unreachable:
            return "the proxy can't be reached";
        case DialError::proxy_silent:
            return "the proxy did not answer in time";
        case DialError::proxy_hung_up:
            return "the proxy closed the connection";
        case DialError::proxy_refuses:
            return "the proxy refuses";
        case DialError::not_a_proxy:
            return "what answers in the proxy's place does not speak SOCKS5";
    }
    return "";
}

bool is_about_proxy(DialError error) {
    switch (error) {
        case DialError::proxy_unreachable:
        case DialError::proxy_silent:
        case DialError::proxy_hung_up:
        case DialError::proxy_refuses:
        case DialError::not_a_proxy:
        case DialError::onion_without_proxy:
            return true;
        case DialError::unreachable:
        case DialError::timed_out:
        case DialError::refused:
        case DialError::unknown_host:
        case DialError::name_unanswered:
        case DialError::no_way_by_proxy:
            return false;
    }
    return false;
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
    std::optional<DialError> failure = DialError::proxy_silent;  // unless it ends in time
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
