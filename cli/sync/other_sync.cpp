#include "cli/sync/other_sync.h"

#include <string>
#include <tuple>

#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "cli/headers/stored_chain.h"
#include "cli/stop_signals.h"
#include "cli/sync/status_line.h"
#include "cli/text.h"
#include "cli/wallet/chain_standing.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookInterval{250};

/// The wallet, opened to be synced; nothing while another process syncs it.
std::optional<wallet::Wallet> open_if_free(const GlobalOptions& global) {
    try {
        return open_wallet(global, wallet::Access::sync);
    } catch (const wallet::WalletError& error) {
        if (error.kind() != wallet::WalletError::Kind::locked_by_other) throw;
        return std::nullopt;
    }
}

std::string place_text(const ChainStanding& standing) {
    if (!standing.synced) return "no block is searched yet";
    return "as of block " + format_count(standing.synced->height) +
           (standing.header_height ? " of " + format_count(*standing.header_height) : "");
}

/// Where another process has brought the wallet, looked at again and again.
class OtherSync {
public:
    OtherSync(const GlobalOptions& global, const OtherSyncPatience& patience, Console& console)
        : global_(global), patience_(patience), line_(console, Clock::now()) {}

    /// Whether the wallet is synced, and `is_reached` says so.
    bool look(const std::function<bool(const wallet::Wallet&)>& is_reached) {
        const wallet::Wallet wallet = open_wallet(global_, wallet::Access::read);
        const ChainStanding now = standing_of(wallet.info(), global_);
        if (std::tie(now.synced, now.header_height) !=
            std::tie(standing_.synced, standing_.header_height)) {
            moved_at_ = Clock::now();
        }
        standing_ = now;
        return standing_.is_synced && is_reached(wallet);
    }

    void wait() {
        const auto now = Clock::now();
        line_.show("another petal syncs this wallet; " + place_text(standing_), now);
        if (signals_.wait(std::nullopt, now + kLookInterval) == StopSignals::Event::stopped) {
            fail(ExitStatus::interrupted, "interrupted",
                 "interrupted; another petal goes on syncing the wallet");
        }
        if (patience_.timeout && Clock::now() >= start_ + *patience_.timeout) {
            fail(ExitStatus::no_peer, "timed-out",
                 "another petal syncs this wallet, and has not got so far within --timeout");
        }
        if (!patience_.timeout && patience_.without_progress &&
            Clock::now() >= moved_at_ + *patience_.without_progress) {
            fail(ExitStatus::no_peer, "timed-out",
                 "another petal syncs this wallet, but makes no progress");
        }
    }

private:
    [[noreturn]] void fail(ExitStatus status, const char* code, const std::string& message) {
        line_.clear();
        throw CommandError(status, code, message + ": " + place_text(standing_));
    }

    const GlobalOptions& global_;
    const OtherSyncPatience& patience_;
    StatusLine line_;
    StopSignals signals_;
    ChainStanding standing_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point moved_at_ = start_;
};

}  // namespace

std::optional<wallet::Wallet> open_or_await_other(
    const GlobalOptions& global, const OtherSyncPatience& patience, Console& console,
    const std::function<bool(const wallet::Wallet&)>& is_reached) {
    if (auto wallet = open_if_free(global)) return wallet;
    OtherSync other(global, patience, console);
    while (!other.look(is_reached)) {
        other.wait();
        if (auto wallet = open_if_free(global)) return wallet;
    }
    return std::nullopt;
}

SyncReport report_of_other(const GlobalOptions& global, double seconds) {
    const wallet::Wallet wallet = open_wallet(global, wallet::Access::read);
    const wallet::WalletInfo info = wallet.info();
    SyncReport report;
    report.by_other = true;
    report.network = global.network->name;
    report.wallet = global.wallet;
    if (info.synced) report.synced_height = info.synced->height;
    report.balance = wallet.balance();
    report.seconds = report.blocks_seconds = seconds;
    if (const auto stored = find_stored_chain(global)) {
        report.tip = stored->chain.tip();
        report.tip_time = stored->chain.tip_header().time;
        report.has_minimum_work =
            info.synced && stored->chain.has_minimum_chainwork(info.synced->hash);
        report.birthday_height = first_height_of(info.birthday, stored->chain);
    }
    return report;
}

}  // namespace petal::cli
