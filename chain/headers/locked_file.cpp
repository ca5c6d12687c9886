// Files through POSIX calls.
#include "chain/headers/locked_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cassert>
#include <cerrno>
#include <cstdio>
#include <string>
#include <system_error>
#include <utility>

#include "chain/files/file_lock.h"
#include "chain/files/write_all.h"
#include "chain/headers/header_file_error.h"

namespace petal::chain {

namespace {

// Non-blocking, so that opening a FIFO in the file's place fails instead of waiting.
constexpr int kOpenFlags = O_NONBLOCK | O_NOFOLLOW;
constexpr std::size_t kCopyBytes = 1'000'000;
// Larger than the number of times that a file can be replaced while it is opened.
constexpr int kMaxOpens = 10;

}  // namespace

LockedFile::LockedFile(std::filesystem::path path, FileAccess access)
    : path_(std::move(path)), read_only_(access == FileAccess::read), descriptor_(open()) {
    lock();
    // Another process may have replaced the file between open and lock.
    for (int opens = 1; !read_only_ && !is_still_linked(); ++opens) {
        if (opens == kMaxOpens) {
            throw HeaderFileError("cannot open " + path_.string() +
                                  ": it is replaced all the time");
        }
        descriptor_ = open();
        lock();
    }
}

FileDescriptor LockedFile::open() const {
    try {
        return FileDescriptor(path_, kOpenFlags | (read_only_ ? O_RDONLY : O_RDWR | O_CREAT));
    } catch (const std::system_error& error) {
        if (error.code().value() != ELOOP) fail("open", error.code().value());
        throw HeaderFileError("cannot use " + path_.string() + ": it is a symbolic link");
    }
}

bool LockedFile::is_still_linked() const {
    try {
        return descriptor_.is_at(path_);
    } catch (const std::system_error&) {
        return false;
    }
}

LockedFile::~LockedFile() {
    // A mapped file stays locked after close().
    unlock(descriptor_);
}

void LockedFile::lock() {
    struct stat status {};
    if (::fstat(descriptor(), &status) != 0) fail("read", errno);
    if (!S_ISREG(status.st_mode)) {
        throw HeaderFileError("cannot use " + path_.string() + ": it is not a regular file");
    }
    if (read_only_) return;
    try {
        read_only_ = !lock_at_once(descriptor_, FileLock::Mode::exclusive, path_);
    } catch (const std::system_error& error) {
        fail("lock", error.code().value());
    }
}

std::size_t LockedFile::size() const {
    struct stat status {};
    if (::fstat(descriptor(), &status) != 0) fail("read", errno);
    return static_cast<std::size_t>(status.st_size);
}

Bytes LockedFile::read(std::size_t offset, std::size_t size) const {
    const std::size_t end = this->size();
    Bytes bytes(offset < end ? std::min(size, end - offset) : 0);
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t count = ::pread(descriptor(), bytes.data() + done, bytes.size() - done,
                                      static_cast<off_t>(offset + done));
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) fail("read", errno);
        if (count == 0) break;
        done += static_cast<std::size_t>(count);
    }
    bytes.resize(done);
    return bytes;
}

void LockedFile::write(std::size_t offset, ByteView bytes) {
    try {
        write_all(descriptor_, bytes, path_, offset);
    } catch (const std::system_error& error) {
        fail("write", error.code().value());
    }
}

void LockedFile::truncate(std::size_t size) {
    if (::ftruncate(descriptor(), static_cast<off_t>(size)) != 0) fail("write", errno);
}

void LockedFile::replace(const std::filesystem::path& path,
                         const std::function<void(LockedFile&)>& fill) {
    try {
        truncate(0);
        fill(*this);
        rename(path);
    } catch (...) {
        std::error_code not_there;
        std::filesystem::remove(path_, not_there);
        throw;
    }
}

void LockedFile::replace_by_start(std::size_t size) {
    LockedFile draft{draft_path(path_)};
    draft.replace(path_, [this, size](LockedFile& copy) {
        for (std::size_t done = 0; done < size;) {
            const Bytes bytes = read(done, std::min(size - done, kCopyBytes));
            assert(!bytes.empty());
            copy.write(done, bytes);
            done += bytes.size();
        }
        copy.sync();
    });
    std::swap(descriptor_, draft.descriptor_);
}

void LockedFile::sync() {
    if (::fdatasync(descriptor()) != 0) fail("write", errno);
}

void LockedFile::rename(const std::filesystem::path& path) {
    if (::rename(path_.c_str(), path.c_str()) != 0) fail("rename", errno);
    path_ = path;
}

void LockedFile::fail(const char* verb, int error) const {
    const std::string why = std::generic_category().message(error);
    throw HeaderFileError(std::string("cannot ") + verb + ' ' + path_.string() + ": " + why);
}

MappedFile::MappedFile(int descriptor, std::size_t bytes) : size_(bytes) {
    assert(bytes > 0);
    void* const address = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, descriptor, 0);
    if (address == MAP_FAILED) {
        throw HeaderFileError("cannot map a file of headers into memory: " +
                              std::generic_category().message(errno));
    }
    bytes_ = static_cast<const Byte*>(address);
}

void MappedFile::release_pages() const {
    ::madvise(const_cast<Byte*>(bytes_), size_, MADV_DONTNEED);  // a failure only costs memory
}

MappedFile::~MappedFile() {
    ::munmap(const_cast<Byte*>(bytes_), size_);
}

}  // namespace petal::chain
