#include "chain/storage/private_folders.h"

#include <sys/stat.h>

#include <cerrno>
#include <system_error>

namespace petal::chain {

void make_private_folders(const std::filesystem::path& folder) {
    const auto fail = [](const std::filesystem::path& path) {
        throw std::system_error(errno, std::generic_category(), path.string());
    };
    std::filesystem::path current;
    for (const std::filesystem::path& part : folder) {
        current /= part;
        struct stat status {};
        if (::stat(current.c_str(), &status) == 0) continue;
        if (errno != ENOENT) fail(current);
        if (::mkdir(current.c_str(), 0700) != 0 && errno != EEXIST) fail(current);
    }
}

std::filesystem::path without_links(const std::filesystem::path& file) {
    const auto folder = std::filesystem::canonical(std::filesystem::absolute(file).parent_path());
    return folder / file.filename();
}

}  // namespace petal::chain
