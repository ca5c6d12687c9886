/// The file that keeps accepted headers: 80 bytes and a checksum each, appended in order of
/// acceptance.
#pragma once

#include <filesystem>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>

#include "chain/block_header.h"
#include "chain/header_chain.h"

namespace petal::chain {

/// The file can't be used: it is of another network or a newer format, or the disk refuses. What it
/// says is one line for the user. A torn or damaged tail is no such failure; it is cut off.
class HeaderFileError : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// Keeps a header chain on disk. A parent always stands before its children; a crash at any byte
/// loses at most the tail that was not flushed, which is cut off when the file is opened again.
///
/// One process writes: whoever opens the file while another holds it gets it read-only, and what it
/// adds is then not kept. Not thread-safe.
class HeaderFile {
public:
    /// Opens or makes the file (mode 0600) and fills `chain`, which holds the genesis block alone,
    /// with what it contains and the rules accept. From then on all that the chain accepts is
    /// appended, to be written by flush(); the chain must stay where it is and outlive the file.
    ///
    /// now   Unix seconds, as for HeaderChain::accept
    /// Throws HeaderFileError, also where the file has headers from the future: they were not when
    /// they were written, so it is the clock that is wrong, and nothing is cut off.
    HeaderFile(const std::filesystem::path& path, HeaderChain& chain, std::int64_t now);
    ~HeaderFile();
    HeaderFile(const HeaderFile&) = delete;
    HeaderFile& operator=(const HeaderFile&) = delete;

    /// Whether another process holds the file, so that nothing is written.
    bool read_only() const;
    /// How many bytes at the end were cut off on opening because they were torn or damaged.
    std::size_t repaired_bytes() const;

    /// Writes what was added since the last call, without waiting for the disk itself. Throws
    /// HeaderFileError (disk full, I/O error); what was to be written then is tried again next
    /// time.
    void flush();

private:
    struct State;
    std::unique_ptr<State> state_;
};

}  // namespace petal::chain
