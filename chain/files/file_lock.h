/// Excludes other processes by an advisory lock on a dedicated lock file.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "chain/files/file_descriptor.h"

namespace petal::chain {

/// Held from acquire() until it is destroyed or its process ends, even by a signal. The file stays.
/// Only a holder of the exclusive lock may remove the file, right before it releases the lock.
/// Other processes then lock a new file of the same name.
class FileLock {
public:
    enum class Mode : std::uint8_t {
        shared,     ///< other processes may hold a shared lock, too
        exclusive,  ///< no other process holds it
    };

    /// Creates the file (0600) if it does not exist. Nothing while another lock on it, even one of
    /// this process, conflicts. Throws std::system_error if the file can't be created or locked, or
    /// is not a regular file.
    static std::optional<FileLock> acquire(const std::filesystem::path& file, Mode mode);

    /// The file, open for reading and writing.
    const FileDescriptor& opened() const { return descriptor_; }

    /// Makes a shared lock exclusive. Returns false while other shared locks exist; this lock then
    /// stays shared. The conversion is not atomic (flock(2)): another process may have held the
    /// exclusive lock in between. Throws std::system_error (ESTALE) if that process removed the
    /// lock file, and so what it protects.
    bool make_exclusive();
    /// Makes an exclusive lock shared.
    void make_shared();

private:
    FileLock(FileDescriptor descriptor, std::filesystem::path file)
        : descriptor_(std::move(descriptor)), file_(std::move(file)) {}

    FileDescriptor descriptor_;
    std::filesystem::path file_;
};

/// Locks an open file itself, without a lock file. Returns false while another lock on it
/// conflicts. Throws std::system_error, which names `file`, if it can't be locked.
bool lock_at_once(const FileDescriptor& opened, FileLock::Mode mode,
                  const std::filesystem::path& file);
/// Ends that lock, even if a map keeps the file open.
void unlock(const FileDescriptor& opened);

}  // namespace petal::chain
