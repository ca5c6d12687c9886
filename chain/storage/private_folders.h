/// Folders for files that only their owner may read.
#pragma once

#include <filesystem>

namespace petal::chain {

/// Makes the folders that are missing on the way to `folder` and itself, for their owner alone
/// (0700), whatever the umask is. Throws std::system_error.
void make_private_folders(const std::filesystem::path& folder);

/// The file's path without symbolic links among its folders, as SQLITE_OPEN_NOFOLLOW refuses those,
/// too. Throws std::system_error where the folder is not there.
std::filesystem::path without_links(const std::filesystem::path& file);

}  // namespace petal::chain
