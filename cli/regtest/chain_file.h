/// A regtest chain on disk: what made it, in order, appended as it comes.
#pragma once

#include <cstddef>
#include <filesystem>

#include "chain/files/file_descriptor.h"
#include "chain/files/file_lock.h"
#include "net/regtest/chain/regtest_chain.h"

namespace petal::cli {

/// The records of a chain, each behind its kind and length and with a check. Blocks are checked in
/// full again when they are read; what was recorded twice counts once. An end in which no sound
/// record starts is cut away; a wrong record before a sound one leaves the file as it is. Throws
/// CommandError for a file that can't be used, std::system_error where the system refuses.
class ChainFile {
public:
    /// Opens or makes the file, which no other process may have open meanwhile.
    explicit ChainFile(const std::filesystem::path& file);

    /// Gives the chain, which has nothing but the genesis block, what the file holds.
    void read(net::RegtestChain& chain);
    /// How many bytes behind the sound records read() has cut off.
    std::size_t cut_bytes() const { return cut_bytes_; }

    /// Appends what the chain has and the file has not, and returns when power can't undo it any
    /// more.
    void append(const net::RegtestChain& chain);

private:
    chain::Bytes read_all() const;

    std::filesystem::path file_;
    chain::FileLock lock_;
    chain::FileDescriptor descriptor_;
    std::size_t records_ = 0;  ///< of the chain's, in the file
    std::size_t cut_bytes_ = 0;
};

}  // namespace petal::cli
