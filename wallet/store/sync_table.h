/// The sync state in a wallet's file.
#pragma once

#include <optional>

#include "chain/watcher.h"
#include "wallet/store/wallet_database.h"

namespace petal::wallet {

/// The block that the wallet is synced to, and the engine's checkpoint. The connection must outlive
/// the table. To be used within WalletStore::read() or write().
class SyncTable {
public:
    explicit SyncTable(WalletConnection& connection) : connection_(connection) {}

    chain::SyncState state();
    void set_state(const std::optional<chain::BlockRef>& synced, chain::ByteView sync_checkpoint);
    /// Does not change the stored sync checkpoint.
    void set_synced(const std::optional<chain::BlockRef>& synced);

private:
    WalletConnection& connection_;
};

}  // namespace petal::wallet
