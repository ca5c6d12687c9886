/// The file of accepted headers: one record per header, appended in order of acceptance.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "chain/headers/header_chain.h"
#include "chain/headers/header_file_error.h"
#include "chain/uint256.h"

namespace petal::chain {

struct HeaderFileOptions {
    /// A new index is written after this number of headers, or after a quarter of the headers that
    /// the last index covers if that is more. This bounds both the time for writing indexes and the
    /// number of headers that are read without an index.
    std::uint32_t records_per_index = 16'384;
    /// Opens the file for reading, without creating, locking, repairing or writing.
    bool read_only = false;
    /// Also adds the headers that other processes could not write (pending_headers.h).
    bool with_pending = true;
};

/// Keeps a header chain on disk. Not thread-safe.
///
/// - Parents are stored before children.
/// - A crash loses at most the records after the last flush(). A torn tail is cut off when the file
///   is opened again.
/// - The index `PATH.index` covers most of the file, so that a long file is opened without reading
///   it. Opening takes about a microsecond for each header after the index. Each indexed header is
///   checked when it is first read. HeaderFileDamaged then reports a flipped bit, and the next
///   opening cuts the file off at the damage. Without an index, the whole file is read.
/// - `PATH.excluded` stores which branches are excluded from the best chain
///   (HeaderChain::exclude()). If it is missing or damaged, no branch is excluded.
/// - Only one process writes. Another process opens the file read-only, and leaves headers that it
///   adds in `PATH.pending` (pending_headers.h).
/// - Pages that a reader has mapped stay valid. If the file must be cut off within these pages, a
///   shorter copy replaces the file.
class HeaderFile {
public:
    /// Opens or creates the file (mode 0600) and adds its headers to `chain`, which must have only
    /// its root. flush() appends all headers that the chain accepts later. The chain must outlive
    /// this object and must not be moved.
    ///
    /// If the file starts lower than the chain, the chain gets the file's root. If the file starts
    /// higher, a new file `PATH.lower` is filled from the chain's root. The new file replaces
    /// `PATH` once it has as much work as `PATH`, including headers that other processes have added
    /// to `PATH` meanwhile.
    ///
    /// Throws HeaderFileError. If a header is in the future, the clock is wrong, because all
    /// headers were valid when they were written: throws HeadersFromFuture, and leaves the file
    /// unchanged.
    /// now   Unix seconds, as for HeaderChain::accept()
    HeaderFile(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now,
               const HeaderFileOptions& options = {});
    ~HeaderFile();
    HeaderFile(const HeaderFile&) = delete;
    HeaderFile& operator=(const HeaderFile&) = delete;

    /// Removes a file and its companions. Returns false, and removes nothing, while another process
    /// writes the file. Throws HeaderFileError if a file can't be removed.
    /// before   called before the removal, when no other process writes the file
    static bool remove(const std::filesystem::path& path, const std::function<void()>& before);

    /// Whether the file is opened read-only, or another process holds the lock. In the second case,
    /// flush() writes new headers to `PATH.pending`.
    bool read_only() const;
    /// The work of a file at `PATH` that starts higher than the chain (see above), or 0. A chain
    /// with less work must not be followed, because a better chain is known.
    Uint256 higher_chainwork() const;
    /// The number of torn or damaged bytes that were cut off on opening.
    std::size_t repaired_bytes() const;

    /// The number of torn or damaged bytes at the end of a read-only file, or 0.
    std::size_t damaged_bytes() const;

    /// Writes the exclusions and the headers added since the last call, without waiting for the
    /// disk. Writes the headers to `PATH.pending` while another process writes the file. Also
    /// releases the pages of the mapped file. Throws HeaderFileError (disk full, I/O error). The
    /// next call then writes the same headers again.
    void flush();

private:
    void start_lower(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now,
                     const HeaderFileOptions& options);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::chain
