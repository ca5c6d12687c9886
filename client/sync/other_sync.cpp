#include "client/sync/other_sync.h"

#include <algorithm>
#include <tuple>
#include <utility>

#include "net/io/clocks.h"
#include "wallet/store/wallet_locks.h"

namespace petal::client {
namespace {

// The time that an own sync waits for a peer.
constexpr std::chrono::milliseconds kWithoutProgress{120'000};
// The time for a process that was suspended with the whole machine to renew its standing.
constexpr std::chrono::milliseconds kToRenewStanding{3'000};

}  // namespace

std::optional<wallet::Wallet> open_unless_synced(const DataFolder& data,
                                                 const std::string& wallet) {
    try {
        return data.open_wallet(wallet, wallet::Access::sync);
    } catch (const wallet::WalletError& error) {
        if (error.kind() != wallet::WalletError::Kind::locked_by_other) throw;
        return std::nullopt;
    }
}

OtherSync::OtherSync(DataFolder data, std::string wallet,
                     std::optional<std::chrono::milliseconds> timeout, WalletSync::Until until)
    : data_(std::move(data)),
      wallet_(std::move(wallet)),
      timeout_(timeout),
      until_(std::move(until)) {}

bool OtherSync::look() {
    const std::filesystem::path file = data_.wallet_file(wallet_);
    standing_ = read_standing(file, net::unix_time_now()).value_or(SyncStanding{});
    const auto other = chain::find_lock_holder(wallet::sync_lock_file(file));
    stopped_ = other && other->is_stopped ? other : std::nullopt;
    if (stopped_) standing_.is_confirmed = false;
    const wallet::Wallet wallet = data_.open_wallet(wallet_, wallet::Access::read);
    const WalletSyncStatus now = wallet_sync_status(wallet.info(), data_);
    if (std::tie(now.synced, now.header_height) !=
        std::tie(sync_status_.synced, sync_status_.header_height)) {
        moved_at_ = Clock::now();
    }
    sync_status_ = now;
    const bool is_synced = sync_status_.is_synced && standing_.is_confirmed;
    const bool is_reached = !until_ || until_(wallet);
    return is_synced && is_reached;
}

std::optional<WaitEnd> OtherSync::wait_end() const {
    if (timeout_) {
        const bool is_over = Clock::now() >= start_ + *timeout_;
        return is_over ? std::optional(WaitEnd::timed_out) : std::nullopt;
    }
    if (stopped_) return WaitEnd::process_stopped;
    if (until_) return std::nullopt;
    if (is_in_long_trouble()) return WaitEnd::in_trouble;
    if (Clock::now() >= moved_at_ + kWithoutProgress) return WaitEnd::no_progress;
    return std::nullopt;
}

chain::Expected<std::optional<wallet::Wallet>, WaitEnd> OtherSync::await(
    const std::function<void()>& pause) {
    while (!look()) {
        pause();
        if (const auto end = wait_end()) return chain::Unexpected(*end);
        if (auto wallet = open_unless_synced(data_, wallet_)) return wallet;
    }
    return std::optional<wallet::Wallet>();
}

bool OtherSync::is_in_long_trouble() const {
    if (Clock::now() < start_ + kToRenewStanding) return false;
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kWithoutProgress);
    return standing_.trouble != SyncTrouble::none &&
           net::unix_time_now() >= standing_.since + seconds.count();
}

std::optional<std::chrono::milliseconds> OtherSync::remaining_timeout() const {
    using std::chrono::milliseconds;
    if (!timeout_) return std::nullopt;
    const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - start_);
    return std::max(*timeout_ - waited, milliseconds{1});
}

}  // namespace petal::client
