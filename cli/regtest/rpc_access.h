/// The options, credentials and port of a node's JSON-RPC.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "cli/options/command_entry.h"
#include "cli/options/options.h"
#include "cli/regtest/temporary_folder.h"
#include "cli/terminal/console.h"
#include "regtest/rpc/rpc_node.h"
#include "regtest/serve/embedded_node.h"

namespace petal::cli {

/// The JSON-RPC options of `regtest-node`.
struct RpcOptions {
    std::optional<std::uint16_t> port;  ///< 0 for any free port
    std::optional<std::filesystem::path> cookie_file;
    std::string user;  ///< instead of a cookie
    std::optional<std::filesystem::path> password_file;
};

/// Adds --rpc and related options.
void add_rpc_options(CLI::App* app, RpcOptions& options);

/// Throws CommandError for options that do not belong together.
void check_rpc_options(const RpcOptions& options);

/// Answers a request to the JSON-RPC interface of a node. On the node's thread.
regtest::HttpAnswer answer_http(regtest::rpc::RpcNode node, const regtest::HttpRequest& request);

/// A file with a user and a new password, for programs of the same user, like Bitcoin Core's
/// .cookie. The destructor removes the file, unless a second node has replaced the file.
class RpcCookie {
public:
    /// Throws CommandError `unwritable-file` if the path has a file that is not a cookie.
    explicit RpcCookie(std::filesystem::path file);
    ~RpcCookie();
    RpcCookie(const RpcCookie&) = delete;
    RpcCookie& operator=(const RpcCookie&) = delete;

    /// Writes the file, replacing a leftover cookie. Call this only after the node listens. Before,
    /// a second node may have the port and the cookie. Throws CommandError `unwritable-file`.
    /// permissions   in addition to those of the owner
    void write(std::filesystem::perms permissions = std::filesystem::perms::none);

    const std::filesystem::path& file() const { return file_; }
    /// `__cookie__:PASSWORD`, 64 hexadecimal digits.
    const std::string& credentials() const { return credentials_; }

private:
    std::filesystem::path file_;
    std::string credentials_;
};

/// Serves the JSON-RPC interface of a node until the destructor. The settings must outlive the
/// node.
class RpcAccess {
public:
    /// Throws CommandError.
    /// options   with a port
    RpcAccess(const RpcOptions& options, const GlobalOptions& global, Console& console,
              regtest::EmbeddedNode& node, regtest::rpc::NodeSettings& settings);

    std::uint16_t port() const { return port_; }
    /// The cookie file. Empty if a user and a password were given.
    std::string cookie_file() const { return cookie_ ? cookie_->file().string() : ""; }

private:
    std::string credentials(const RpcOptions& options, const GlobalOptions& global,
                            Console& console);

    std::optional<TemporaryFolder> folder_;  // for the cookie, if no file was named
    std::optional<RpcCookie> cookie_;
    std::uint16_t port_ = 0;
};

}  // namespace petal::cli
