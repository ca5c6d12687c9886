#include "cli/options/access_warnings.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <string>
#include <system_error>
#include <vector>

#include "cli/data_folder.h"

namespace petal::cli {
namespace {

using std::filesystem::path;

/// How the warnings name a file or folder, and the harm that another user can do in it.
struct Danger {
    std::string kind;
    std::string harm;
};

void warn_of_owner_and_mode(const path& file, const struct stat& status, const Danger& danger,
                            Console& console) {
    if (status.st_uid != geteuid() && status.st_uid != 0) {
        console.warn("the " + danger.kind + " " + file.string() +
                     " belongs to another user, which lets that user " + danger.harm + " in it");
    } else if ((status.st_mode & (S_IWGRP | S_IWOTH)) != 0) {
        console.warn("other users can " + danger.harm + " in " + file.string() +
                     "; chmod go-w makes it yours alone");
    }
}

/// The folders above this one or a file, from the innermost on; above the target as well if it is a
/// link.
std::vector<path> parents_of(const path& of) {
    std::error_code error;
    path given = std::filesystem::absolute(of, error);
    if (!given.has_filename()) given = given.parent_path();
    const path link =
        std::filesystem::weakly_canonical(given.parent_path(), error) / given.filename();
    std::vector<path> parents;
    for (path each : {link, std::filesystem::weakly_canonical(of, error)}) {
        while (each.has_relative_path()) {
            each = each.parent_path();
            if (std::ranges::find(parents, each) == parents.end()) parents.push_back(each);
        }
    }
    return parents;
}

// Folders above are often writable to a group, which may be the user's own.
void warn_of_open_parents(const path& of, const std::string& what, Console& console) {
    for (const path& parent : parents_of(of)) {
        struct stat status {};
        if (stat(parent.c_str(), &status) != 0) continue;
        if ((status.st_mode & S_IWOTH) != 0 && (status.st_mode & S_ISVTX) == 0) {
            console.warn("other users can replace petal's " + what + ", as all may write to " +
                         parent.string());
        }
    }
}

/// Whether others may enter the file's folder. Those that petal makes are closed, and with some
/// users' settings each new file may be written to by its group.
bool can_be_entered(const path& file) {
    struct stat status {};
    return stat(file.parent_path().c_str(), &status) != 0 ||
           (status.st_mode & (S_IXGRP | S_IXOTH)) != 0;
}

}  // namespace

void warn_of_open_folders(const GlobalOptions& global, Console& console) {
    if (global.data_dir.empty()) return;
    warn_of_open_parents(global.data_dir, "folder", console);
    for (const path& folder : data_folders(global)) {
        struct stat status {};
        if (stat(folder.c_str(), &status) != 0) continue;
        warn_of_owner_and_mode(folder, status, {"folder", "replace petal's files"}, console);
    }
}

void warn_of_open_config_file(const path& file, const GlobalOptions& global, Console& console) {
    struct stat status {};
    if (stat(file.c_str(), &status) != 0) return;
    std::error_code error;
    const path real = std::filesystem::weakly_canonical(file, error);
    // A pipe or a terminal may be writable to a group.
    if (S_ISREG(status.st_mode)) {
        if (!can_be_entered(real)) status.st_mode &= ~static_cast<mode_t>(S_IWGRP | S_IWOTH);
        warn_of_owner_and_mode(file, status, {"config file", "change petal's options"}, console);
    }
    // warn_of_open_folders() warns of those above the data folder.
    const path data = std::filesystem::weakly_canonical(global.data_dir, error);
    if (real.parent_path() != data || std::filesystem::is_symlink(file, error)) {
        warn_of_open_parents(file, "config file", console);
    }
}

}  // namespace petal::cli
