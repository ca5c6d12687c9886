// Uses flock(2), which is bound to the open file description. Unlike fcntl(2), SQLite's locks or
// closing another descriptor of the file don't release the lock.
#include "chain/files/file_lock.h"

#include <sys/file.h>

#include <string>

#include "chain/files/regular_file.h"

namespace petal::chain {

bool lock_at_once(const FileDescriptor& opened, FileLock::Mode mode,
                  const std::filesystem::path& file) {
    const int operation = mode == FileLock::Mode::exclusive ? LOCK_EX : LOCK_SH;
    while (::flock(opened.number(), operation | LOCK_NB) != 0) {
        if (errno == EWOULDBLOCK) return false;
        if (errno == EINTR) continue;
        throw std::system_error(errno, std::generic_category(), file.string());
    }
    return true;
}

void unlock(const FileDescriptor& opened) {
    ::flock(opened.number(), LOCK_UN);
}

std::optional<FileLock> FileLock::acquire(const std::filesystem::path& file, Mode mode) {
    while (true) {
        FileLock lock{open_regular_file(file, O_RDWR | O_CREAT), file};
        if (!lock_at_once(lock.descriptor_, mode, file)) return std::nullopt;
        // Another process may have removed the file after open(). A third process could then lock a
        // new file of this name.
        if (lock.descriptor_.is_at(file)) return lock;
    }
}

bool FileLock::make_exclusive() {
    const bool is_exclusive = lock_at_once(descriptor_, Mode::exclusive, file_);
    if (!is_exclusive) make_shared();  // a failed conversion loses the lock
    if (!descriptor_.is_at(file_)) {
        throw std::system_error(ESTALE, std::generic_category(), file_.string());
    }
    return is_exclusive;
}

void FileLock::make_shared() {
    while (::flock(descriptor_.number(), LOCK_SH) != 0) {
        if (errno != EINTR) {
            throw std::system_error(errno, std::generic_category(), file_.string());
        }
    }
}

}  // namespace petal::chain
