#include "chain/storage/file_trust.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <fstream>
#include <limits>
#include <string_view>
#include <system_error>
#include <vector>

namespace petal::chain {

namespace {

using std::filesystem::path;

constexpr mode_t kOthersWrite = S_IWGRP | S_IWOTH;
constexpr mode_t kOthersEnter = S_IXGRP | S_IXOTH;
constexpr std::uint32_t kNobody = 65'534;

/// Whether this process is in a user namespace (user_namespaces(7)), e.g. a container, that does
/// not map all users. Files of unmapped users, including root, are then shown as owned by "nobody".
bool hides_users() {
    std::ifstream map("/proc/self/uid_map");
    std::uint32_t first = 0;
    std::uint32_t outside = 0;
    std::uint32_t count = 0;
    map >> first >> outside >> count;
    return map && count != std::numeric_limits<std::uint32_t>::max();
}

/// The user who called sudo, if this process runs as root.
std::optional<std::uint32_t> sudo_user() {
    const char* const text = ::geteuid() == 0 ? std::getenv("SUDO_UID") : nullptr;
    if (text == nullptr) return std::nullopt;
    const std::string_view digits = text;
    std::uint32_t user = 0;
    const auto read = std::from_chars(digits.data(), digits.data() + digits.size(), user);
    const bool is_number = read.ec == std::errc{} && read.ptr == digits.data() + digits.size();
    return is_number ? std::optional(user) : std::nullopt;
}

std::optional<Distrust> judge_parent(const path& folder, const struct stat& status) {
    const bool is_hidden = status.st_uid == kNobody && hides_users();
    if (!is_trusted_owner(status.st_uid) && !is_hidden) {
        return Distrust{folder, TrustFlaw::foreign_parent};
    }
    const bool is_of_own_group = status.st_gid == ::getegid() || status.st_gid == 0;
    const mode_t writers = is_of_own_group ? S_IWOTH : S_IWGRP | S_IWOTH;
    const bool is_open = (status.st_mode & writers) != 0 && (status.st_mode & S_ISVTX) == 0;
    if (is_open) return Distrust{folder, TrustFlaw::open_parent};
    return std::nullopt;
}

/// The folders above, the outermost first.
std::vector<path> parents_of(const path& of) {
    std::vector<path> parents;
    for (path each = of; each.has_relative_path();) {
        each = each.parent_path();
        parents.push_back(each);
    }
    std::ranges::reverse(parents);
    return parents;
}

struct Parents {
    std::optional<Distrust> distrust;
    bool is_closed = false;  ///< other users may not enter one of the folders
};

Parents judge_parents(const path& of) {
    Parents judged;
    for (const path& folder : parents_of(of)) {
        struct stat status {};
        if (::stat(folder.c_str(), &status) != 0) continue;
        judged.distrust = judge_parent(folder, status);
        // Other users cannot reach a file below a closed folder, so the file's mode does not
        // matter.
        if (judged.is_closed && judged.distrust &&
            judged.distrust->flaw == TrustFlaw::open_parent) {
            judged.distrust.reset();
        }
        if (judged.distrust) return judged;
        if ((status.st_mode & kOthersEnter) == 0) judged.is_closed = true;
    }
    return judged;
}

/// status   null if the target does not exist
std::optional<Distrust> judge(const path& target, const struct stat* status) {
    std::error_code error;
    path given = std::filesystem::absolute(target, error);
    if (!given.has_filename()) given = given.parent_path();
    const path link =
        std::filesystem::weakly_canonical(given.parent_path(), error) / given.filename();
    const Parents of_link = judge_parents(link);
    if (of_link.distrust) return of_link.distrust;
    const Parents of_target = judge_parents(std::filesystem::weakly_canonical(given, error));
    if (of_target.distrust) return of_target.distrust;
    if (status == nullptr) return std::nullopt;
    if (!is_trusted_owner(status->st_uid)) return Distrust{target, TrustFlaw::foreign_owner};
    const bool has_mode = !S_ISCHR(status->st_mode) && !S_ISBLK(status->st_mode);
    const bool is_writable = has_mode && (status->st_mode & kOthersWrite) != 0;
    if (is_writable && !of_target.is_closed) return Distrust{target, TrustFlaw::writable_by_others};
    return std::nullopt;
}

}  // namespace

bool is_trusted_owner(std::uint32_t user) {
    return user == ::geteuid() || user == 0 || user == sudo_user();
}

std::optional<Distrust> find_distrust(const path& target) {
    struct stat status {};
    const bool exists = ::stat(target.c_str(), &status) == 0;
    return judge(target, exists ? &status : nullptr);
}

std::optional<Distrust> find_distrust(const FileDescriptor& opened, const path& target) {
    struct stat status {};
    if (::fstat(opened.number(), &status) != 0) {
        throw std::system_error(errno, std::generic_category(), target.string());
    }
    return judge(target, &status);
}

}  // namespace petal::chain
