/// Files as the system gives them: read and written at offsets, locked, mapped into memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>

#include "chain/bytes.h"
#include "chain/files/file_descriptor.h"

namespace petal::chain {

enum class FileAccess : std::uint8_t {
    write,  ///< read too, made where it is missing, and locked
    read,   ///< not locked, so that no other process finds it locked
};

/// An open file; each failure is a HeaderFileError. Closed at its end.
class LockedFile {
public:
    /// Opens or makes the file (mode 0600), which is no symbolic link, and locks it unless another
    /// process has done so. Where it is locked, it is the one that is called so, and not one that
    /// was replaced meanwhile.
    explicit LockedFile(std::filesystem::path path, FileAccess access = FileAccess::write);
    ~LockedFile();
    LockedFile(const LockedFile&) = delete;
    LockedFile& operator=(const LockedFile&) = delete;

    const std::filesystem::path& path() const { return path_; }
    int descriptor() const { return descriptor_.number(); }
    /// Whether another process has it locked, or this one has it for reading alone.
    bool is_read_only() const { return read_only_; }
    /// Whether the path still names this file: another process may have put one in its place.
    bool is_still_linked() const { return descriptor_.is_at(path_); }

    std::size_t size() const;
    /// Up to `size` bytes; fewer only at the end of the file.
    Bytes read(std::size_t offset, std::size_t size) const;
    void write(std::size_t offset, ByteView bytes);
    void truncate(std::size_t size);
    /// Cuts the file by putting a copy of its first bytes in its place, through `PATH.new`. A
    /// process that has the old file open or mapped keeps all of it; truncating it would end a
    /// process that reads the bytes cut off (SIGBUS).
    void replace_by_start(std::size_t size);
    /// Takes the place of whatever is called so.
    void rename(const std::filesystem::path& path);
    /// Waits until the disk has it all.
    void sync();

private:
    FileDescriptor open() const;
    void lock();
    [[noreturn]] void fail(const char* verb, int error) const;

    std::filesystem::path path_;
    bool read_only_;
    FileDescriptor descriptor_;
};

/// The first bytes of a file, to be read like memory. They stay even where the file's name goes.
class MappedFile {
public:
    /// Maps `bytes` bytes, at least one and no more than the file has. Throws HeaderFileError.
    MappedFile(int descriptor, std::size_t bytes);
    ~MappedFile();
    MappedFile(const MappedFile&) = delete;
    MappedFile& operator=(const MappedFile&) = delete;

    ByteView view() const { return {bytes_, size_}; }

    /// Gives back the memory of what was looked at. It is still there, and comes from the file
    /// again when it is looked at next.
    void release_pages() const;

private:
    const Byte* bytes_;
    std::size_t size_;
};

}  // namespace petal::chain
