#include "regtest/serve/added_nodes.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "net/io/dial/dial.h"

namespace petal::regtest {
namespace {

constexpr std::chrono::milliseconds kDialLimit{5'000};
constexpr std::chrono::milliseconds kRedialPause{1'000};

/// An exception of a detached coroutine is a bug.
void rethrow_from_dialling(const std::exception_ptr& thrown) {
    if (thrown) std::rethrow_exception(thrown);
}

}  // namespace

bool AddedNodes::add(const net::Endpoint& endpoint) {
    if (std::ranges::find(added_, endpoint) != added_.end()) return false;
    added_.push_back(endpoint);
    start(endpoint, /*once=*/false);
    return true;
}

bool AddedNodes::remove(const net::Endpoint& endpoint) {
    if (std::erase(added_, endpoint) == 0) return false;
    for (const auto& weak : dialling_) {
        const Shared dialling = weak.lock();
        if (!dialling || dialling->is_once || dialling->endpoint != endpoint) continue;
        dialling->is_over = true;
        dialling->end.happen();
    }
    return true;
}

void AddedNodes::try_once(const net::Endpoint& endpoint) {
    start(endpoint, /*once=*/true);
}

void AddedNodes::stop() {
    is_stopped_ = true;
    for (const auto& weak : std::exchange(dialling_, {})) {
        const Shared dialling = weak.lock();
        if (!dialling) continue;
        dialling->is_over = true;
        dialling->end.happen();
    }
}

void AddedNodes::resume() {
    if (!std::exchange(is_stopped_, false)) return;
    for (const auto& endpoint : added_) start(endpoint, /*once=*/false);
}

void AddedNodes::start(const net::Endpoint& endpoint, bool once) {
    if (is_stopped_) return;
    std::erase_if(dialling_, [](const auto& weak) { return weak.expired(); });
    auto dialling = std::make_shared<Dialling>(endpoint, once, io_.get_executor());
    dialling_.push_back(dialling);
    asio::co_spawn(io_, run(std::move(dialling)), rethrow_from_dialling);
}

asio::awaitable<void> AddedNodes::run(Shared dialling) {
    while (!dialling->is_over) {
        co_await connect_and_serve(dialling);
        if (dialling->is_once) co_return;
        co_await net::within(kRedialPause, dialling->end.wait());
    }
}

asio::awaitable<void> AddedNodes::connect_and_serve(Shared dialling) {
    std::optional<asio::ip::tcp::socket> socket;
    co_await net::first_of(dialling->end.wait(), dial_into(dialling->endpoint, socket));
    if (!socket || dialling->is_over) co_return;
    co_await serve_(*std::move(socket));
}

asio::awaitable<void> AddedNodes::dial_into(net::Endpoint endpoint,
                                            std::optional<asio::ip::tcp::socket>& socket) {
    auto dialled = co_await dial(std::move(endpoint), kDialLimit);
    if (dialled) socket.emplace(*std::move(dialled));
}

}  // namespace petal::regtest
