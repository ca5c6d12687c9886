/// Keeps processes apart: an advisory lock on a file that is there for nothing else.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>

#include "chain/storage/file_descriptor.h"

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

    /// Makes a shared lock exclusive. Returns false while others share it; it is shared then.
    bool make_exclusive();
    void make_shared();

private:
    explicit FileLock(FileDescriptor descriptor) : descriptor_(std::move(descriptor)) {}

    FileDescriptor descriptor_;
};

}  // namespace petal::chain
