/// Backup and restore of a wallet's file (format: store/backup_file.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/store/backup_file.h"
#include "wallet/wallet.h"

namespace petal::wallet {

/// Writes the current state of the wallet, even while another process syncs the wallet: the secret
/// (encrypted if the wallet is encrypted), labels, transactions and sync checkpoint. Returns the
/// number of bytes written. Throws like Wallet::open(), and any exception of `sink`.
std::uint64_t back_up(const std::filesystem::path& file, const chain::NetworkParams& network,
                      const ByteSink& sink);

/// Writes a backup to a new file (mode 0600), durably and atomically. Throws std::system_error,
/// with file_exists if the file exists, which stays unchanged.
std::uint64_t back_up_to(const std::filesystem::path& file, const chain::NetworkParams& network,
                         const std::filesystem::path& backup);

/// Restores a wallet from an untrusted backup, durably and atomically, and creates folders. The
/// wallet is opened and passed to `check` before it gets its name. The public keys of a wallet that
/// is not encrypted must match its secret. Throws
/// - WalletError like Wallet::create(), and for the content of the backup with wrong_network,
///   damaged or newer_version,
/// - std::system_error, and
/// - any exception of `source` and `check`.
chain::Expected<void, BackupError> restore_backup(const std::filesystem::path& file,
                                                  const chain::NetworkParams& network,
                                                  const ByteSource& source,
                                                  const std::function<void(const Wallet&)>& check);

}  // namespace petal::wallet
