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
    /// A new index is due after so many headers, or a quarter more than the old one has while there
    /// are ever more to come: writing indexes then costs little, and so does reading what none has.
    std::uint32_t records_per_index = 16'384;
    /// Only to be looked at: nothing is made, locked, repaired or written.
    bool read_only = false;
    /// Adds the headers that other processes could not write (pending_headers.h).
    bool with_pending = true;
};

/// Keeps a header chain on disk. A parent always stands before its children; a crash at any byte
/// loses at most the tail that was not flushed, which is cut off when the file is opened again.
///
/// Beside it lies an index of most of it, `PATH.index`, by which a long file is opened without
/// being read: about a microsecond for each header since the index was made, and next to nothing
/// for the others. These are checked when they are looked at: a bit that has flipped is then found
/// out by HeaderFileDamaged, and the next opening cuts the file off there. Without the index, all
/// is read.
///
/// One process writes. A process that opens the file meanwhile gets it read-only; what that adds is
/// kept beside the file, for all that open it and for the next process that writes it
/// (pending_headers.h). What a reader has mapped never goes: where so much is to be cut off, a
/// shorter copy takes the file's place. Not thread-safe.
class HeaderFile {
public:
    /// Opens or makes the file (mode 0600) and fills `chain`, which holds its root alone, with what
    /// it contains. From then on all that the chain accepts is appended by flush(); the chain must
    /// stay where it is and outlive the file.
    ///
    /// A file that starts lower than the chain is taken as it is, and so is the chain's new root.
    /// One that starts higher stays until another, `PATH.lower`, has grown to as much work from the
    /// chain's root on; then that replaces it, unless another process has made it grow meanwhile.
    ///
    /// now   Unix seconds, as for HeaderChain::accept
    /// Throws HeaderFileError, also where the file has headers from the future: they were not when
    /// they were written, so it is the clock that is wrong, and nothing is cut off.
    HeaderFile(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now,
               const HeaderFileOptions& options = {});
    ~HeaderFile();
    HeaderFile(const HeaderFile&) = delete;
    HeaderFile& operator=(const HeaderFile&) = delete;

    /// Removes a file and what lies beside it. Returns false, and removes nothing, while another
    /// process writes it. Throws HeaderFileError where it can't be removed.
    /// before   called once it is certain that no other process writes the file
    static bool remove(const std::filesystem::path& path, const std::function<void()>& before);

    /// Whether another process holds the file, so that nothing is written.
    bool read_only() const;
    /// The work of the file that starts higher than the chain, as long as that stays; 0 if there is
    /// none. A chain with less must not be followed: the better one is known.
    Uint256 higher_chainwork() const;
    /// How many bytes at the end were cut off on opening because they were torn or damaged.
    std::size_t repaired_bytes() const;

    /// How many bytes at the end are torn or damaged, of a file that is only looked at; 0 of one
    /// that is repaired.
    std::size_t damaged_bytes() const;

    /// Writes what was added since the last call, into the file or, while another process writes
    /// that, beside it, without waiting for the disk itself, and gives
    /// back the memory that looking at the file took. Throws HeaderFileError (disk full, I/O
    /// error); what was to be written then is tried again next time.
    void flush();

private:
    void start_lower(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now,
                     const HeaderFileOptions& options);

    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::chain
