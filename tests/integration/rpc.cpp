#include "tests/integration/rpc.h"

#include <openssl/evp.h>
#include <boost/asio/connect.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read.hpp>
#include <boost/asio/write.hpp>
#include <stdexcept>

namespace petal::test {

namespace asio = boost::asio;

namespace {

std::string base64(const std::string& text) {
    std::string result(4 * ((text.size() + 2) / 3) + 1, '\0');
    const int size = EVP_EncodeBlock(reinterpret_cast<unsigned char*>(result.data()),
                                     reinterpret_cast<const unsigned char*>(text.data()),
                                     static_cast<int>(text.size()));
    result.resize(static_cast<std::size_t>(size));
    return result;
}

// The whole answer, up to where the server closes.
std::string answer_to(std::uint16_t port, const std::string& request) {
    asio::io_context context{1};
    asio::ip::tcp::socket socket{context};
    socket.connect(asio::ip::tcp::endpoint{asio::ip::address_v4::loopback(), port});
    asio::write(socket, asio::buffer(request));
    std::string answer;
    boost::system::error_code end;
    asio::read(socket, asio::dynamic_buffer(answer), end);
    return answer;
}

}  // namespace

RpcClient::RpcClient(std::uint16_t port, const std::string& user_and_password) : port_(port) {
    if (user_and_password.empty()) return;
    authorization_ = "Authorization: Basic " + base64(user_and_password) + "\r\n";
}

nlohmann::json RpcClient::call(const std::string& method, const nlohmann::json& parameters) const {
    const std::string body =
        nlohmann::json{{"method", method}, {"params", parameters}, {"id", 1}}.dump();
    const std::string answer =
        answer_to(port_, "POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n" +
                             authorization_ + "Content-Type: application/json\r\nContent-Length: " +
                             std::to_string(body.size()) + "\r\n\r\n" + body);
    const auto begin = answer.find('{');
    const auto end = answer.rfind('}');
    if (begin == std::string::npos || end == std::string::npos) {
        throw std::runtime_error(method + ": no JSON in the answer: " + answer.substr(0, 200));
    }
    const auto json = nlohmann::json::parse(answer.substr(begin, end - begin + 1));
    if (!json.at("error").is_null())
        throw std::runtime_error(method + ": " + json.at("error").dump());
    return json.at("result");
}

}  // namespace petal::test
