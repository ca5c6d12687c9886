#include "regtest/serve/client_subnet.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <string>
#include <vector>

namespace petal::regtest {
namespace {

using boost::asio::ip::address;

/// IPv4 in IPv6 form as IPv4.
address plain_address(const address& given) {
    const bool is_mapped = given.is_v6() && given.to_v6().is_v4_mapped();
    if (!is_mapped) return given;
    return boost::asio::ip::make_address_v4(boost::asio::ip::v4_mapped, given.to_v6());
}

std::vector<unsigned char> bytes_of(const address& given) {
    if (given.is_v4()) {
        const auto bytes = given.to_v4().to_bytes();
        return {bytes.begin(), bytes.end()};
    }
    const auto bytes = given.to_v6().to_bytes();
    return {bytes.begin(), bytes.end()};
}

std::optional<address> parse_ip(std::string_view text) {
    boost::system::error_code error;
    const auto parsed = boost::asio::ip::make_address(std::string(text), error);
    if (error) return std::nullopt;
    return plain_address(parsed);
}

/// The number of leading ones. Empty if a one follows a zero.
std::optional<unsigned> bits_of_mask(const address& mask) {
    unsigned bits = 0;
    bool is_over = false;
    for (const unsigned char byte : bytes_of(mask)) {
        const int ones = std::countl_one(byte);
        const bool is_valid = std::popcount(byte) == ones && !(is_over && ones > 0);
        if (!is_valid) return std::nullopt;
        bits += static_cast<unsigned>(ones);
        is_over = is_over || ones < 8;
    }
    return bits;
}

}  // namespace

std::optional<ClientSubnet> ClientSubnet::parse(std::string_view text) {
    const auto slash = text.find('/');
    const auto parsed = parse_ip(text.substr(0, slash));
    if (!parsed) return std::nullopt;
    ClientSubnet subnet;
    subnet.address_ = *parsed;
    const unsigned most = parsed->is_v4() ? 32 : 128;
    subnet.bits_ = most;
    if (slash == text.npos) return subnet;
    const std::string_view range = text.substr(slash + 1);
    if (const auto mask = parse_ip(range)) {
        const auto bits = bits_of_mask(*mask);
        if (!bits || mask->is_v4() != parsed->is_v4()) return std::nullopt;
        subnet.bits_ = *bits;
        return subnet;
    }
    const auto [end, error] =
        std::from_chars(range.data(), range.data() + range.size(), subnet.bits_);
    const bool is_number = error == std::errc{} && end == range.data() + range.size();
    if (!is_number || subnet.bits_ > most) return std::nullopt;
    return subnet;
}

bool ClientSubnet::contains(const boost::asio::ip::address& address) const {
    const auto candidate = plain_address(address);
    if (candidate.is_v4() != address_.is_v4()) return false;
    const auto given = bytes_of(candidate);
    const auto own = bytes_of(address_);
    const std::size_t whole = bits_ / 8;
    if (!std::equal(own.begin(), own.begin() + static_cast<std::ptrdiff_t>(whole), given.begin())) {
        return false;
    }
    const unsigned rest = bits_ % 8;
    if (rest == 0) return true;
    const unsigned differing = static_cast<unsigned>(own[whole] ^ given[whole]);
    return differing >> (8 - rest) == 0;
}

}  // namespace petal::regtest
