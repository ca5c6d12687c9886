#include "tests/integration/rpc.h"

#include <algorithm>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/write.hpp>
#include <cctype>
#include <cmath>
#include <stdexcept>
#include <string_view>

#include "chain/bytes.h"

namespace petal::test {

namespace asio = boost::asio;

namespace {

std::size_t content_length(const std::string& header) {
    constexpr std::string_view kName = "\r\ncontent-length:";
    std::string lower = header;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
    const auto found = lower.find(kName);
    if (found == std::string::npos) throw std::runtime_error("no Content-Length: " + header);
    return std::stoul(lower.substr(found + kName.size()));
}

// The body of the answer. This does not wait for the server to close, because Bitcoin Core closes
// 50 ms later.
std::string answer_to(std::uint16_t port, const std::string& request) {
    asio::io_context context{1};
    asio::ip::tcp::socket socket{context};
    socket.connect(asio::ip::tcp::endpoint{asio::ip::address_v4::loopback(), port});
    asio::write(socket, asio::buffer(request));
    std::string answer;
    const std::size_t header = asio::read_until(socket, asio::dynamic_buffer(answer), "\r\n\r\n");
    const std::size_t bytes = header + content_length(answer.substr(0, header));
    if (answer.size() < bytes) {
        asio::read(socket, asio::dynamic_buffer(answer),
                   asio::transfer_exactly(bytes - answer.size()));
    }
    return answer.substr(header);
}

}  // namespace

RpcClient::RpcClient(std::uint16_t port, const std::string& user_and_password) : port_(port) {
    if (user_and_password.empty()) return;
    authorization_ =
        "Authorization: Basic " + chain::to_base64(chain::as_bytes(user_and_password)) + "\r\n";
}

nlohmann::json RpcClient::call(const std::string& method, const nlohmann::json& parameters) const {
    const std::string body =
        nlohmann::json{{"method", method}, {"params", parameters}, {"id", 1}}.dump();
    const std::string answer =
        answer_to(port_, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" +
                             authorization_ + "Content-Type: application/json\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body);
    const auto json = nlohmann::json::parse(answer, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) {
        throw std::runtime_error(method + ": no JSON in the answer: " + answer.substr(0, 200));
    }
    if (!json.at("error").is_null())
        throw std::runtime_error(method + ": " + json.at("error").dump());
    return json.at("result");
}

chain::Satoshis satoshis_of(const nlohmann::json& btc) {
    return std::llround(btc.get<double>() * 1e8);
}

}  // namespace petal::test
