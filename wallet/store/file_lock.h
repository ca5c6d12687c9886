/// One process at a time: an advisory lock on a file that is there for nothing else.
#pragma once

#include <filesystem>
#include <optional>

namespace petal::wallet {

/// Held from acquire() until it is destroyed, or its process ends in whatever way. The file stays:
/// removing it would let a third process lock another file of the same name.
class FileLock {
public:
    /// Makes the file (0600) where it is missing. Nothing while someone else holds the lock, in
    /// this process too; throws std::system_error where the file can't be made or locked.
    static std::optional<FileLock> acquire(const std::filesystem::path& file);

    FileLock(FileLock&& other) noexcept;
    FileLock& operator=(FileLock&& other) noexcept;
    ~FileLock();

private:
    explicit FileLock(int descriptor) : descriptor_(descriptor) {}

    int descriptor_ = -1;
};

}  // namespace petal::wallet
