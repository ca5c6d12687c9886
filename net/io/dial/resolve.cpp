#include "net/io/dial/resolve.h"

#include <boost/asio/error.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <cassert>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "net/io/dial/first_of.h"
#include "net/io/dial/onion_address.h"

namespace petal::net {

namespace {

using asio::ip::tcp;
using Clock = std::chrono::steady_clock;
using Addresses = std::vector<asio::ip::address>;

/// The result of a lookup, shared with its thread. The caller may be gone when the result arrives.
struct Answer {
    Answer(asio::any_io_executor asker, WakeUp& wake_up)
        : executor(std::move(asker)), waiting(&wake_up) {}

    asio::any_io_executor executor;
    std::mutex mutex;
    WakeUp* waiting;  // null once the caller is gone, and `executor` is invalid then
    ResolvedHost result = chain::Unexpected{ResolveError::no_answer};
};

/// Resolves the name on this thread, then wakes the caller on the caller's thread.
void look_up(const std::shared_ptr<Answer>& answer, const Lookup& lookup, const std::string& host) {
    ResolvedHost result = lookup(host);

    const std::lock_guard lock{answer->mutex};
    answer->result = std::move(result);
    if (!answer->waiting) return;
    asio::post(answer->executor, [answer] {
        if (answer->waiting) answer->waiting->notify();
    });
}

/// The addresses of `localhost` (RFC 6761), without a lookup.
Addresses local_host() {
    return {asio::ip::address_v4::loopback(), asio::ip::address_v6::loopback()};
}

ResolvedHost ask_system(const std::string& host) {
    asio::io_context unused;
    tcp::resolver resolver{unused};
    boost::system::error_code error;
    const auto found = resolver.resolve(host, "", error);
    // no_recovery: the name servers refuse to answer for the name.
    if (error == asio::error::host_not_found || error == asio::error::no_recovery) {
        return chain::Unexpected{ResolveError::no_such_host};
    }
    if (error || found.empty()) return chain::Unexpected{ResolveError::no_answer};

    Addresses addresses;
    for (const auto& entry : found) addresses.push_back(entry.endpoint().address());
    return addresses;
}

asio::awaitable<ResolvedHost> ask_in_time(std::string host, Clock::duration limit, Lookup lookup) {
    WakeUp answered{co_await asio::this_coro::executor};
    const auto executor = co_await asio::this_coro::executor;
    const auto answer = std::make_shared<Answer>(executor, answered);
    const auto forget = [](Answer* shared) {
        const std::lock_guard lock{shared->mutex};
        shared->waiting = nullptr;
    };
    const std::unique_ptr<Answer, decltype(forget)> waiting{answer.get(), forget};

    std::thread{look_up, answer, std::move(lookup), std::move(host)}.detach();
    co_await answered.wait_until(Clock::now() + limit);
    const std::lock_guard lock{answer->mutex};
    co_return answer->result;
}

}  // namespace

asio::awaitable<ResolvedHost> look_up_in_time(std::string host, Clock::duration limit,
                                              Lookup lookup) {
    return ask_in_time(std::move(host), limit, std::move(lookup));
}

asio::awaitable<ResolvedHost> resolve(std::string host, Clock::duration limit) {
    assert(!is_onion_name(host));
    boost::system::error_code not_literal;
    const auto literal = asio::ip::make_address(host, not_literal);
    if (!not_literal) co_return Addresses{literal};
    if (host == "localhost") co_return local_host();
    co_return co_await look_up_in_time(std::move(host), limit, ask_system);
}

}  // namespace petal::net
