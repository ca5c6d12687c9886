/// How far a wallet's file is synced.
#pragma once

#include <optional>

#include "chain/watcher.h"
#include "wallet/store/wallet_database.h"

namespace petal::wallet {

/// The block that the wallet is synced to, and the engine's checkpoint. A handle: the connection
/// must outlive it. Within WalletStore::read() or write().
class SyncTable {
public:
    explicit SyncTable(WalletConnection& connection) : connection_(connection) {}

    chain::SyncState state();
    void set_state(const std::optional<chain::BlockRef>& synced, chain::ByteView sync_checkpoint);
    /// Leaves the stored sync checkpoint unchanged.
    void set_synced(const std::optional<chain::BlockRef>& synced);

private:
    WalletConnection& connection_;
};

}  // namespace petal::wallet
