#include "cli/bitcoind/startup_wallets.h"

#include <algorithm>
#include <cerrno>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "chain/files/regular_file.h"
#include "cli/bitcoind/init_error.h"

namespace petal::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t kMaxBytes = 1'000'000;
constexpr const char* kWallet = "wallet";

InitError damaged_settings(const std::filesystem::path& file) {
    return InitError("Settings file could not be read: Settings file " + file.string() +
                     " does not contain valid JSON. This is probably caused by disk corruption or "
                     "a crash, and can be fixed by removing the file, which will reset settings to "
                     "default values.");
}

/// An empty object without a file.
Json read_settings(const std::filesystem::path& file) {
    if (!std::filesystem::exists(file)) return Json::object();
    const std::string text = chain::read_regular_file(file, kMaxBytes);
    Json json = Json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object()) throw damaged_settings(file);
    return json;
}

}  // namespace

StartupWallets::StartupWallets(std::filesystem::path file) : file_(std::move(file)) {
    const Json json = read_settings(file_);
    const auto wallets = json.find(kWallet);
    if (wallets == json.end()) return;
    const bool is_list = wallets->is_array() && std::ranges::all_of(*wallets, [](const Json& name) {
                             return name.is_string();
                         });
    if (!is_list) throw damaged_settings(file_);
    for (const Json& name : *wallets) names_.push_back(name.get<std::string>());
}

void StartupWallets::set(const std::string& name, bool is_loaded) {
    const auto known = std::ranges::find(names_, name);
    if ((known != names_.end()) == is_loaded) return;
    if (is_loaded) {
        names_.push_back(name);
    } else {
        names_.erase(known);
    }
    Json json = read_settings(file_);
    json[kWallet] = names_;
    const std::filesystem::path draft = file_.string() + ".tmp";
    std::ofstream out(draft, std::ios::trunc);
    out << json.dump(4, ' ', false, Json::error_handler_t::replace) << std::endl;
    if (!out) throw std::system_error(errno, std::generic_category(), draft.string());
    out.close();
    std::filesystem::rename(draft, file_);
}

}  // namespace petal::cli
