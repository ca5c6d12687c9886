/// Files that are there whole or not at all.
#pragma once

#include <filesystem>
#include <optional>

#include "chain/bytes.h"
#include "chain/files/file_descriptor.h"
#include "chain/files/file_lock.h"

namespace petal::chain {

/// A file in the making, for its owner alone (0600). Until keep() it has another name or none, and
/// it is removed where keep() is not reached; only one with a name is left behind by a process that
/// is killed, and the next NewFile of that name takes its place. Throws std::system_error where the
/// system refuses.
class NewFile {
public:
    /// Without a name until then (O_TMPFILE). On a file system that has no such files, as VFAT, its
    /// name is that of `file` with .petal-draft behind it.
    explicit NewFile(std::filesystem::path file);
    /// draft   the name until then, in the folder of `file`: whatever has it is overwritten, but a
    ///         file that another NewFile is making (device_or_resource_busy)
    NewFile(std::filesystem::path file, std::filesystem::path draft);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    /// Empty for a file without a name.
    const std::filesystem::path& draft() const { return draft_; }

    /// Appends.
    void write(ByteView bytes);
    /// Gives the file its name, and returns when power can't undo that any more. Throws with
    /// file_exists if there is a file of that name, which stays as it is.
    void keep();

private:
    struct Draft;
    NewFile(std::filesystem::path file, Draft draft);

    std::filesystem::path file_;
    std::filesystem::path draft_;
    std::optional<FileLock> lock_;  ///< of the draft's name
    FileDescriptor descriptor_;
    bool kept_ = false;
};

}  // namespace petal::chain
