/// Keeps processes apart: an advisory lock on a file that is there for nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "chain/files/file_descriptor.h"

namespace petal::chain {

/// Held from acquire() until it is destroyed, or its process ends in whatever way. The file stays.
/// Only a holder of the exclusive lock may remove it, as the last thing that the lock is for: from
/// then on other processes lock another file of the same name.
class FileLock {
public:
    enum class Mode : std::uint8_t {
        shared,     ///< others may share it
        exclusive,  ///< no other process holds it
    };

    /// Makes the file (0600) where it is missing. Nothing while another lock on it, of this process
    /// too, is in the way; throws std::system_error where the file can't be made or locked.
    static std::optional<FileLock> acquire(const std::filesystem::path& file, Mode mode);

    /// Makes a shared lock exclusive. Returns false while others share it; it is shared then. That
    /// is not one step (flock(2)): another process may have had the exclusive lock in between.
    /// Throws std::system_error (ESTALE) if it has removed the file then, with what the lock was
    /// for.
    bool make_exclusive();
    /// Makes an exclusive lock shared.
    void make_shared();

private:
    FileLock(FileDescriptor descriptor, std::filesystem::path file)
        : descriptor_(std::move(descriptor)), file_(std::move(file)) {}

    FileDescriptor descriptor_;
    std::filesystem::path file_;
};

/// Locks an open file by itself. Returns false while another lock on it is in the way. Throws
/// std::system_error, which names `file`, where it can't be locked.
bool lock_at_once(const FileDescriptor& opened, FileLock::Mode mode,
                  const std::filesystem::path& file);

}  // namespace petal::chain
