#include "chain/files/lock_holder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>
#include <system_error>

namespace petal::chain {
namespace {

/// Reads proc_pid_stat(5). The process's name, in parentheses, may contain any character.
bool is_stopped(std::int64_t process_id) {
    std::ifstream stream("/proc/" + std::to_string(process_id) + "/stat");
    std::string line;
    std::getline(stream, line);
    const std::size_t name_end = line.rfind(") ");
    return name_end != std::string::npos && line.substr(name_end + 2).starts_with('T');
}

/// Whether the process has the file open. Needed because the device number in /proc/locks differs
/// from stat(2) on some file systems (btrfs).
bool has_open(std::int64_t process_id, const struct stat& file) {
    std::error_code error;
    std::filesystem::directory_iterator descriptors("/proc/" + std::to_string(process_id) + "/fd",
                                                    error);
    for (; !error && descriptors != std::filesystem::end(descriptors);
         descriptors.increment(error)) {
        struct stat opened {};
        const bool is_it = ::stat(descriptors->path().c_str(), &opened) == 0 &&
                           opened.st_ino == file.st_ino && opened.st_dev == file.st_dev;
        if (is_it) return true;
    }
    return false;
}

/// The process in a line of proc_locks(5), if the line is a flock(2) lock on this file:
/// `1: FLOCK  ADVISORY  WRITE 708 00:2f:12718 0 EOF`.
std::optional<std::int64_t> holder_in(const std::string& line, const struct stat& file) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string advice;
    std::string mode;
    std::int64_t process_id = 0;
    std::string place;
    words >> number >> kind >> advice >> mode >> process_id >> place;
    const bool may_be_it = words && kind == "FLOCK" && process_id > 0 &&
                           place.ends_with(":" + std::to_string(file.st_ino));
    return may_be_it && has_open(process_id, file) ? std::optional(process_id) : std::nullopt;
}

}  // namespace

std::optional<LockHolder> find_lock_holder(const std::filesystem::path& file) {
    struct stat status {};
    if (::stat(file.c_str(), &status) != 0) return std::nullopt;
    std::optional<LockHolder> found;
    std::ifstream locks("/proc/locks");
    for (std::string line; std::getline(locks, line);) {
        const auto process_id = holder_in(line, status);
        if (!process_id || *process_id == ::getpid()) continue;
        found = LockHolder{*process_id, is_stopped(*process_id)};
        if (found->is_stopped) break;
    }
    return found;
}

}  // namespace petal::chain
