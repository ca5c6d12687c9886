/// A wallet that another process syncs.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "chain/expected.h"
#include "chain/files/lock_holder.h"
#include "client/data/data_folder.h"
#include "client/data/sync_standing.h"
#include "client/data/wallet_sync_status.h"
#include "client/sync/wallet_sync.h"
#include "wallet/wallet.h"

namespace petal::client {

/// The wallet, opened for a sync. Nothing while another process syncs it. Throws as
/// DataFolder::open_wallet().
std::optional<wallet::Wallet> open_unless_synced(const DataFolder& data, const std::string& wallet);

/// Why waiting for another process's sync is useless.
enum class WaitEnd : std::uint8_t {
    timed_out,
    process_stopped,  ///< OtherSync::stopped_process()
    in_trouble,       ///< for as long as an own sync would wait for a peer: SyncStanding::trouble
    no_progress,      ///< likewise, without a reason
};

/// The progress of another process's sync, for a process that looks repeatedly.
class OtherSync {
public:
    using Clock = std::chrono::steady_clock;

    /// timeout   the longest wait. Without a timeout, the wait ends when it is useless (WaitEnd)
    /// until     a state of the wallet to wait for, however long it takes. Empty for none
    OtherSync(DataFolder data, std::string wallet, std::optional<std::chrono::milliseconds> timeout,
              WalletSync::Until until);

    /// Reads the state of the wallet and of its sync. Returns whether the wallet is synced to the
    /// last stored header, one of that process's peers confirms it, and `until` is reached.
    bool look();
    /// Whether to give up, and why.
    std::optional<WaitEnd> wait_end() const;
    /// Looks until look() returns true or the other process has ended. Returns the wallet, opened
    /// for a sync, only if the other process has ended. Throws as open_unless_synced().
    /// pause   called between two looks: waits a moment. An exception ends the wait
    chain::Expected<std::optional<wallet::Wallet>, WaitEnd> await(
        const std::function<void()>& pause);

    /// As of the last look.
    const WalletSyncStatus& sync_status() const { return sync_status_; }
    const SyncStanding& standing() const { return standing_; }
    const std::optional<chain::LockHolder>& stopped_process() const { return stopped_; }
    /// The rest of the timeout, at least a millisecond. Empty without a timeout.
    std::optional<std::chrono::milliseconds> remaining_timeout() const;

private:
    bool is_in_long_trouble() const;

    DataFolder data_;
    std::string wallet_;
    std::optional<std::chrono::milliseconds> timeout_;
    WalletSync::Until until_;
    WalletSyncStatus sync_status_;
    SyncStanding standing_;                     // that the other process wrote
    std::optional<chain::LockHolder> stopped_;  // the other process, if it is stopped
    Clock::time_point start_ = Clock::now();
    Clock::time_point moved_at_ = start_;
};

}  // namespace petal::client
