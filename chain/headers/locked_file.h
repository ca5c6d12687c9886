/// Files that are read and written at offsets, locked, and mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>

#include "chain/bytes.h"
#include "chain/files/file_descriptor.h"

namespace petal::chain {

enum class FileAccess : std::uint8_t {
    write,  ///< also readable, created if missing, and locked
    read,   ///< not locked, so that another process can lock the file
};

/// An open file. All functions throw HeaderFileError on failure.
class LockedFile {
public:
    /// Opens or creates the file (mode 0600), which must not be a symbolic link. Locks the file
    /// unless another process holds the lock. If another process replaces the file between opening
    /// and locking, opens the new file.
    explicit LockedFile(std::filesystem::path path, FileAccess access = FileAccess::write);
    ~LockedFile();
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    int descriptor() const { return descriptor_.number(); }
    /// Whether another process holds the lock, or the file was opened with FileAccess::read.
    bool is_read_only() const { return read_only_; }
    /// Whether the path still names this file, which another process may have replaced. False if
    /// stat(2) fails.
    bool is_still_linked() const;

    std::size_t size() const;
    /// Reads `size` bytes, or fewer at the end of the file.
    Bytes read(std::size_t offset, std::size_t size) const;
    void write(std::size_t offset, ByteView bytes);
    void truncate(std::size_t size);
    /// Truncates this file, fills it, and renames it to `path`, replacing the file there. On
    /// failure removes this file, which may have filled the disk.
    void replace(const std::filesystem::path& path, const std::function<void(LockedFile&)>& fill);
    /// Shortens the file by replacing it with a copy of its first bytes, through `PATH.new`. A
    /// process that has mapped the old file can still read all its bytes. Truncation would kill
    /// this process (SIGBUS).
    void replace_by_start(std::size_t size);
    /// The path of a file that will replace the file at `path`: `PATH.new`.
    static std::filesystem::path draft_path(std::filesystem::path path) { return path += ".new"; }
    /// Renames the file, replacing any file of that name.
    void rename(const std::filesystem::path& path);
    /// Waits until all data is on the disk.
    void sync();

private:
    FileDescriptor open() const;
    void lock();
    [[noreturn]] void fail(const char* verb, int error) const;

    std::filesystem::path path_;
    bool read_only_;
    FileDescriptor descriptor_;
};

/// The first bytes of a file, mapped into memory. The bytes stay valid even if the file is
/// unlinked.
class MappedFile {
public:
    /// Maps `bytes` bytes, at least one and at most the file's size. Throws HeaderFileError.
    MappedFile(int descriptor, std::size_t bytes);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    ByteView view() const { return {bytes_, size_}; }

    /// Releases the memory of the pages. The next access reads them from the file again.
    void release_pages() const;

private:
    const Byte* bytes_;
    std::size_t size_;
};

}  // namespace petal::chain
