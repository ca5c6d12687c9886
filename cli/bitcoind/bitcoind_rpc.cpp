#include "cli/bitcoind/bitcoind_rpc.h"

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "chain/bytes.h"
#include "cli/bitcoind/init_error.h"
#include "cli/regtest/start_node.h"
#include "regtest/front/rpc_auth.h"
#include "regtest/serve/client_subnet.h"
#include "wallet/keys/randomness.h"

namespace petal::cli {
namespace {

using regtest::front::RpcAuth;
using regtest::front::RpcServiceOptions;

/// Credentials that nobody knows, for a service without a cookie and a password.
std::string unknown_credentials() {
    chain::Bytes random(32);
    wallet::fill_random(random);
    return chain::to_hex(random);
}

void set_credentials(regtest::HttpOptions& http, const RpcServiceOptions& options) {
    std::vector<RpcAuth> auths;
    for (const std::string& text : options.auths) auths.push_back(*RpcAuth::parse(text));
    if (auths.empty()) return;
    http.accepts_credentials = [auths](std::string_view given) {
        return std::ranges::any_of(auths, [&](const RpcAuth& auth) { return auth.accepts(given); });
    };
}

void set_addresses(regtest::HttpOptions& http, const RpcServiceOptions& options) {
    http.port = options.port;
    if (options.binds.empty()) {
        http.second_host = "::1";
        return;
    }
    http.host = options.binds.front().host;
    http.port = options.binds.front().port;
    for (const net::Endpoint& bind : std::span(options.binds).subspan(1)) {
        http.further.emplace_back(boost::asio::ip::make_address(bind.host), bind.port);
    }
    std::vector<regtest::ClientSubnet> allowed;
    for (const std::string& text : options.allowed) {
        allowed.push_back(*regtest::ClientSubnet::parse(text));
    }
    http.accepts_client = [allowed](const boost::asio::ip::address& client) {
        const auto contains = [&](const auto& subnet) { return subnet.contains(client); };
        return client.is_loopback() || std::ranges::any_of(allowed, contains);
    };
}

}  // namespace

BitcoindRpc::BitcoindRpc(const RpcServiceOptions& options, regtest::EmbeddedNode& node,
                         regtest::rpc::NodeSettings& settings, DebugLog& log) {
    regtest::HttpOptions http;
    set_addresses(http, options);
    set_credentials(http, options);
    try {
        if (!options.cookie_file.empty()) cookie_.emplace(options.cookie_file);
        http.credentials = cookie_                    ? cookie_->credentials()
                           : options.password.empty() ? unknown_credentials()
                                                      : options.user + ":" + options.password;
        const auto answer = [&settings](regtest::RegtestChain& chain, regtest::NodePeers& peers,
                                        const regtest::HttpRequest& request) {
            return answer_http({chain, peers, settings}, request);
        };
        const std::uint16_t port = node.serve_http(http, answer);
        log.write("Binding RPC on address " + http.host + " port " + std::to_string(port));
        if (cookie_) cookie_->write(options.cookie_permissions);
    } catch (const CommandError& error) {
        throw InitError(error.what());
    } catch (const std::runtime_error& error) {
        throw InitError("Unable to start HTTP server on " +
                        to_string(net::Endpoint{http.host, http.port}) + ": " +
                        listen_failure(error));
    }
}

}  // namespace petal::cli
