#include "cli/regtest/rpc_access.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <system_error>

#include "chain/storage/private_files.h"
#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/regtest/start_node.h"
#include "cli/rpc/rpc_method.h"
#include "cli/rpc/rpc_server.h"
#include "cli/text.h"
#include "cli/wallet/secret_input.h"
#include "wallet/keys/randomness.h"

namespace petal::cli {
namespace {

constexpr std::string_view kCookieUser = "__cookie__:";

std::string read_beginning(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary);
    std::string beginning(kCookieUser.size(), '\0');
    stream.read(beginning.data(), static_cast<std::streamsize>(beginning.size()));
    beginning.resize(static_cast<std::size_t>(stream.gcount()));
    return beginning;
}

CommandError unwritable(const std::filesystem::path& file, const std::string& why) {
    return {ExitStatus::failed, "unwritable-file",
            "--rpc-cookie-file: " + printable(file.string(), 200) + ": " + why};
}

std::string new_password() {
    std::array<chain::Byte, 32> bytes{};
    wallet::fill_random(bytes);
    return chain::to_hex(bytes);
}

/// Bitcoin Core's clients name a wallet in the path; here one purse serves for all.
bool is_rpc_path(std::string_view path) {
    return path == "/" || path.starts_with("/wallet/");
}

net::HttpAnswer answer_http(rpc::RpcNode node, const net::HttpRequest& request) {
    if (!is_rpc_path(request.path)) return {404, ""};
    const auto call = [&node](const std::string& method, const Json& arguments) {
        return rpc::call_method(node, method, arguments);
    };
    rpc::RpcAnswer answer = rpc::answer_rpc(request.body, call);
    return {answer.status, std::move(answer.body)};
}

}  // namespace

void add_rpc_options(CLI::App* app, RpcOptions& options) {
    app->add_option("--rpc", options.port,
                    "answer Bitcoin Core's JSON-RPC on this port of 127.0.0.1 (0: any)")
        ->type_name("PORT")
        ->check(whole_number(0, 65'535));
    app->add_option("--rpc-cookie-file", options.cookie_file,
                    "where to leave user and password (default: in a private folder,\n"
                    "or with --datadir in DIR/regtest/.cookie)")
        ->type_name("FILE");
    app->add_option("--rpc-user", options.user, "instead of a cookie, this user")
        ->type_name("NAME");
    app->add_option("--rpc-password-file", options.password_file,
                    "with this password (-: standard input)")
        ->type_name("FILE");
}

void check_rpc_options(const RpcOptions& options) {
    const bool has_user = !options.user.empty() || options.password_file;
    if (!options.port && (has_user || options.cookie_file)) {
        throw usage_error("--rpc-cookie-file, --rpc-user and --rpc-password-file need --rpc PORT");
    }
    if (has_user && (options.user.empty() || !options.password_file)) {
        throw usage_error("--rpc-user and --rpc-password-file need each other");
    }
    if (has_user && options.cookie_file) {
        throw usage_error("--rpc-user and --rpc-cookie-file exclude each other");
    }
    if (options.user.find(':') != std::string::npos) {
        throw usage_error("--rpc-user: a name has no colon");
    }
}

RpcCookie::RpcCookie(std::filesystem::path file) : file_(std::move(file)) {
    try {
        chain::ensure_private_file(file_);
    } catch (const std::system_error& error) {
        throw unwritable(file_, error.code().message());
    }
    const std::string before = read_beginning(file_);
    if (!before.empty() && before != kCookieUser) {
        throw unwritable(file_, "it holds something else than a cookie");
    }
    credentials_ = std::string(kCookieUser) + new_password();
    std::ofstream stream(file_, std::ios::binary | std::ios::trunc);
    stream << credentials_ << std::flush;
    if (!stream) throw unwritable(file_, "cannot be written");
}

RpcCookie::~RpcCookie() {
    std::error_code ignored;  // there is no way left to report it
    std::filesystem::remove(file_, ignored);
}

RpcAccess::RpcAccess(const RpcOptions& options, const GlobalOptions& global, Console& console,
                     net::EmbeddedNode& node, rpc::NodeSettings& settings) {
    net::HttpOptions http;
    http.port = options.port.value();
    http.credentials = credentials(options, global, console);
    const auto answer = [&settings](net::RegtestChain& chain, net::NodePeers& peers,
                                    const net::HttpRequest& request) {
        return answer_http({chain, peers, settings}, request);
    };
    try {
        port_ = node.serve_http(http, answer);
    } catch (const std::runtime_error& error) {
        throw cannot_listen({http.host, http.port}, error);
    }
}

std::string RpcAccess::credentials(const RpcOptions& options, const GlobalOptions& global,
                                   Console& console) {
    if (options.password_file) {
        const auto password =
            read_secret_file(*options.password_file, "--rpc-password-file", console);
        return options.user + ":" + std::string(password.begin(), password.end());
    }
    if (options.cookie_file) {
        cookie_.emplace(*options.cookie_file);
    } else if (std::ranges::find(global.given, "--datadir") != global.given.end()) {
        // Where `bitcoin-cli -regtest -datadir=DIR` looks for it.
        GlobalOptions regtest = global;
        regtest.network = table_network("regtest");
        make_network_folder(regtest);
        cookie_.emplace(header_file(regtest).parent_path() / ".cookie");
    } else {
        folder_.emplace();
        cookie_.emplace(folder_->path() / ".cookie");
    }
    return cookie_->credentials();
}

}  // namespace petal::cli
