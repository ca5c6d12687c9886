/// A regtest chain on disk: its records in order, appended as they are made.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <stdexcept>
#include <string>

#include "chain/files/file_descriptor.h"
#include "chain/files/file_lock.h"
#include "regtest/chain/regtest_chain.h"

namespace petal::regtest {

/// Why a file cannot be used.
class ChainFileError : public std::runtime_error {
public:
    enum class Kind : std::uint8_t {
        in_use,   ///< by another node
        damaged,  ///< or of another program; unchanged
    };

    ChainFileError(Kind kind, const std::string& message)
        : std::runtime_error(message), kind_(kind) {}
    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

/// The records of a chain, each with its kind, its length and a checksum. Blocks are fully checked
/// again when they are read; duplicates count once. The end of the file is cut off if no valid
/// record starts in it; an invalid record before a valid one leaves the file unchanged. Throws
/// ChainFileError for a file that can't be used, and std::system_error.
class ChainFile {
public:
    /// Opens or creates the file. No other process may have it open meanwhile.
    explicit ChainFile(const std::filesystem::path& file);

    /// Adds the file's records to the chain, which has only the genesis block. Returns false, and
    /// leaves the file unchanged, if `is_stopped` has ended the reading.
    /// is_stopped   called before each record
    bool read(RegtestChain& chain, const std::function<bool()>& is_stopped = {});
    /// The number of bytes after the valid records that read() has cut off.
    std::size_t cut_bytes() const { return cut_bytes_; }

    /// Appends the chain's records that the file lacks, and returns when a power failure can't undo
    /// it any more.
    void append(const RegtestChain& chain);

private:
    chain::Bytes read_all() const;

    std::filesystem::path file_;
    chain::FileLock lock_;
    chain::FileDescriptor descriptor_;
    std::size_t records_ = 0;  ///< of the chain's, in the file
    std::size_t cut_bytes_ = 0;
};

}  // namespace petal::regtest
