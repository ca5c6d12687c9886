/// The sync of one wallet, alone or together with others.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "chain/headers/anchors.h"
#include "chain/headers/header_chain.h"
#include "chain/headers/header_file.h"
#include "chain/watcher.h"
#include "cli/console.h"
#include "cli/options/options.h"
#include "cli/sync/display/failure_reporter.h"
#include "cli/sync/display/follow_events.h"
#include "cli/sync/display/sync_display.h"
#include "cli/sync/display/sync_log.h"
#include "cli/sync/other_sync.h"
#include "cli/sync/sync_commands.h"
#include "cli/sync/sync_report.h"
#include "client/data/fee_floor.h"
#include "client/data/filter_hosts.h"
#include "client/data/sync_standing.h"
#include "client/sync/peer_source.h"
#include "net/io/spv_client.h"
#include "net/sync/sync_engine.h"
#include "wallet/wallet.h"

namespace petal::cli {

/// The block at which the headers start for a wallet of this birthday.
chain::Anchor start_of(const SyncCommandOptions& options, const chain::Birthday& birthday,
                       const chain::NetworkParams& network);

/// The shared parts of the syncs of one run: the source of peers, and the headers.
struct SyncSource {
    /// The options must outlive it.
    SyncSource(const SyncCommandOptions& options, const GlobalOptions& global, Console& console,
               const chain::Anchor& start);

    /// Warns of important facts about the network and the stored headers.
    void tell_of_files(const GlobalOptions& global, Console& console) const;

    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    client::PeerSource peers;
    chain::HeaderChain chain;
    chain::HeaderFile file;
    net::SharedHeaders shared;
    client::FeeFloorWriter fee_floor;  // of the peers of all wallets

    /// Warnings of the chain, which one of the wallets gives for all.
    struct Warned {
        bool of_low_work = false;
        bool of_old_tip = false;
        std::set<chain::BlockHash> of_invalid_blocks = {};
    };
    Warned warned;
};

/// A wallet among several that are synced together.
struct WalletPlace {
    std::size_t number = 0;
    std::size_t max_peers = 0;
};

/// One wallet's sync, for a client that runs it.
class WalletSync {
public:
    using Clock = std::chrono::steady_clock;

    /// All references must outlive it.
    /// global   names the wallet
    /// until    ends the run when it is reached, once all blocks are searched; null for none
    /// place    empty for a wallet that is synced alone
    WalletSync(const SyncCommandOptions& options, GlobalOptions global, Console& console,
               wallet::Wallet wallet, SyncSource& source,
               const std::optional<WalletPlace>& place = std::nullopt,
               const AwaitedState* until = nullptr);
    WalletSync(const WalletSync&) = delete;
    WalletSync& operator=(const WalletSync&) = delete;

    /// Prepares a client.
    /// stop   ends the client's run
    net::SpvOptions client_options(SyncDisplay& display, std::function<void()> stop);
    /// Call this after the client has ended. Throws CommandError if it did not succeed.
    SyncReport finish(net::SpvResult result);

    const wallet::Wallet& wallet() const { return wallet_; }
    const GlobalOptions& global() const { return global_; }
    net::SyncEngine& engine() { return engine_; }

private:
    /// The parts that report to the user while the client runs.
    struct Reporting {
        FailureReporter failures;
        SyncLog log;
        std::optional<FollowEvents> events;
        std::string failed;             // why no peer could be connected to
        bool of_other_chain = false;    // at present
        bool of_shorter_chain = false;  // ever
        bool of_old_tip = false;        // at present
        bool of_early = false;          // at present: a block is ahead of the clock
        bool of_far_ahead = false;      // ever: a block is too far ahead to wait for it
    };
    /// The condition that ends the run.
    struct Goal {
        const AwaitedState* state = nullptr;  // null for none
        bool is_reached = false;
    };

    bool stays() const { return options_.follow || goal_.state != nullptr; }
    std::string prefix() const { return place_ ? "wallet '" + global_.wallet + "': " : ""; }
    net::SyncOptions engine_options() const;
    void start_reporting(SyncDisplay& display);
    void on_progress(const net::SyncStatus& status, SyncDisplay& display, std::size_t shown,
                     const std::function<void()>& stop);
    void note_end_of_blocks(const net::SyncStatus& status);
    void note_filter_host(const net::PeerReport& peer);
    void warn_of_chain();
    void tell_of_old_tip();
    void warn_of_stale_tip();
    void tell_of_lighter_chain(const net::SyncStatus& status);
    void tell_of_early(const net::SyncStatus& status, std::int64_t now);
    void warn_of_invalid_block(const chain::InvalidBlock& invalid);
    void check_not_overtaken() const;
    double seconds_so_far() const;
    SyncReport report(net::SpvResult result) const;

    const SyncCommandOptions& options_;
    GlobalOptions global_;
    Console& console_;
    std::optional<WalletPlace> place_;
    Goal goal_;
    std::optional<double> blocks_seconds_;
    wallet::Wallet wallet_;
    client::StandingWriter standing_;  // while the wallet is locked
    client::FilterHosts filter_hosts_;
    SyncSource& source_;
    net::SyncEngine engine_;
    std::optional<Reporting> reporting_;
};

}  // namespace petal::cli
