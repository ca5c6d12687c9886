/// Backups of a wallet: all contents of its file, as one file or stream (store/backup_file.h).
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "chain/expected.h"
#include "chain/network_params.h"
#include "wallet/store/backup_file.h"
#include "wallet/wallet.h"

namespace petal::wallet {

/// Writes the present state of the wallet, even while another process syncs it: with its seed
/// (encrypted if the wallet is), labels, transactions and sync checkpoint. Returns how many bytes
/// it wrote. Throws WalletError for a wallet that Wallet::open() refuses, and any exception of
/// `sink`.
std::uint64_t back_up(const std::filesystem::path& file, const chain::NetworkParams& network,
                      const ByteSink& sink);

/// Backs up to a new file (0600), durably and atomically. Throws std::system_error if that can't be
/// created; with file_exists if there is one of that name, which stays unchanged.
std::uint64_t back_up_to(const std::filesystem::path& file, const chain::NetworkParams& network,
                         const std::filesystem::path& backup);

/// Restores a wallet from a backup, durably and atomically, and creates its folders. The backup may
/// be hostile: the wallet is opened, and passed to `check`, before it gets its name. A wallet that
/// is not encrypted must have the public keys of its seed. Throws WalletError, as Wallet::create()
/// does and with wrong_network, damaged or newer_version for the content of the backup;
/// std::system_error; and any exception of `source` and `check`.
chain::Expected<void, BackupError> restore_backup(const std::filesystem::path& file,
                                                  const chain::NetworkParams& network,
                                                  const ByteSource& source,
                                                  const std::function<void(const Wallet&)>& check);

}  // namespace petal::wallet
