/// A folder that is gone afterwards.
#pragma once

#include <filesystem>

namespace petal::cli {

/// A new folder for its owner alone in the system's place for temporary files, removed with all
/// that is in it when this is destroyed.
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
