/// Files that appear atomically with all their content.
#pragma once

#include <filesystem>
#include <optional>

#include "chain/bytes.h"
#include "chain/files/file_descriptor.h"
#include "chain/files/file_lock.h"

namespace petal::chain {

/// A file that is being written, with mode 0600. Until keep(), the file has no name or a draft
/// name. Without keep(), the destructor removes the file. A killed process leaves at most a named
/// draft, which the next NewFile with this draft name replaces. Throws std::system_error.
class NewFile {
public:
    /// Writes an unnamed file (O_TMPFILE). On a file system without unnamed files, e.g. VFAT, the
    /// draft is `file` with .petal-draft appended.
    explicit NewFile(const std::filesystem::path& file);
    /// draft   the name until keep(), in the folder of `file`. Replaces an existing file, unless
    ///         another NewFile is writing it (device_or_resource_busy)
    NewFile(std::filesystem::path file, std::filesystem::path draft);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    /// Empty for an unnamed file.
    const std::filesystem::path& draft() const { return draft_; }

    /// Appends the bytes.
    void write(ByteView bytes);
    /// Gives the file its name, and returns when the name survives a power failure. Throws with
    /// file_exists if a file of this name exists, which stays unchanged. After any other failure,
    /// the new file is removed if possible.
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
