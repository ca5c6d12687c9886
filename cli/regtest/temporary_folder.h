/// A folder that the destructor removes.
#pragma once

#include <filesystem>

namespace petal::cli {

/// A new folder among the system's temporary files, accessible to the owner only. The destructor
/// removes the folder with all contents.
class TemporaryFolder {
public:
    /// Throws std::system_error.
    TemporaryFolder();
    ~TemporaryFolder();
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

}  // namespace petal::cli
