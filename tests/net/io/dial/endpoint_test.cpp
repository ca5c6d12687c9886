#include "net/io/dial/endpoint.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>

namespace petal::net {
namespace {

constexpr std::uint16_t kDefaultPort = 18'444;

struct EndpointCase {
    std::string name;
    std::string text;
    std::optional<Endpoint> endpoint;  // empty: parsing fails with `error`
    EndpointError error = EndpointError::empty_host;
};

void PrintTo(const EndpointCase& c, std::ostream* out) {
    *out << c.name;
}

class ParseEndpoint : public testing::TestWithParam<EndpointCase> {};

TEST_P(ParseEndpoint, ReadsOrSaysWhy) {
    const auto& c = GetParam();

    const auto endpoint = parse_endpoint(c.text, kDefaultPort);

    ASSERT_EQ(endpoint.has_value(), c.endpoint.has_value());
    if (c.endpoint) {
        EXPECT_EQ(*endpoint, *c.endpoint);
        EXPECT_EQ(parse_endpoint(to_string(*endpoint), 1).value(), *c.endpoint);
    } else {
        EXPECT_EQ(endpoint.error(), c.error);
        EXPECT_FALSE(describe(endpoint.error()).empty());
    }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Text, ParseEndpoint, testing::ValuesIn(std::initializer_list<EndpointCase>{
    {"Name",              "localhost",          Endpoint{"localhost", 18444}},
    {"NameAndPort",       "node.example:8333",  Endpoint{"node.example", 8333}},
    {"Ipv4",              "127.0.0.1",          Endpoint{"127.0.0.1", 18444}},
    {"Ipv4AndPort",       "127.0.0.1:1",        Endpoint{"127.0.0.1", 1}},
    {"BareIpv6",          "2001:db8::1",        Endpoint{"2001:db8::1", 18444}},
    {"Ipv6InBrackets",    "[::1]",              Endpoint{"::1", 18444}},
    {"Ipv6AndPort",       "[::1]:65535",        Endpoint{"::1", 65535}},
    {"Ipv6WithZone",      "[fe80::1%eth0]:9",   Endpoint{"fe80::1%eth0", 9}},
    {"LongestName",       std::string(253, 'a'), Endpoint{std::string(253, 'a'), 18444}},
    {"NameTooLong",       std::string(254, 'a'), {}, EndpointError::bad_host},
    {"Empty",             "",                   {}, EndpointError::empty_host},
    {"PortAlone",         ":8333",              {}, EndpointError::empty_host},
    {"EmptyBrackets",     "[]:8333",            {}, EndpointError::empty_host},
    {"EmptyPort",         "localhost:",         {}, EndpointError::bad_port},
    {"PortZero",          "localhost:0",        {}, EndpointError::bad_port},
    {"PortTooLarge",      "localhost:65536",    {}, EndpointError::bad_port},
    {"PortNegative",      "localhost:-1",       {}, EndpointError::bad_port},
    {"PortWithSpace",     "localhost: 1",       {}, EndpointError::bad_port},
    {"PortWithLetters",   "localhost:80a",      {}, EndpointError::bad_port},
    {"EmptyIpv6Port",     "[::1]:",             {}, EndpointError::bad_port},
    {"UnclosedBracket",   "[::1:8333",          {}, EndpointError::missing_bracket},
    {"NoColonBehind",     "[::1]8333",          {}, EndpointError::missing_bracket},
    {"Url",               "http://localhost",   {}, EndpointError::bad_port},
    {"Space",             "local host",         {}, EndpointError::bad_host},
    {"ControlCharacter",  "local\nhost",        {}, EndpointError::bad_host},
}), [](const auto& row) { return row.param.name; });
// clang-format on

}  // namespace
}  // namespace petal::net
