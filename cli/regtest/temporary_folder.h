/// A folder that is removed at the end of its lifetime.
#pragma once

#include <filesystem>

namespace petal::cli {

/// A new folder for its owner only among the system's temporary files. The destructor removes it
/// with its contents.
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
