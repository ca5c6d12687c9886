/// Keeps a second node out of a data folder.
#pragma once

#include <filesystem>

#include "chain/files/file_descriptor.h"

namespace petal::cli {

/// The lock that bitcoind holds on a data folder: a record lock on the file `.lock` in it. So
/// neither a second petal-bitcoind nor a bitcoind uses the folder at the same time.
class FolderLock {
public:
    /// Throws InitError if another process has the lock, or if the folder is not writable.
    explicit FolderLock(const std::filesystem::path& folder);

private:
    chain::FileDescriptor file_;
};

}  // namespace petal::cli
