#include "cli/sync/other_sync.h"

#include <chrono>
#include <string>

#include "cli/options/advice.h"
#include "cli/options/data_folder.h"
#include "cli/terminal/status_line.h"
#include "cli/terminal/stop_signals.h"
#include "cli/text/command_error.h"
#include "cli/text/text.h"
#include "client/sync/other_sync.h"
#include "wallet/store/wallet_locks.h"

namespace petal::cli {

std::string trouble_sentence(const client::SyncStanding& standing) {
    constexpr std::size_t kMaxFailures = 1'000;
    using enum client::SyncTrouble;
    switch (standing.trouble) {
        case none:
            break;
        case no_peer:
            if (standing.failures.empty()) return "has no peer";
            return "has no peer (" + printable(standing.failures, kMaxFailures) + ")";
        case other_chain:
            return "has no peer with the stored chain: its peers' chain forks off after block " +
                   format_count(standing.fork_height);
        case shorter_chain:
            return "has no peer with all blocks of the stored chain";
        case stalled:
            return "waits for " + std::string(describe(standing.stall_reason));
        case suspended:
            return "is suspended or hangs";
    }
    return {};
}

namespace {

constexpr std::chrono::milliseconds kLookInterval{250};

std::string place_text(const client::WalletSyncStatus& sync_status) {
    if (!sync_status.synced) return "no block is searched yet";
    const bool has_header = sync_status.header_height.value_or(0) >= sync_status.synced->height;
    return "as of block " + format_count(sync_status.synced->height) +
           (has_header ? " of " + format_count(*sync_status.header_height) : "");
}

/// The given options that have no effect on the sync of another process, as a list for a sentence.
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
    add(options.source != defaults.source, "--source");
    add(options.cross_check != defaults.cross_check, "--cross-check");
    add(options.privacy.has_value(), "--privacy");
    add(options.wait_unconfirmed.has_value(), "--wait-unconfirmed");
    add(options.unconfirmed.has_value(), "--unconfirmed");
    add(options.from_genesis, "--from-genesis");
    add(options.minimum_chainwork.has_value(), "--minimum-chainwork");
    return text;
}

/// Waits for the sync of another process, and reports the waiting.
class WaitForOther {
public:
    WaitForOther(const SyncCommandOptions& options, const GlobalOptions& global,
                 const AwaitedState* awaited, Console& console)
        : global_(global),
          awaited_(awaited),
          other_(data_of(global), global.wallet, options.connection.timeout, until()),
          line_(console, Clock::now()) {}

    /// The wallet, if the other process has ended before the goal.
    std::optional<wallet::Wallet> wait() {
        auto wallet = other_.await([this] { pause(); });
        if (!wallet) give_up(wallet.error());
        return *std::move(wallet);
    }

    /// Warns if the other process waits for something although the wallet is synced.
    void warn_of_trouble(Console& console) {
        if (other_.standing().trouble == client::SyncTrouble::none) return;
        line_.clear();
        console.warn("another petal syncs this wallet" + trouble_text());
    }

    std::optional<std::chrono::milliseconds> remaining_timeout() const {
        return other_.remaining_timeout();
    }

private:
    using Clock = client::OtherSync::Clock;

    void pause() {
        const auto now = Clock::now();
        const client::WalletSyncStatus& sync_status = other_.sync_status();
        line_.show("another petal syncs this wallet" + trouble_text() + "; " +
                       (sync_status.is_synced ? "waiting" : place_text(sync_status)),
                   now);
        if (signals_.wait(std::nullopt, now + kLookInterval) == StopSignals::Event::stopped) {
            fail(ExitStatus::interrupted, "interrupted",
                 "interrupted; another petal goes on syncing the wallet");
        }
    }

    /// Checks the awaited state and remembers the missing part.
    client::WalletSync::Until until() {
        if (awaited_ == nullptr) return {};
        return [this](const wallet::Wallet& wallet) {
            const bool is_reached = awaited_->is_reached(wallet);
            missing_ = is_reached ? "no peer has confirmed it yet" : awaited_->missing(wallet);
            return is_reached;
        };
    }

    /// Why the other process makes no progress, as part of a sentence.
    std::string trouble_text() const {
        if (const auto& stopped = other_.stopped_process()) {
            return ", but is stopped (process " + std::to_string(stopped->process_id) + "); " +
                   wallet::how_to_continue(*stopped);
        }
        const client::SyncStanding& standing = other_.standing();
        if (standing.trouble == client::SyncTrouble::none) return "";
        return ", but " + trouble_sentence(standing) + ", since " + format_time(standing.since) +
               (standing.is_other_chain
                    ? "; if that chain was made anew, end the other petal, and " +
                          advised("headers reset", global_) + " forgets the stored one"
                    : "");
    }

    [[noreturn]] void give_up(client::WaitEnd end) {
        switch (end) {
            case client::WaitEnd::timed_out:
                fail_by_timeout();
            case client::WaitEnd::process_stopped:
                fail(ExitStatus::wallet, "wallet-locked",
                     "another petal syncs this wallet" + trouble_text());
            case client::WaitEnd::in_trouble:
                fail(ExitStatus::no_peer, "no-usable-peer",
                     "not synced: another petal syncs this wallet" + trouble_text());
            case client::WaitEnd::no_progress:
                break;
        }
        fail(ExitStatus::no_peer, "timed-out",
             "another petal syncs this wallet, but makes no progress");
    }

    [[noreturn]] void fail_by_timeout() {
        const bool is_synced = other_.sync_status().is_synced;
        const bool waits_for_event = is_synced && other_.standing().is_confirmed;
        const bool is_behind = !is_synced && trouble_text().empty();
        fail(ExitStatus::no_peer, "timed-out",
             std::string(waits_for_event ? "it has not happened" : "not synced") +
                 " within --timeout; another petal syncs this wallet" + trouble_text() +
                 (is_behind ? ", and has not got so far" : ""));
    }

    [[noreturn]] void fail(ExitStatus status, const char* code, const std::string& message) {
        line_.clear();
        throw CommandError(status, code,
                           message + ": " + (missing_.empty() ? "" : missing_ + ", ") +
                               place_text(other_.sync_status()));
    }

    const GlobalOptions& global_;
    const AwaitedState* awaited_;
    std::string missing_;
    client::OtherSync other_;
    StatusLine line_;
    StopSignals signals_;
};

}  // namespace

std::optional<wallet::Wallet> open_or_await_other(SyncCommandOptions& options,
                                                  const GlobalOptions& global,
                                                  const AwaitedState* awaited, Console& console) {
    check_wallet_exists(global);
    if (auto wallet = client::open_unless_synced(data_of(global), global.wallet)) return wallet;
    const std::string ignored = options_without_effect(options);
    if (!ignored.empty()) {
        console.warn(
            "another petal is syncing this wallet, so until it ends these options have no "
            "effect: " +
            ignored);
    }
    WaitForOther other(options, global, awaited, console);
    auto wallet = other.wait();
    if (wallet) {
        options.connection.timeout = other.remaining_timeout();
    } else {
        other.warn_of_trouble(console);
    }
    return wallet;
}

}  // namespace petal::cli
