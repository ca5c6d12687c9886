#include "net/io/dial/resolve.h"

#include <gtest/gtest.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <future>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace petal::net {
namespace {

using std::chrono::milliseconds;

asio::awaitable<void> look_up(Lookup lookup, milliseconds limit,
                              std::optional<ResolvedHost>& found) {
    const std::string host = "node.example";
    auto result = co_await look_up_in_time(host, limit, lookup);
    found = std::move(result);
}

/// The result of look_up_in_time().
std::optional<ResolvedHost> found_by(const Lookup& lookup, milliseconds limit) {
    asio::io_context io{1};
    std::optional<ResolvedHost> found;
    asio::co_spawn(io, look_up(lookup, limit, found), asio::detached);
    io.run();
    return found;
}

TEST(LookUpInTime, ReturnsWhatTheLookupFinds) {
    const auto address = asio::ip::make_address("192.0.2.1");
    std::string asked;
    const auto found = found_by(
        [&](const std::string& host) -> ResolvedHost {
            asked = host;
            return std::vector{address};
        },
        milliseconds{60'000});
    ASSERT_TRUE(found && *found);
    EXPECT_EQ(**found, std::vector{address});
    EXPECT_EQ(asked, "node.example");
}

TEST(LookUpInTime, AbandonsALookupThatIsTooSlow) {
    std::promise<void> release;
    std::promise<void> done;
    const auto found = found_by(
        [&](const std::string&) -> ResolvedHost {
            release.get_future().wait();
            done.set_value_at_thread_exit();
            return std::vector{asio::ip::make_address("192.0.2.1")};
        },
        milliseconds{1});
    ASSERT_TRUE(found && !*found);
    EXPECT_EQ(found->error(), ResolveError::no_answer);
    // The answer comes after the caller and its io_context have been destroyed.
    release.set_value();
    done.get_future().wait();
}

TEST(LookUpInTime, EndsIfTheAnswerComesAtTheTimeout) {
    const auto refuse = [](const std::string&) -> ResolvedHost {
        return chain::Unexpected{ResolveError::no_such_host};
    };
    for (int i = 0; i < 20; ++i) {
        const auto found = found_by(refuse, milliseconds{0});
        ASSERT_TRUE(found);
        EXPECT_FALSE(*found);
    }
}

}  // namespace
}  // namespace petal::net
