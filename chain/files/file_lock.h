/// Excludes other processes by an advisory lock on a dedicated lock file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "chain/files/file_descriptor.h"

namespace petal::chain {

/// A lock, held from acquire() until destruction or the end of the process. The lock file stays.
/// Only a holder of the exclusive lock may remove the file, right before releasing the lock. Other
/// processes then lock a new file of the same name.
class FileLock {
public:
    enum class Mode : std::uint8_t {
        shared,     ///< other processes may hold a shared lock
        exclusive,  ///< no other process holds a lock
    };

    /// Creates the file (mode 0600) if missing, and locks it without waiting. Empty if a lock of
    /// another process, or of this process, conflicts. Throws std::system_error if the file can't
    /// be created or locked, or is not a regular file.
    static std::optional<FileLock> acquire(const std::filesystem::path& file, Mode mode);

    /// The file, open for reading and writing.
    const FileDescriptor& opened() const { return descriptor_; }

    /// Makes a shared lock exclusive. Returns false, and stays shared, while other shared locks
    /// exist. The conversion is not atomic (flock(2)): another process may hold the exclusive lock
    /// in between. Throws std::system_error (ESTALE) if the other process removed the lock file,
    /// and so what the lock protects.
    bool make_exclusive();
    /// Makes an exclusive lock shared.
    void make_shared();

private:
    FileLock(FileDescriptor descriptor, std::filesystem::path file)
        : descriptor_(std::move(descriptor)), file_(std::move(file)) {}

    FileDescriptor descriptor_;
    std::filesystem::path file_;
};

/// Locks an open file itself, without a lock file and without waiting. Returns false if another
/// lock conflicts. Any other failure throws std::system_error, which names `file`.
bool lock_at_once(const FileDescriptor& opened, FileLock::Mode mode,
                  const std::filesystem::path& file);
/// Releases the lock of lock_at_once(), even if a memory map keeps the file open.
void unlock(const FileDescriptor& opened);

}  // namespace petal::chain
