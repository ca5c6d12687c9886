#include "chain/storage/private_files.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

#include "chain/bytes.h"
#include "chain/files/file_descriptor.h"
#include "chain/files/file_lock.h"
#include "chain/files/regular_file.h"
#include "chain/files/write_all.h"

namespace petal::chain {

namespace {

[[noreturn]] void fail(const std::filesystem::path& path) {
    throw std::system_error(errno, std::generic_category(), path.string());
}

/// The open folder of a file.
class Folder {
public:
    explicit Folder(const std::filesystem::path& file)
        : path_(file.has_parent_path() ? file.parent_path() : std::filesystem::path(".")),
          descriptor_(path_, O_RDONLY | O_DIRECTORY) {}

    void sync() const {
        // Some file systems support fsync(2) for files only (EINVAL).
        if (::fsync(descriptor_.number()) != 0 && errno != EINVAL) fail(path_);
    }

private:
    std::filesystem::path path_;
    FileDescriptor descriptor_;
};

}  // namespace

void make_private_folders(const std::filesystem::path& folder) {
    std::filesystem::path current;
    for (const std::filesystem::path& part : folder) {
        current /= part;
        if (is_there(current)) continue;
        if (::mkdir(current.c_str(), 0700) != 0 && errno != EEXIST) fail(current);
    }
}

void make_private_file(const std::filesystem::path& file) {
    const FileDescriptor made(file, O_RDWR | O_CREAT | O_EXCL);
}

void ensure_private_file(const std::filesystem::path& file) {
    const FileDescriptor descriptor = open_regular_file(file, O_RDWR | O_CREAT);
    if (::fchmod(descriptor.number(), 0600) != 0) fail(file);
}

void replace_private_file(const std::filesystem::path& file, std::string_view text) {
    std::filesystem::path fresh = file;
    fresh += ".new";
    // Two processes that write at the same time would mix their texts.
    const auto lock = FileLock::acquire(fresh, FileLock::Mode::exclusive);
    if (!lock) throw std::system_error(EBUSY, std::generic_category(), fresh.string());
    const int out = lock->opened().number();
    if (::fchmod(out, 0600) != 0 || ::ftruncate(out, 0) != 0) fail(fresh);
    write_all(lock->opened(), as_bytes(text), fresh);
    // Otherwise the rename may reach the disk before the text.
    if (::fdatasync(out) != 0) fail(fresh);
    std::filesystem::rename(fresh, file);
}

std::filesystem::path without_links(const std::filesystem::path& file) {
    const auto folder = std::filesystem::canonical(std::filesystem::absolute(file).parent_path());
    return folder / file.filename();
}

bool is_there(const std::filesystem::path& path) {
    struct stat status {};
    if (::stat(path.c_str(), &status) == 0) return true;
    if (errno != ENOENT) fail(path);
    return false;
}

void rename_durably(const std::filesystem::path& from, const std::filesystem::path& to) {
    const Folder folder(to);  // may throw, so opened before the rename
    std::filesystem::rename(from, to);
    try {
        folder.sync();
    } catch (const std::system_error&) {
        // Otherwise a failure would be reported although the file has the new name.
        std::error_code ignored;
        std::filesystem::rename(to, from, ignored);
        throw;
    }
}

void rename_to_new(const std::filesystem::path& from, const std::filesystem::path& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return;
    if (errno != EINVAL && errno != ENOSYS) fail(to);
    struct stat status {};
    if (::lstat(to.c_str(), &status) == 0) {
        errno = EEXIST;
        fail(to);
    }
    std::filesystem::rename(from, to);
}

void sync_folder_of(const std::filesystem::path& file) {
    Folder(file).sync();
}

}  // namespace petal::chain
