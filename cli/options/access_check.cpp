#include "cli/options/access_check.h"

#include <filesystem>
#include <set>
#include <vector>

#include "cli/options/data_folder.h"

namespace petal::cli {
namespace {

/// The folders and files that hold the data of the options' network and wallets, from the outside
/// in.
std::vector<std::filesystem::path> data_places(const GlobalOptions& global) {
    std::vector<std::filesystem::path> places;
    if (global.data_dir.empty()) return places;
    for (const auto& folder : data_of(global).folders()) places.push_back(folder);
    places.push_back(wallet_file(global));
    for (const std::string& wallet : global.wallets)
        places.push_back(data_of(global).wallet_file(wallet));
    return places;
}

}  // namespace

std::string describe(const chain::Distrust& distrust) {
    using enum chain::TrustFlaw;
    const std::string path = distrust.path.string();
    switch (distrust.flaw) {
        case foreign_owner:
            return path + " belongs to another user";
        case writable_by_others:
            return "other users can write to " + path + "; chmod go-w makes it yours alone";
        case foreign_parent:
            return path + " belongs to another user, who can replace what is below it";
        case open_parent:
            break;
    }
    return "other users can replace what is below " + path +
           ", as they may write to it; chmod go-w makes it yours alone";
}

CommandError unsafe_files_error(const chain::Distrust& distrust) {
    return {ExitStatus::failed, "unsafe-files",
            describe(distrust) + "; " + kAllowUnsafeFiles + " uses it all the same"};
}

void refuse_unsafe_folders(const GlobalOptions& global) {
    if (global.allow_unsafe_files) return;
    for (const auto& place : data_places(global)) {
        if (const auto distrust = chain::find_distrust(place)) throw unsafe_files_error(*distrust);
    }
}

void warn_of_unsafe_folders(const GlobalOptions& global, Console& console) {
    std::set<std::string> warnings;  // several places have common folders above
    for (const auto& place : data_places(global)) {
        const auto distrust = chain::find_distrust(place);
        if (!distrust) continue;
        const std::string warning = describe(*distrust);
        if (warnings.insert(warning).second) console.warn(warning);
    }
}

}  // namespace petal::cli
