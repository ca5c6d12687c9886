/// The file that keeps accepted headers: a record each, appended in order of acceptance.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>

#include "chain/headers/header_chain.h"
#include "chain/headers/header_file_error.h"
#include "chain/uint256.h"

namespace petal::chain {

struct HeaderFileOptions {
    /// The number of headers after which a new index is written, or a quarter more headers than the
    /// old index has while the file keeps growing. So both writing indexes and reading headers
    /// without an index cost little.
    std::uint32_t records_per_index = 16'384;
    /// Opens the file for reading: creates, locks, repairs and writes nothing.
    bool read_only = false;
    /// Adds the headers that other processes could not write (pending_headers.h).
    bool with_pending = true;
};

/// Keeps a header chain on disk. A parent is always stored before its children. A crash at any byte
/// loses at most the tail that was not flushed, which is cut off when the file is opened again.
///
/// Next to the file is an index of most of it, `PATH.index`, by which a long file is opened without
/// being read: opening takes about a microsecond for each header added after the index, and next to
/// nothing for the others. These are checked when they are first read. HeaderFileDamaged then
/// reports a flipped bit, and the next opening cuts the file off there. Without the index, the
/// whole file is read.
///
/// Which branches are excluded from the best chain (HeaderChain::exclude()) is kept in
/// `PATH.excluded`. Without that file, or with a damaged one, none is.
///
/// One process writes. Another process that opens the file meanwhile gets it read-only. Headers
/// that it adds are kept beside the file, for all processes that open it and for the next one that
/// writes it (pending_headers.h). The pages that a reader has mapped stay valid: if the file must
/// be cut off below them, a shorter copy replaces it. Not thread-safe.
class HeaderFile {
public:
    /// Opens or creates the file (mode 0600) and adds its headers to `chain`, which holds only its
    /// root. From then on flush() appends all headers that the chain accepts. The chain must stay
    /// where it is and outlive the file.
    ///
    /// A file that starts lower than the chain is used as it is, and its first block becomes the
    /// chain's root. A file that starts higher stays until another, `PATH.lower`, has as much work
    /// from the chain's root on; then that file replaces it, unless another process has added
    /// headers to it meanwhile.
    ///
    /// now   Unix seconds, as for HeaderChain::accept
    /// Throws HeaderFileError, also if the file has headers from the future: they were valid when
    /// they were written, so the clock is wrong, and nothing is cut off.
    HeaderFile(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now,
               const HeaderFileOptions& options = {});
    ~HeaderFile();
    HeaderFile(const HeaderFile&) = delete;
    HeaderFile& operator=(const HeaderFile&) = delete;

    /// Removes a file and its companions. Returns false, and removes nothing, while another process
    /// writes it. Throws HeaderFileError if it can't be removed.
    /// before   called once it is certain that no other process writes the file
    static bool remove(const std::filesystem::path& path, const std::function<void()>& before);

    /// Whether the file itself is not written: it was opened so, or another process holds its lock.
    /// In the latter case, flush() leaves new headers beside it.
    bool read_only() const;
    /// The work of the file that starts higher than the chain, while that file exists; 0 if there
    /// is none. A chain with less work must not be followed, because a better one is known.
    Uint256 higher_chainwork() const;
    /// How many bytes at the end were cut off on opening because they were torn or damaged.
    std::size_t repaired_bytes() const;

    /// The number of torn or damaged bytes at the end of a read-only file; 0 for a file that is
    /// repaired.
    std::size_t damaged_bytes() const;

    /// Writes the headers added since the last call, into the file or, while another process writes
    /// that, beside it, and which branches are excluded; does not wait for the disk. Releases the
    /// pages of the mapped file. Throws HeaderFileError (disk full, I/O error); the next call tries
    /// the same headers again.
    void flush();

private:
    void start_lower(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now,
                     const HeaderFileOptions& options);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::chain
