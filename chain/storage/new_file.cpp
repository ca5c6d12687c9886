#include "chain/storage/new_file.h"

#include <string>

#include "chain/files/regular_file.h"
#include "chain/files/write_all.h"
#include "chain/storage/private_files.h"

namespace petal::chain {

namespace {

[[noreturn]] void throw_file_error(const std::filesystem::path& file) {
    throw std::system_error(errno, std::generic_category(), file.string());
}

FileLock lock_draft(const std::filesystem::path& draft) {
    auto lock = FileLock::acquire(draft, FileLock::Mode::exclusive);
    if (lock) return *std::move(lock);
    throw std::system_error(EBUSY, std::generic_category(), draft.string());
}

FileDescriptor open_draft(const std::filesystem::path& draft) {
    ensure_private_file(draft);  // a killed process may have left it
    return open_regular_file(draft, O_WRONLY | O_TRUNC);
}

/// The path through which linkat(2) names an unnamed file.
std::string link_of(const FileDescriptor& descriptor) {
    return "/proc/self/fd/" + std::to_string(descriptor.number());
}

/// Empty if the system or the file system does not support unnamed files. If the call fails for
/// another reason, creating a named file will fail for the same reason.
std::optional<FileDescriptor> open_unnamed(const std::filesystem::path& folder) {
    try {
        FileDescriptor descriptor(folder, O_WRONLY | O_TMPFILE);
        if (::access(link_of(descriptor).c_str(), F_OK) == 0) return descriptor;
    } catch (const std::system_error&) {
        return std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

struct NewFile::Draft {
    std::filesystem::path name;
    std::optional<FileLock> lock;
    FileDescriptor descriptor;

    static Draft named(std::filesystem::path name) {
        FileLock lock = lock_draft(name);
        FileDescriptor descriptor = open_draft(name);
        return {std::move(name), std::move(lock), std::move(descriptor)};
    }
    static Draft of(const std::filesystem::path& file) {
        const auto folder = file.parent_path();
        auto unnamed = open_unnamed(folder.empty() ? "." : folder);
        if (unnamed) return {{}, std::nullopt, *std::move(unnamed)};
        return named(file.string() + ".petal-draft");
    }
};

NewFile::NewFile(std::filesystem::path file, Draft draft)
    : file_(std::move(file)),
      draft_(std::move(draft.name)),
      lock_(std::move(draft.lock)),
      descriptor_(std::move(draft.descriptor)) {}

NewFile::NewFile(std::filesystem::path file, std::filesystem::path draft)
    : NewFile(std::move(file), Draft::named(std::move(draft))) {}

NewFile::NewFile(const std::filesystem::path& file) : NewFile(file, Draft::of(file)) {}

NewFile::~NewFile() {
    if (kept_ || draft_.empty()) return;
    std::error_code ignored;  // a leftover file does no harm
    std::filesystem::remove(draft_, ignored);
}

void NewFile::write(ByteView bytes) {
    write_all(descriptor_, bytes, file_);
}

void NewFile::keep() {
    if (::fsync(descriptor_.number()) != 0) throw_file_error(file_);
    if (!draft_.empty()) {
        rename_to_new(draft_, file_);
    } else if (::linkat(AT_FDCWD, link_of(descriptor_).c_str(), AT_FDCWD, file_.c_str(),
                        AT_SYMLINK_FOLLOW) != 0) {
        throw_file_error(file_);
    }
    kept_ = true;
    try {
        sync_folder_of(file_);
    } catch (const std::system_error&) {
        // Otherwise a failure would be reported although the file exists.
        std::error_code ignored;
        std::filesystem::remove(file_, ignored);
        throw;
    }
}

}  // namespace petal::chain
