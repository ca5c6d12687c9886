/// The sync of one wallet.
#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "client/data/data_folder.h"
#include "client/sync/peer_source.h"
#include "client/sync/sync_report.h"
#include "client/sync/wallet_sync.h"
#include "net/io/spv_client.h"
#include "wallet/wallet.h"

namespace petal::client {

/// A WalletSync with its source of peers and headers, on the thread that calls run().
class SingleSync {
public:
    /// Throws DataFolderError, wallet::WalletError (also if another process syncs the wallet), and
    /// the exceptions of chain::HeaderFile.
    /// wallet       the name of a wallet in the folder
    /// until        see WalletSync. Empty for none
    SingleSync(WalletSyncOptions options, DataFolder data, std::string wallet,
               PeerSource::OnTrouble on_trouble = {}, WalletSync::Until until = {});
    /// The same for a wallet that is opened for a sync.
    SingleSync(WalletSyncOptions options, DataFolder data, std::string name, wallet::Wallet wallet,
               PeerSource::OnTrouble on_trouble = {}, WalletSync::Until until = {});
    SingleSync(const SingleSync&) = delete;
    SingleSync& operator=(const SingleSync&) = delete;

    /// Set these before run().
    WalletSyncEvents& events() { return sync_.events; }
    /// Syncs. Everything verified is stored, whatever the end. Call this once. Rethrows exceptions
    /// of the wallet, the header file and the events. After chain::HeaderFileDamaged, a new
    /// SingleSync fetches the damaged headers again.
    SyncReport run();
    /// Makes run() end soon, also a run() that has not begun. The only function that another thread
    /// may call.
    void stop();

    SyncSource& source() { return source_; }
    WalletSync& sync() { return sync_; }

private:
    WalletSyncOptions options_;
    SyncSource source_;
    WalletSync sync_;
    std::mutex stopping_;
    bool is_stopped_ = false;
    std::unique_ptr<net::SpvClient> client_;  // once run() was called
};

}  // namespace petal::client
