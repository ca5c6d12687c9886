/// The lock files beside a wallet's file, and the processes that hold them.
#pragma once

#include <filesystem>
#include <string>

#include "chain/files/lock_holder.h"

namespace petal::wallet {

/// Shared by the processes that write the wallet, those that sync it included.
std::filesystem::path use_lock_file(const std::filesystem::path& file);
/// Of the process that syncs the wallet.
std::filesystem::path sync_lock_file(const std::filesystem::path& file);

/// What the user can do about a stopped process, as part of a sentence.
std::string how_to_continue(const chain::LockHolder& stopped);

}  // namespace petal::wallet
