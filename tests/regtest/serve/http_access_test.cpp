// Which requests the HTTP server serves: by method, target, Host, Origin and credentials.
#include <gtest/gtest.h>

#include <chrono>
#include <string>

#include "tests/regtest/serve/http_scene.h"

namespace petal::regtest {
namespace {

TEST(HttpAccess, TakesPostRequestsAlone) {
    const ServedHttp server;
    const std::string rest =
        " / HTTP/1.1\r\nHost: localhost\r\n" + std::string(kAuthorization) + "\r\n";
    for (const char* method : {"GET", "OPTIONS", "PUT", "DELETE", "HEAD"}) {
        EXPECT_EQ(status_of(server, method + rest), 405) << method;
    }
    EXPECT_EQ(server.calls(), 0);
}

TEST(HttpAccess, ServesNamesOfThisMachineAlone) {
    const ServedHttp server;
    for (const char* host : {"localhost", "LOCALHOST:1", "127.0.0.1", "127.0.0.1:18443", "[::1]",
                             "[::1]:18443", "localhost:65535"}) {
        EXPECT_EQ(status_of(server, post("x", kAuthorization, host)), 200) << host;
    }
    for (const char* host : {"",
                             "example.org",
                             "localhost.example.org",
                             "127.0.0.1.example.org",
                             "::1",
                             "[::1",
                             "10.0.0.1",
                             "localhost:1:2",
                             "localhost:1@example.org",
                             "localhost@example.org",
                             "127.0.0.1:1@example.org",
                             "[::1]:x",
                             "[::1]:1@example.org",
                             "[::1]example.org",
                             "[::1].example.org",
                             "localhost:",
                             "localhost:65536",
                             "localhost:000080",
                             "localhost:+80",
                             "localhost: 80",
                             "localhost:80,example.org",
                             "localhost.",
                             "127.0.0.1.",
                             "127.0.0.2",
                             "127.1",
                             "2130706433",
                             "xlocalhost",
                             "user@localhost",
                             "localhost/",
                             "localhost:80/",
                             "localhost\texample.org",
                             "[::1%25lo]",
                             "[0:0::1]"}) {
        EXPECT_EQ(status_of(server, post("x", kAuthorization, host)), 403) << host;
    }
    const std::string second = std::string(kAuthorization) + "Host: example.org\r\n";
    EXPECT_EQ(status_of(server, post("x", second)), 403)
        << "with two headers, it is ambiguous which one is meant";
    EXPECT_EQ(status_of(server, "POST / HTTP/1.1\r\n" + std::string(kAuthorization) +
                                    "Content-Length: 0\r\n\r\n"),
              403);
    EXPECT_EQ(server.calls(), 7);
}

// A target that names a host overrides the Host header.
TEST(HttpAccess, TakesNoTargetButAPath) {
    const ServedHttp server;
    for (const char* target : {"http://example.org/", "http://localhost/", "example.org:80", "*",
                               "localhost", "HTTP://127.0.0.1"}) {
        const std::string request = "POST " + std::string(target) +
                                    " HTTP/1.1\r\nHost: localhost\r\n" + kAuthorization +
                                    "Content-Length: 0\r\n\r\n";
        EXPECT_EQ(status_of(server, request), 400) << target;
    }
    EXPECT_EQ(server.calls(), 0);
}

TEST(HttpAccess, ServesNoWebPage) {
    const ServedHttp server;
    for (const char* origin :
         {"Origin: http://localhost:8080\r\n", "Origin: null\r\n", "ORIGIN: http://127.0.0.1\r\n",
          "Origin:\r\n", "Origin: http://localhost\r\nOrigin: http://example.org\r\n"}) {
        HttpClient client(server);
        client.send(post("x", std::string(kAuthorization) + origin));
        const std::string answer = client.rest();
        EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 403") << origin;
        EXPECT_EQ(answer.find("Access-Control"), std::string::npos);
    }
    EXPECT_EQ(server.calls(), 0);
}

TEST(HttpAccess, RequiresCredentials) {
    const ServedHttp server;
    // base64 of "user:pass worc", of "user:", and of nothing.
    for (const char* wrong :
         {"", "Authorization: Basic dXNlcjpwYXNzIHdvcmM=\r\n", "Authorization: Basic dXNlcjo=\r\n",
          "Authorization: Basic \r\n", "Authorization: dXNlcjpwYXNzIHdvcmQ=\r\n",
          "Authorization: Bearer x\r\n"}) {
        HttpClient client(server);
        client.send(post("x", wrong));
        const std::string answer = client.rest();
        EXPECT_EQ(answer.substr(0, 12), "HTTP/1.1 401") << wrong;
        EXPECT_NE(answer.find("WWW-Authenticate: Basic realm=\"jsonrpc\""), std::string::npos);
    }
    EXPECT_EQ(server.calls(), 0);
    EXPECT_EQ(status_of(server, post("x")), 200);
}

TEST(HttpAccess, TakesOtherCredentialsThatTheOwnerAccepts) {
    HttpOptions options = small_options();
    options.accepts_credentials = [](std::string_view given) { return given == "bob:x"; };
    const ServedHttp server(options);
    EXPECT_EQ(status_of(server, post("x")), 200);
    // base64 of "bob:x", of "bob:y", and of nothing.
    EXPECT_EQ(status_of(server, post("x", "Authorization: Basic Ym9iOng=\r\n")), 200);
    EXPECT_EQ(status_of(server, post("x", "Authorization: Basic Ym9iOnk=\r\n")), 401);
    EXPECT_EQ(status_of(server, post("x", "Authorization: Basic \r\n")), 401);
    EXPECT_EQ(status_of(server, post("x", "Authorization: Basic !\r\n")), 401);
    EXPECT_EQ(status_of(server, post("x", "")), 401);
}

TEST(HttpAccess, ServesTheAddressesThatTheOwnerAccepts) {
    HttpOptions options = small_options();
    options.accepts_client = [](const asio::ip::address& client) { return client.is_loopback(); };
    const ServedHttp open(options);
    EXPECT_EQ(status_of(open, post("x", kAuthorization, "node.example.org")), 200)
        << "other machines may have any name for this one";
    EXPECT_EQ(status_of(open, post("x", std::string(kAuthorization) + "Origin: null\r\n")), 403);
    EXPECT_EQ(status_of(open, post("x", "")), 401);
    options.accepts_client = [](const asio::ip::address&) { return false; };
    const ServedHttp closed(options);
    EXPECT_EQ(status_of(closed, post("x")), 403);
    EXPECT_EQ(closed.calls(), 0);
}

TEST(HttpAccess, LabelsAnswersWithoutJson) {
    const ServedHttp server;
    const auto type_of = [&server](const std::string& request) {
        HttpClient client(server);
        client.send(request);
        const std::string answer = client.answer();
        const auto at = answer.find("Content-Type: ") + 14;
        return answer.substr(at, answer.find('\r', at) - at);
    };
    EXPECT_EQ(type_of(post("x")), "application/json");
    EXPECT_EQ(type_of(post("x", "")), "text/html; charset=ISO-8859-1");
    EXPECT_EQ(type_of("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n"),
              "text/html; charset=ISO-8859-1");
}

TEST(HttpAccess, ListensOnFurtherAddresses) {
    HttpOptions options = small_options();
    options.further.emplace_back(asio::ip::make_address("127.0.0.2"), 0);
    EXPECT_EQ(status_of(ServedHttp(options), post("x")), 200);
    options.further.emplace_back(asio::ip::make_address("192.0.2.1"), 0);
    EXPECT_THROW(ServedHttp{options}, boost::system::system_error) << "not of this machine";
}

TEST(HttpAccess, ComparesAllOfTheCredentials) {
    const ServedHttp server;
    // The SHA-256 hashes of these share their first and their last three bytes with that of the
    // right header.
    for (const char* wrong : {"12301815", "6162983"}) {
        const std::string header = "Authorization: Basic " + std::string(wrong) + "\r\n";
        EXPECT_EQ(status_of(server, post("x", header)), 401) << wrong;
    }
}

TEST(HttpAccess, RequiresCredentialsInEachRequest) {
    const ServedHttp server;
    HttpClient client(server);
    client.send(post("x"));
    EXPECT_TRUE(ends_with(client.answer(), "you said x"));
    client.send(post("", "") + post("x"));
    EXPECT_EQ(client.rest().substr(0, 12), "HTTP/1.1 401");
    EXPECT_TRUE(client.is_closed_within(std::chrono::seconds{30}));
    EXPECT_EQ(server.calls(), 1) << "the request after the refused one is not served";
}

}  // namespace
}  // namespace petal::regtest
