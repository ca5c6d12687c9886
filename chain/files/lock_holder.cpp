#include "chain/files/lock_holder.h"

#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <string>

namespace petal::chain {
namespace {

/// By proc_pid_stat(5). The name, in parentheses, may hold any character.
bool is_stopped(std::int64_t process_id) {
    std::ifstream stream("/proc/" + std::to_string(process_id) + "/stat");
    std::string line;
    std::getline(stream, line);
    const std::size_t name_end = line.rfind(") ");
    return name_end != std::string::npos && line.substr(name_end + 2).starts_with('T');
}

/// The process that a line of proc_locks(5) names, if it holds a lock of flock(2) on this file:
/// `1: FLOCK  ADVISORY  WRITE 708 00:2f:12718 0 EOF`.
std::optional<std::int64_t> holder_in(const std::string& line, const struct stat& file) {
    std::istringstream words(line);
    std::string number;
    std::string kind;
    std::string advice;
    std::string mode;
    std::int64_t process_id = 0;
    unsigned int major_number = 0;
    unsigned int minor_number = 0;
    ino_t inode = 0;
    char colon = 0;
    words >> number >> kind >> advice >> mode >> process_id >> std::hex >> major_number >> colon >>
        minor_number >> colon >> std::dec >> inode;
    const bool is_of_file = words && kind == "FLOCK" && inode == file.st_ino &&
                            makedev(major_number, minor_number) == file.st_dev;
    return is_of_file && process_id > 0 ? std::optional(process_id) : std::nullopt;
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
