/// Files that appear atomically, with their whole content.
#pragma once

#include <filesystem>
#include <optional>

#include "chain/bytes.h"
#include "chain/files/file_descriptor.h"
#include "chain/files/file_lock.h"

namespace petal::chain {

/// A file being written, readable by its owner only (0600). Until keep() it has another name or
/// none, and it is removed if keep() is not called. A killed process leaves only a named draft,
/// which the next NewFile of that name replaces. Throws std::system_error.
class NewFile {
public:
    /// Without a name until keep() (O_TMPFILE). On a file system without such files, e.g. VFAT, the
    /// draft is `file` with .petal-draft appended.
    explicit NewFile(const std::filesystem::path& file);
    /// draft   the name until keep(), in the folder of `file`. An existing file of that name is
    ///         overwritten, unless another NewFile is writing it (device_or_resource_busy)
    NewFile(std::filesystem::path file, std::filesystem::path draft);
    NewFile(const NewFile&) = delete;
    NewFile& operator=(const NewFile&) = delete;
    ~NewFile();

    /// Empty for a file without a name.
    const std::filesystem::path& draft() const { return draft_; }

    /// Appends.
    void write(ByteView bytes);
    /// Gives the file its name, and returns when the name survives a power failure. Throws with
    /// file_exists if there is a file of that name, which stays unchanged; after any other failure
    /// the new file is removed, if possible.
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
