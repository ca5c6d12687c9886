#include "regtest/wallets/wallet_names.h"

#include <algorithm>
#include <system_error>

namespace petal::regtest::wallets {
namespace {

namespace fs = std::filesystem;

/// The longest name of a file on common file systems, and a limit for the whole path.
constexpr std::size_t kMaxPart = 255;
constexpr std::size_t kMaxName = 1'024;
/// Folders below the folder of all wallets are searched to this depth.
constexpr int kMaxDepth = 4;

}  // namespace

bool is_wallet_folder(const fs::path& folder) {
    std::error_code ignored;  // an unreadable folder is no wallet
    return fs::is_regular_file(folder / kWalletFile, ignored) ||
           fs::is_regular_file(folder / kFlagsFile, ignored);
}

std::optional<std::string> find_name_fault(const std::string& name) {
    if (name.find('\0') != std::string::npos) return "Wallet name contains a null character";
    if (name.size() > kMaxName) return "Wallet name is too long";
    const fs::path path(name);
    if (path.is_absolute()) {
        return "Wallet name must be relative to the folder of the wallets, not an absolute path";
    }
    if (path.native() != path.lexically_normal().native()) {
        return "Wallet name given as a path must be normalized";
    }
    for (const fs::path& part : path) {
        if (part == "." || part == "..") {
            return "Wallet name given as a relative path cannot begin with ./ or ../, for wallets "
                   "not in the walletdir, please use an absolute path.";
        }
        if (part.empty()) return "Wallet name given as a path must be normalized";
        if (part.native().size() > kMaxPart) return "Wallet name is too long";
    }
    return std::nullopt;
}

std::vector<std::string> list_wallet_names(const fs::path& folder) {
    std::vector<std::string> names;
    std::error_code error;
    if (is_wallet_folder(folder)) names.emplace_back();
    const auto options = fs::directory_options::skip_permission_denied;
    auto entry = fs::recursive_directory_iterator(folder, options, error);
    const fs::recursive_directory_iterator end;
    while (!error && entry != end) {
        if (is_wallet_folder(entry->path())) {
            names.push_back(entry->path().lexically_relative(folder).string());
        }
        if (entry.depth() >= kMaxDepth) entry.disable_recursion_pending();
        entry.increment(error);
    }
    std::ranges::sort(names);
    return names;
}

}  // namespace petal::regtest::wallets
