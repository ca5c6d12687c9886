/// The wallets that a node loads at each start.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace petal::cli {

/// The names in `settings.json`, the file where bitcoind stores them (load_on_startup). All other
/// members of the file stay.
class StartupWallets {
public:
    /// Reads the file, which need not exist. Throws InitError if the file is damaged.
    explicit StartupWallets(std::filesystem::path file);

    const std::vector<std::string>& names() const { return names_; }
    /// Adds or removes a name, and writes the file if this is a change. Throws std::system_error.
    void set(const std::string& name, bool is_loaded);

private:
    std::filesystem::path file_;
    std::vector<std::string> names_;
};

}  // namespace petal::cli
