/// Folders for files that are nobody else's business.
#pragma once

#include <filesystem>

namespace petal::chain {

/// Makes the folders that are missing on the way to `folder` and itself, for their owner alone
/// (0700), whatever the umask is. Throws std::system_error.
void make_private_folders(const std::filesystem::path& folder);

}  // namespace petal::chain
