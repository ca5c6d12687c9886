/// The lock files of a wallet, and the processes that hold the locks.
#pragma once

#include <filesystem>
#include <string>

#include "chain/files/lock_holder.h"

namespace petal::wallet {

/// The lock file shared by all processes that write the wallet, including syncs.
std::filesystem::path use_lock_file(const std::filesystem::path& file);
/// The lock file of the process that syncs the wallet.
std::filesystem::path sync_lock_file(const std::filesystem::path& file);

/// What the user can do about a stopped process, as part of a sentence.
std::string how_to_continue(const chain::LockHolder& stopped);

}  // namespace petal::wallet
