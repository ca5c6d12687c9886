/// Backups of a wallet: all that its file holds, as one file or stream (store/backup_file.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/store/backup_file.h"
#include "wallet/wallet.h"

namespace petal::wallet {

/// Writes the wallet as it is at this moment, also while another process syncs it: with its seed
/// (encrypted if the wallet is), labels, transactions and sync checkpoint. Returns how many bytes
/// it wrote. Throws WalletError for a wallet that Wallet::open() refuses, and whatever `sink`
/// throws.
std::uint64_t back_up(const std::filesystem::path& file, const chain::NetworkParams& network,
                      const ByteSink& sink);

/// Backs up to a new file (0600), durably, whole or not at all. Throws std::system_error where that
/// can't be made; with file_exists if there is one of that name, which stays as it is.
std::uint64_t back_up_to(const std::filesystem::path& file, const chain::NetworkParams& network,
                         const std::filesystem::path& backup);

/// Makes a wallet of a backup, durably, whole or not at all, and makes its folders. What is read
/// may be hostile: the wallet is opened, and `check` may look at it, before it has its name. A
/// wallet that is not encrypted must have the public keys of its seed. Throws WalletError, as
/// Wallet::create() does and with wrong_network, damaged or newer_version for what the backup
/// holds; std::system_error where the system refuses; and whatever `source` and `check` throw.
chain::Expected<void, BackupError> restore_backup(const std::filesystem::path& file,
                                                  const chain::NetworkParams& network,
                                                  const ByteSource& source,
                                                  const std::function<void(const Wallet&)>& check);

}  // namespace petal::wallet
