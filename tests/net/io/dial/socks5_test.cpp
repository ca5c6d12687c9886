#include "net/io/dial/socks5.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>
#include <cstdlib>
#include <filesystem>
#include <set>
#include <thread>

#include "net/io/dial/dial.h"
#include "net/io/dial/first_of.h"
#include "tests/net/io/network_witness.h"
#include "tests/net/io/spv_client_fixture.h"
#include "tests/support/ports.h"
#include "tests/support/socks_server.h"

namespace petal::net {
namespace {

using chain::Bytes;
using chain::ByteView;
using std::chrono::milliseconds;
using test::SocksManner;
using test::SocksServer;

constexpr milliseconds kLimit{5'000};
constexpr const char* kOnion = "pg6mmjiyjmcrsslvykfwnntlaru7p5svn6y2ymmju6nubxndf4pscryd.onion";

/// The client's replies to proxy answers that arrive without a gap, or the error with which it
/// stops.
chain::Expected<Bytes, Socks5Error> answer_to(Socks5Dialogue& dialogue, ByteView stream) {
    Bytes said;
    while (!dialogue.done() && stream.size() >= dialogue.wanted()) {
        const auto wanted = dialogue.wanted();
        const auto answer = dialogue.on_bytes(stream.first(wanted));
        stream = stream.subspan(wanted);
        if (!answer) return chain::Unexpected{answer.error()};
        said.insert(said.end(), answer->begin(), answer->end());
    }
    EXPECT_TRUE(stream.empty() || !dialogue.done())
        << "the client must not consume the target's first bytes";
    return said;
}

std::string said_to(const Endpoint& target, const char* stream) {
    Socks5Dialogue dialogue{target, {"user", "pw"}};
    EXPECT_EQ(chain::to_hex(dialogue.opening()), "05020002");
    const auto said = answer_to(dialogue, *chain::from_hex(stream));
    EXPECT_TRUE(dialogue.done());
    return chain::to_hex(said.value());
}

TEST(Socks5, AsksForANameWithoutALogin) {
    // RFC 1928, sections 4 and 6: version 5, CONNECT, reserved, DOMAINNAME, length, name, port.
    EXPECT_EQ(said_to({"a.example", 8333},
                      "0500"
                      "05000001"
                      "7f000001"
                      "1234"),
              "05010003"
              "09"
              "612e6578616d706c65"
              "208d");
}

TEST(Socks5, AsksForAddressesAsAddresses) {
    EXPECT_EQ(said_to({"1.2.3.4", 1},
                      "0500"
                      "05000001"
                      "00000000"
                      "0000"),
              "05010001"
              "01020304"
              "0001");
    EXPECT_EQ(said_to({"2001:db8::1", 2},
                      "0500"
                      "05000004"
                      "00000000000000000000000000000000"
                      "0000"),
              "05010004"
              "20010db8000000000000000000000001"
              "0002");
}

TEST(Socks5, LogsInOnRequest) {
    // RFC 1929, section 2: version 1, then name and password with their lengths.
    EXPECT_EQ(said_to({"a", 3},
                      "0502"
                      "0100"
                      "05000003"
                      "00"
                      "0000"),
              "01"
              "04"
              "75736572"
              "02"
              "7077"
              "05010003"
              "01"
              "61"
              "0003");
}

struct Socks5RefusalCase {
    std::string name;
    const char* stream;
    Socks5Error error;
};
void PrintTo(const Socks5RefusalCase& c, std::ostream* out) {
    *out << c.name;
}
class Socks5Refusal : public testing::TestWithParam<Socks5RefusalCase> {};

TEST_P(Socks5Refusal, SaysWhy) {
    Socks5Dialogue dialogue{{"a", 3}, {"user", "pw"}};
    const auto said = answer_to(dialogue, *chain::from_hex(GetParam().stream));
    ASSERT_FALSE(said.has_value());
    EXPECT_EQ(said.error(), GetParam().error);
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Answers, Socks5Refusal, testing::ValuesIn(std::initializer_list<Socks5RefusalCase>{
    {"Socks4",            "0400",             Socks5Error::not_socks5},
    {"Http",              "4854",             Socks5Error::not_socks5},
    {"UnknownMethod",     "0501",             Socks5Error::not_socks5},
    {"NoMethod",          "05ff",             Socks5Error::no_common_method},
    {"LoginVersion",      "0502" "0500",      Socks5Error::not_socks5},
    {"LoginRefused",      "0502" "0101",      Socks5Error::refused_credentials},
    {"ReplyVersion",      "0500" "0400",      Socks5Error::not_socks5},
    {"GeneralFailure",    "0500" "0501",      Socks5Error::general_failure},
    {"NotAllowed",        "0500" "0502",      Socks5Error::not_allowed},
    {"NetworkUnreachable","0500" "0503",      Socks5Error::network_unreachable},
    {"HostUnreachable",   "0500" "0504",      Socks5Error::host_unreachable},
    {"Refused",           "0500" "0505",      Socks5Error::connection_refused},
    {"Expired",           "0500" "0506",      Socks5Error::expired},
    {"CommandUnsupported","0500" "0507",      Socks5Error::unsupported},
    {"AddressUnsupported","0500" "0508",      Socks5Error::unsupported},
    {"UnknownReply",      "0500" "0509",      Socks5Error::general_failure},
    {"OnionNotFound",     "0500" "05f0",      Socks5Error::host_unreachable},
    {"AddressKind",       "0500" "0500000201", Socks5Error::not_socks5},
}), [](const auto& row) { return row.param.name; });
// clang-format on

asio::awaitable<void> dial_into(Endpoint proxy, Endpoint target, milliseconds limit,
                                std::optional<DialError>& error) {
    const auto socket = co_await dial_through(proxy, target, limit);
    if (!socket) error = socket.error();
}

asio::awaitable<void> dial_directly_into(Endpoint target, std::optional<DialError>& error) {
    const auto socket = co_await dial(target, kLimit);
    if (!socket) error = socket.error();
}

/// The error with which dialling through the proxy fails; nothing if the connection succeeds.
std::optional<DialError> error_through(const Endpoint& proxy, const Endpoint& target,
                                       milliseconds limit = kLimit) {
    asio::io_context io{1};
    std::optional<DialError> error;
    asio::co_spawn(io, dial_into(proxy, target, limit, error), asio::detached);
    io.run();
    return error;
}

std::optional<DialError> error_of(SocksManner manner, milliseconds limit = kLimit) {
    const SocksServer proxy{manner};
    return error_through(proxy.endpoint(), {"a.example", 1}, limit);
}

TEST(DialThrough, SaysWhatIsWrongWithTheProxy) {
    EXPECT_EQ(error_of(SocksManner::refuses), DialError::proxy_denied);
    EXPECT_EQ(error_of(SocksManner::garbles), DialError::not_a_proxy);
    EXPECT_EQ(error_of(SocksManner::hangs_up), DialError::proxy_closed);
    EXPECT_EQ(error_of(SocksManner::hangs, milliseconds{100}), DialError::proxy_timed_out);
    EXPECT_EQ(error_of(SocksManner::forwards), DialError::proxy_host_unreachable)
        << "the proxy knows no such name";
    EXPECT_EQ(error_through(test::closed_port(), {"a.example", 1}), DialError::proxy_unreachable);
    for (const auto about_proxy : {DialError::proxy_denied, DialError::not_a_proxy,
                                   DialError::proxy_closed, DialError::proxy_timed_out}) {
        EXPECT_TRUE(is_about_proxy(about_proxy));
    }
    EXPECT_FALSE(is_about_proxy(DialError::proxy_host_unreachable));
}

TEST(DialThrough, RefusesAnOnionServiceWithoutAProxy) {
    asio::io_context io{1};
    std::optional<DialError> error;
    const test::NetworkWitness witness{{}};
    asio::co_spawn(io, dial_directly_into({kOnion, 8333}, error), asio::detached);
    io.run();
    EXPECT_EQ(error, DialError::onion_without_proxy);
    EXPECT_TRUE(witness.names().empty());
}

using Socks5Sync = test::SpvClientFixture;

TEST_F(Socks5Sync, SyncsOnionNamesAndAddressesThroughTheProxyAlone) {
    regtest::EmbeddedNode node{{}, test::paid_chain()};
    for (const auto manner :
         {SocksManner::forwards, SocksManner::drips, SocksManner::without_login}) {
        const SocksServer proxy{manner,
                                {{kOnion, node.endpoint()}, {"node.example", node.endpoint()}}};
        options_.proxy = proxy.endpoint();
        // The proxy runs in this process, so its own connections to the node are overlooked.
        const test::NetworkWitness witness{{node.port()}};
        const auto result = sync({{kOnion, 18'444}, {"node.example", 7}});
        ASSERT_EQ(result.outcome, SyncOutcome::synced);
        EXPECT_EQ(witness.ports(), std::set{proxy.endpoint().port});
        EXPECT_TRUE(witness.names().empty());
        for (const auto& request : proxy.requests()) {
            EXPECT_EQ(request.port, request.host == kOnion ? 18'444 : 7) << request.host;
        }
        EXPECT_FALSE(proxy.requests().empty());
    }
    expect_truth(node);
}

TEST_F(Socks5Sync, GivesEachConnectionALoginOfItsOwn) {
    regtest::EmbeddedNode node{test::with_fault(regtest::FaultKind::hang_up, 20),
                               test::paid_chain()};
    const SocksServer proxy{SocksManner::forwards, {{kOnion, node.endpoint()}}};
    options_.proxy = proxy.endpoint();
    sync({{kOnion, 18'444}});
    const auto requests = proxy.requests();
    ASSERT_GE(requests.size(), 2U);
    std::set<std::string> logins;
    for (const auto& request : requests) {
        EXPECT_FALSE(request.username.empty());
        logins.insert(request.username + ":" + request.password);
    }
    EXPECT_EQ(logins.size(), requests.size());
}

TEST_F(Socks5Sync, SaysThatTheProxyIsToBlame) {
    const SocksServer proxy{SocksManner::refuses};
    options_.proxy = proxy.endpoint();
    const auto failure = failure_of({"node.example", 18'444});
    EXPECT_EQ(failure.reason, DisconnectReason::unreachable);
    EXPECT_EQ(failure.detail, "the proxy refuses");
}

TEST_F(Socks5Sync, EndsInTimeWhenTheProxyHangs) {
    const SocksServer proxy{SocksManner::hangs};
    options_.proxy = proxy.endpoint();
    options_.timeout = milliseconds{150};
    const auto result = sync({{"node.example", 18'444}});
    EXPECT_EQ(result.outcome, SyncOutcome::timed_out);
}

/// Runs Debian's microsocks as a separate process on a free port.
class Microsocks {
public:
    Microsocks() : endpoint_{"127.0.0.1", test::free_port()}, process_(fork()) {
        if (process_ == 0) {
            const std::string port = std::to_string(endpoint_.port);
            execlp("microsocks", "microsocks", "-i", "127.0.0.1", "-p", port.c_str(), nullptr);
            _exit(127);
        }
    }
    ~Microsocks() {
        kill(process_, SIGKILL);
        waitpid(process_, nullptr, 0);
    }
    Microsocks(const Microsocks&) = delete;
    Microsocks& operator=(const Microsocks&) = delete;
    const Endpoint& endpoint() const { return endpoint_; }

private:
    Endpoint endpoint_;
    pid_t process_;
};

bool has_microsocks() {
    for (const char* folder : {"/usr/bin", "/usr/local/bin", "/bin"}) {
        if (std::filesystem::exists(std::filesystem::path{folder} / "microsocks")) return true;
    }
    return false;
}

TEST_F(Socks5Sync, SyncsThroughMicrosocks) {
    if (!has_microsocks()) GTEST_SKIP() << "the Debian package microsocks is not installed";
    regtest::EmbeddedNode node{{}, test::paid_chain()};
    const Microsocks proxy;
    options_.proxy = proxy.endpoint();
    options_.timeout = milliseconds{20'000};  // microsocks may not listen yet
    const test::NetworkWitness witness{{}};
    // petal takes 127.1 for a name, while the proxy finds only 127.0.0.1 for it. The proxy tries a
    // single address, and for `localhost` that could be ::1.
    EXPECT_EQ(sync({{"127.1", node.port()}}).outcome, SyncOutcome::synced);
    EXPECT_EQ(witness.ports(), std::set{proxy.endpoint().port});
    EXPECT_TRUE(witness.names().empty());
    expect_truth(node);
}

}  // namespace
}  // namespace petal::net
