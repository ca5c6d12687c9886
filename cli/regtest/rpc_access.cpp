#include "cli/regtest/rpc_access.h"

#include <algorithm>
#include <stdexcept>
#include <system_error>

#include "chain/bytes.h"
#include "chain/files/regular_file.h"
#include "chain/storage/new_file.h"
#include "chain/storage/private_files.h"
#include "cli/options/data_folder.h"
#include "cli/options/option_values.h"
#include "cli/regtest/start_node.h"
#include "cli/secrets/secret_input.h"
#include "cli/text/command_error.h"
#include "cli/text/json.h"
#include "cli/text/text.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/rpc_server.h"
#include "regtest/rpc/wallet_method.h"
#include "wallet/keys/randomness.h"

namespace petal::cli {
namespace {

constexpr std::string_view kCookieUser = "__cookie__:";

CommandError unwritable(const std::filesystem::path& file, const std::string& why) {
    return {ExitStatus::failed, "unwritable-file",
            "cookie file " + printable(file.string(), 200) + ": " + why};
}

std::string random_hex(std::size_t bytes) {
    chain::Bytes random(bytes);
    wallet::fill_random(random);
    return chain::to_hex(random);
}

/// The start of a file that may be a cookie, up to a cookie's maximum length.
std::optional<std::string> read_cookie(const std::filesystem::path& file) {
    constexpr std::size_t kMaxCookie = 200;
    try {
        return chain::read_regular_file(file, kMaxCookie);
    } catch (const std::system_error&) {
        return std::nullopt;
    }
}

/// Whether the path is free, an empty file or a cookie.
bool is_place_of_cookie(const std::filesystem::path& file) {
    std::error_code error;
    const auto status = std::filesystem::symlink_status(file, error);
    if (status.type() == std::filesystem::file_type::not_found) return true;
    if (status.type() != std::filesystem::file_type::regular) return false;
    const auto text = read_cookie(file);
    return text && (text->empty() || text->starts_with(kCookieUser));
}

/// Bitcoin Core's clients put a wallet's name into the path. The purse serves all names.
bool is_rpc_path(std::string_view path) {
    return path == "/" || path.starts_with("/wallet/");
}

regtest::HttpAnswer to_http(regtest::rpc::RpcAnswer answer) {
    regtest::HttpAnswer http{answer.status, std::move(answer.body)};
    if (!answer.later) return http;
    http.later = [later = std::move(answer.later)](std::chrono::milliseconds waited) {
        auto answered = later(waited);
        return answered ? std::optional(to_http(*std::move(answered))) : std::nullopt;
    };
    return http;
}

}  // namespace

regtest::HttpAnswer answer_http(regtest::rpc::RpcNode node, const regtest::HttpRequest& request) {
    if (!is_rpc_path(request.path)) return {404, "", /*is_json=*/false};
    node.wallet_name = regtest::rpc::wallet_name_in(request.path);
    const auto call = [node](const std::string& method, const Json& arguments) mutable {
        return regtest::rpc::call_method(node, method, arguments);
    };
    return to_http(regtest::rpc::answer_rpc(request.body, call));
}

void add_rpc_options(CLI::App* app, RpcOptions& options) {
    app->add_option("--rpc", options.port,
                    "answer Bitcoin Core's JSON-RPC on this port of 127.0.0.1 and ::1 (0: any)")
        ->type_name("PORT")
        ->check(whole_number(0, 65'535));
    app->add_option("--rpc-cookie-file", options.cookie_file,
                    "file for user and password (default: in a private folder, or with --datadir "
                    "in DIR/regtest/.cookie)")
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

RpcCookie::RpcCookie(std::filesystem::path file)
    : file_(std::move(file)), credentials_(std::string(kCookieUser) + random_hex(32)) {
    if (!is_place_of_cookie(file_)) throw unwritable(file_, "it is something else than a cookie");
}

/// The password is written to a new file, which is then renamed. No other user can have opened the
/// new file before, and readers never find a part of the cookie.
void RpcCookie::write(std::filesystem::perms permissions) {
    const std::filesystem::path draft = file_.string() + "." + random_hex(4) + ".new";
    try {
        chain::NewFile made(draft);
        made.write(chain::as_bytes(credentials_));
        made.keep();
        std::filesystem::permissions(draft, permissions, std::filesystem::perm_options::add);
        chain::rename_durably(draft, file_);
    } catch (const std::system_error& error) {
        std::error_code ignored;  // the draft may not exist
        std::filesystem::remove(draft, ignored);
        throw unwritable(file_, error.code().message());
    }
}

RpcCookie::~RpcCookie() {
    if (read_cookie(file_) != credentials_) return;
    std::error_code ignored;  // the failure can't be reported any more
    std::filesystem::remove(file_, ignored);
}

RpcAccess::RpcAccess(const RpcOptions& options, const GlobalOptions& global, Console& console,
                     regtest::EmbeddedNode& node, regtest::rpc::NodeSettings& settings) {
    regtest::HttpOptions http;
    http.port = options.port.value();
    http.second_host = "::1";
    http.on_second_host_taken = [&console](std::uint16_t port) {
        console.warn("another program listens on [::1]:" + std::to_string(port) +
                     ": the RPC is on 127.0.0.1 alone");
    };
    http.credentials = credentials(options, global, console);
    const auto answer = [&settings](regtest::RegtestChain& chain, regtest::NodePeers& peers,
                                    const regtest::HttpRequest& request) {
        return answer_http({chain, peers, settings}, request);
    };
    try {
        port_ = node.serve_http(http, answer);
    } catch (const std::runtime_error& error) {
        throw cannot_listen({http.host, http.port}, "--rpc", error);
    }
    if (cookie_) cookie_->write();
}

std::string RpcAccess::credentials(const RpcOptions& options, const GlobalOptions& global,
                                   Console& console) {
    if (options.password_file) {
        const auto password =
            read_secret_file(*options.password_file, "--rpc-password-file", console);
        if (password.empty()) {
            throw CommandError(ExitStatus::failed, "empty-password", "the password is empty");
        }
        return options.user + ":" + std::string(password.begin(), password.end());
    }
    if (options.cookie_file) {
        cookie_.emplace(*options.cookie_file);
    } else if (std::ranges::find(global.given, "--datadir") != global.given.end()) {
        // The path where `bitcoin-cli -regtest -datadir=DIR` looks for the cookie.
        GlobalOptions regtest = global;
        regtest.network = table_network("regtest");
        make_network_folder(regtest);
        cookie_.emplace(data_of(regtest).folder() / ".cookie");
    } else {
        folder_.emplace();
        cookie_.emplace(folder_->path() / ".cookie");
    }
    return cookie_->credentials();
}

}  // namespace petal::cli
