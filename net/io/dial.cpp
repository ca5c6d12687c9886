#include "net/io/dial.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <boost/system/system_error.hpp>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "net/io/first_of.h"

namespace petal::net {

namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Addresses = std::vector<asio::ip::address>;

/// The answer to a question to the system's resolver. Whoever asked may be gone when it comes.
struct Answer {
    Answer(asio::any_io_executor asker, WakeUp& wake_up)
        : executor(std::move(asker)), waiting(&wake_up) {}

    asio::any_io_executor executor;
    std::mutex mutex;
    WakeUp* waiting;  // null once nobody waits; `executor` must not be used then either
    Addresses addresses;
};

/// Asks, and wakes whoever waits, on their own thread.
void look_up(const std::shared_ptr<Answer>& answer, const std::string& host) {
    asio::io_context unused;
    tcp::resolver resolver{unused};
    boost::system::error_code error;
    const auto found = resolver.resolve(host, "", error);

    const std::lock_guard lock{answer->mutex};
    for (const auto& entry : found) answer->addresses.push_back(entry.endpoint().address());
    if (!answer->waiting) return;
    asio::post(answer->executor, [answer] {
        if (answer->waiting) answer->waiting->notify();
    });
}

/// The host's addresses; none where it has none, or where that is not known in time.
///
/// getaddrinfo() can't be interrupted, so it runs on a thread of its own, which is left behind when
/// it takes too long: neither the time limit nor an interruption waits for it.
asio::awaitable<Addresses> resolve(std::string host, Clock::duration limit) {
    boost::system::error_code not_literal;
    const auto literal = asio::ip::make_address(host, not_literal);
    if (!not_literal) co_return Addresses{literal};

    WakeUp answered{co_await asio::this_coro::executor};
    const auto executor = co_await asio::this_coro::executor;
    const auto answer = std::make_shared<Answer>(executor, answered);
    const auto forget = [](Answer* shared) {
        const std::lock_guard lock{shared->mutex};
        shared->waiting = nullptr;
    };
    const std::unique_ptr<Answer, decltype(forget)> waiting{answer.get(), forget};

    std::thread{look_up, answer, std::move(host)}.detach();
    co_await answered.wait_until(Clock::now() + limit);
    const std::lock_guard lock{answer->mutex};
    co_return answer->addresses;
}

asio::awaitable<void> connect_to(tcp::socket& socket, tcp::endpoint address) {
    co_await socket.async_connect(address, asio::use_awaitable);
    // Requests are small and wait for nothing: Nagle's algorithm would only delay them.
    socket.set_option(tcp::no_delay{true});
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
    }
    return "";
}

asio::awaitable<chain::Expected<tcp::socket, DialError>> dial(Endpoint endpoint,
                                                              std::chrono::milliseconds limit) {
    const auto executor = co_await asio::this_coro::executor;
    const auto deadline = Clock::now() + limit;
    const auto addresses = co_await resolve(endpoint.host, limit);
    if (addresses.empty()) co_return chain::Unexpected{DialError::unknown_host};

    auto most_telling = DialError::unreachable;
    for (auto left = addresses.size(); left > 0; --left) {
        const tcp::endpoint address{addresses[addresses.size() - left], endpoint.port};
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

}  // namespace petal::net
