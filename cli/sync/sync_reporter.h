/// What `sync` and `wait` report of one wallet's sync.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "chain/headers/header_chain.h"
#include "cli/options/options.h"
#include "cli/sync/display/failure_reporter.h"
#include "cli/sync/display/follow_events.h"
#include "cli/sync/display/sync_display.h"
#include "cli/sync/display/sync_log.h"
#include "cli/sync/sync_commands.h"
#include "cli/sync/text/sync_report.h"
#include "cli/terminal/console.h"
#include "client/sync/source_choice.h"
#include "client/sync/wallet_sync.h"

namespace petal::cli {

/// Warns of important facts about the network and the stored headers.
void report_files(const client::SyncSource& source, Console& console);

/// Warnings about the chain. One wallet of a group warns for the whole group.
struct ChainWarnings {
    bool of_low_work = false;
    bool of_old_tip = false;
    std::set<std::string> of_nodes;  ///< the warnings about named nodes
};

/// Reports the events of one wallet's sync in words, and then the result.
class SyncReporter {
public:
    /// Sets the events of the sync. The arguments must outlive the reporter.
    /// global   names the wallet
    /// shared   whether several wallets are synced together
    SyncReporter(const SyncCommandOptions& options, GlobalOptions global, Console& console,
                 SyncDisplay& display, client::SyncSource& source, client::WalletSync& sync,
                 ChainWarnings& warned, bool shared);
    SyncReporter(const SyncReporter&) = delete;
    SyncReporter& operator=(const SyncReporter&) = delete;

    /// Reports the result. Throws CommandError if the sync did not succeed.
    /// missing   the missing part of the awaited state. Empty for none
    void conclude(const client::SyncReport& report, const std::string& missing = {});

private:
    std::string prefix() const { return shared_ ? "wallet '" + global_.wallet + "': " : ""; }
    void set_events();
    void set_warnings();
    void on_progress(const net::SyncStatus& status);
    void warn(const std::string& text);
    /// Whether SourceChooser chooses the source.
    bool has_auto_source() const { return sync_.chooser() != nullptr; }
    void report_useless_nodes(const client::SyncReport& report);
    void report_source();
    void report_repeated_search(const net::SyncStatus& status);
    void warn_of_large_download(const client::SyncReport& report);
    void warn_of_chain();
    void warn_of_other_chain(const net::SyncStatus& status);

    const SyncCommandOptions& options_;
    GlobalOptions global_;
    Console& console_;
    SyncDisplay& display_;
    client::SyncSource& source_;
    client::WalletSync& sync_;
    ChainWarnings& warned_;
    bool shared_;
    FailureReporter failures_;
    SyncLog log_;
    std::optional<FollowEvents> follow_;
    std::optional<client::SourceChoice> source_choice_;  // that was reported
    bool told_repeated_search_ = false;
    std::size_t shown_ = 0;  // the sync's number in the display
};

}  // namespace petal::cli
