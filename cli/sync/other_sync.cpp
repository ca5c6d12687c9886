#include "cli/sync/other_sync.h"

#include <algorithm>
#include <string>
#include <tuple>

#include "cli/command_error.h"
#include "cli/data_folder.h"
#include "cli/options/advice.h"
#include "cli/stop_signals.h"
#include "cli/sync/display/status_line.h"
#include "cli/sync/trouble_text.h"
#include "cli/text.h"
#include "cli/wallet/standing_text.h"
#include "client/data/stored_chain.h"
#include "client/data/sync_standing.h"
#include "net/io/clocks.h"
#include "wallet/store/wallet_locks.h"

namespace petal::cli {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookInterval{250};
// The time that an own sync waits for a peer.
constexpr std::chrono::milliseconds kWithoutProgress{120'000};
// The time for a process that was suspended with the whole machine to renew its standing.
constexpr std::chrono::milliseconds kToRenewStanding{3'000};

/// The wallet, opened for a sync; nothing while another process syncs it.
std::optional<wallet::Wallet> open_if_free(const GlobalOptions& global) {
    try {
        return open_wallet(global, wallet::Access::sync);
    } catch (const wallet::WalletError& error) {
        if (error.kind() != wallet::WalletError::Kind::locked_by_other) throw;
        return std::nullopt;
    }
}

std::string place_text(const client::ChainStanding& standing) {
    if (!standing.synced) return "no block is searched yet";
    const bool has_header = standing.header_height.value_or(0) >= standing.synced->height;
    return "as of block " + format_count(standing.synced->height) +
           (has_header ? " of " + format_count(*standing.header_height) : "");
}

/// The options given that another process's sync does not heed, as a list for a sentence.
std::string options_without_effect(const SyncCommandOptions& options) {
    const client::ConnectionOptions& connection = options.connection;
    const SyncCommandOptions defaults;
    std::string text;
    const auto add = [&text](bool is_given, const char* name) {
        if (is_given) text += (text.empty() ? "" : ", ") + std::string(name);
    };
    add(!connection.connect.empty(), "--connect");
    add(connection.peers != defaults.connection.peers, "--peers");
    add(connection.proxy.has_value(), "--proxy");
    add(connection.onion_only, "--onion-only");
    add(connection.dns_seeds.has_value(), "--dns-seed");
    add(options.full_blocks, "--full-blocks");
    add(options.cross_check != defaults.cross_check, "--cross-check");
    add(options.privacy.has_value(), "--privacy");
    add(options.wait_unconfirmed.has_value(), "--wait-unconfirmed");
    add(options.from_genesis, "--from-genesis");
    add(options.minimum_chainwork.has_value(), "--minimum-chainwork");
    return text;
}

/// The progress of another process's sync, checked repeatedly.
class OtherSync {
public:
    OtherSync(const SyncCommandOptions& options, const GlobalOptions& global,
              const AwaitedState* awaited, Console& console)
        : timeout_(options.connection.timeout),
          global_(global),
          awaited_(awaited),
          line_(console, Clock::now()) {}

    /// Whether the wallet is synced, as a peer of that process confirms, and the awaited state is
    /// reached.
    bool look() {
        told_ = client::read_standing(wallet_file(global_), net::unix_time_now())
                    .value_or(client::SyncStanding{});
        const auto other = chain::find_lock_holder(wallet::sync_lock_file(wallet_file(global_)));
        stopped_ = other && other->is_stopped ? other : std::nullopt;
        if (stopped_) told_.is_confirmed = false;
        const wallet::Wallet wallet = open_wallet(global_, wallet::Access::read);
        const client::ChainStanding now = client::standing_of(wallet.info(), data_of(global_));
        if (std::tie(now.synced, now.header_height) !=
            std::tie(standing_.synced, standing_.header_height)) {
            moved_at_ = Clock::now();
        }
        standing_ = now;
        const bool is_synced = standing_.is_synced && told_.is_confirmed;
        if (awaited_ == nullptr) return is_synced;
        const bool is_reached = awaited_->is_reached(wallet);
        missing_ = is_reached ? "no peer has confirmed it yet" : awaited_->missing(wallet);
        return is_synced && is_reached;
    }

    void wait() {
        const auto now = Clock::now();
        line_.show("another petal syncs this wallet" + trouble_text() + "; " +
                       (standing_.is_synced ? "waiting" : place_text(standing_)),
                   now);
        if (signals_.wait(std::nullopt, now + kLookInterval) == StopSignals::Event::stopped) {
            fail(ExitStatus::interrupted, "interrupted",
                 "interrupted; another petal goes on syncing the wallet");
        }
        if (timeout_ && Clock::now() >= start_ + *timeout_) fail_by_timeout();
        if (timeout_) return;
        if (stopped_) {
            fail(ExitStatus::wallet, "wallet-locked",
                 "another petal syncs this wallet" + trouble_text());
        }
        if (awaited_ != nullptr) return;
        if (is_in_long_trouble()) {
            fail(ExitStatus::no_peer, "no-usable-peer",
                 "not synced: another petal syncs this wallet" + trouble_text());
        }
        if (Clock::now() >= moved_at_ + kWithoutProgress) {
            fail(ExitStatus::no_peer, "timed-out",
                 "another petal syncs this wallet, but makes no progress");
        }
    }

    /// Tells of what the other process waits for, although the wallet is synced.
    void tell_of_trouble(Console& console) {
        if (told_.trouble == client::SyncTrouble::none) return;
        line_.clear();
        console.warn("another petal syncs this wallet" + trouble_text());
    }

    /// The rest of the timeout, at least a millisecond; empty without a timeout.
    std::optional<std::chrono::milliseconds> remaining_timeout() const {
        using std::chrono::milliseconds;
        if (!timeout_) return std::nullopt;
        const auto waited = std::chrono::duration_cast<milliseconds>(Clock::now() - start_);
        return std::max(*timeout_ - waited, milliseconds{1});
    }

private:
    /// Why the other process makes no progress, as part of a sentence.
    std::string trouble_text() const {
        if (stopped_) {
            return ", but is stopped (process " + std::to_string(stopped_->process_id) + "); " +
                   wallet::how_to_continue(*stopped_);
        }
        if (told_.trouble == client::SyncTrouble::none) return "";
        return ", but " + trouble_sentence(told_) + ", since " + format_time(told_.since) +
               (told_.is_other_chain
                    ? "; if that chain was made anew, end the other petal, and " +
                          advised("headers reset", global_) + " forgets the stored one"
                    : "");
    }

    /// Whether it has had no peer for as long as an own sync would wait for one: then waiting for
    /// it is useless.
    bool is_in_long_trouble() const {
        if (Clock::now() < start_ + kToRenewStanding) return false;
        const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(kWithoutProgress);
        return told_.trouble != client::SyncTrouble::none &&
               net::unix_time_now() >= told_.since + seconds.count();
    }

    [[noreturn]] void fail_by_timeout() {
        const bool waits_for_event = standing_.is_synced && told_.is_confirmed;
        const bool is_behind =
            !standing_.is_synced && told_.trouble == client::SyncTrouble::none && !stopped_;
        fail(ExitStatus::no_peer, "timed-out",
             std::string(waits_for_event ? "it has not happened" : "not synced") +
                 " within --timeout; another petal syncs this wallet" + trouble_text() +
                 (is_behind ? ", and has not got so far" : ""));
    }

    [[noreturn]] void fail(ExitStatus status, const char* code, const std::string& message) {
        line_.clear();
        throw CommandError(
            status, code,
            message + ": " + (missing_.empty() ? "" : missing_ + ", ") + place_text(standing_));
    }

    std::optional<std::chrono::milliseconds> timeout_;
    const GlobalOptions& global_;
    const AwaitedState* awaited_;
    StatusLine line_;
    StopSignals signals_;
    client::ChainStanding standing_;
    client::SyncStanding told_;                 // the standing that the other process wrote
    std::optional<chain::LockHolder> stopped_;  // the other process, if it is stopped
    std::string missing_;
    Clock::time_point start_ = Clock::now();
    Clock::time_point moved_at_ = start_;
};

}  // namespace

std::optional<wallet::Wallet> open_or_await_other(SyncCommandOptions& options,
                                                  const GlobalOptions& global,
                                                  const AwaitedState* awaited, Console& console) {
    if (auto wallet = open_if_free(global)) return wallet;
    const std::string ignored = options_without_effect(options);
    if (!ignored.empty()) {
        console.warn(
            "another petal is syncing this wallet, so until it ends these options have no "
            "effect: " +
            ignored);
    }
    OtherSync other(options, global, awaited, console);
    while (!other.look()) {
        other.wait();
        auto wallet = open_if_free(global);
        if (!wallet) continue;
        options.connection.timeout = other.remaining_timeout();
        return wallet;
    }
    other.tell_of_trouble(console);
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
    if (const auto stored = client::find_stored_chain(data_of(global))) {
        report.chain = chain_report_of(stored->chain, info.synced);
        report.birthday_height =
            client::first_height_of(wallet::with_margin(info.birthday), stored->chain);
    }
    return report;
}

}  // namespace petal::cli
