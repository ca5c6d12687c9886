/// The sync of one wallet, alone or together with others.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "chain/headers/anchors.h"
#include "chain/headers/header_chain.h"
#include "chain/headers/header_file.h"
#include "chain/uint256.h"
#include "chain/watcher.h"
#include "client/data/data_folder.h"
#include "client/data/fee_floor.h"
#include "client/data/filter_hosts.h"
#include "client/data/sync_standing.h"
#include "client/sync/peer_source.h"
#include "client/sync/source_choice.h"
#include "client/sync/sync_report.h"
#include "client/sync/sync_watch.h"
#include "net/io/spv_client.h"
#include "net/sync/blocks/second_opinions.h"
#include "net/sync/filters/privacy.h"
#include "net/sync/sync_engine.h"
#include "wallet/wallet.h"

namespace petal::client {

/// How a wallet is synced.
struct WalletSyncOptions {
    ConnectionOptions connection;
    SourceOption source = SourceOption::by_default;
    net::CrossCheckMode cross_check = net::CrossCheckMode::sample;
    std::optional<net::Privacy> privacy;  ///< empty: unchanged
    std::optional<std::chrono::milliseconds> wait_unconfirmed;
    /// Empty: by the filter for blocks, or all transactions of one peer if the source has none.
    std::optional<net::UnconfirmedMode> unconfirmed;
    bool follow = false;        ///< continue until the run is stopped
    bool from_genesis = false;  ///< trust no anchor
    /// A chain with less work is ignored. Empty for the network's minimum.
    std::optional<chain::Uint256> minimum_chainwork;
};

/// The block at which the headers start for a wallet of this birthday.
chain::Anchor start_of(const WalletSyncOptions& options, const chain::Birthday& birthday,
                       const chain::NetworkParams& network);

/// The shared parts of the syncs of one run: the source of peers, and the headers.
struct SyncSource {
    /// Throws DataFolderError and the exceptions of chain::HeaderFile.
    SyncSource(const WalletSyncOptions& options, const DataFolder& data, const chain::Anchor& start,
               PeerSource::OnTrouble on_trouble);
    SyncSource(const SyncSource&) = delete;
    SyncSource& operator=(const SyncSource&) = delete;

    std::chrono::steady_clock::time_point started = std::chrono::steady_clock::now();
    DataFolder data;
    PeerSource peers;
    chain::HeaderChain chain;
    chain::HeaderFile file;
    net::SharedHeaders shared;
    SharedChoice shared_choice;
    FeeFloorWriter fee_floor;                     ///< of the peers of all wallets
    std::set<chain::BlockHash> reported_invalid;  ///< WalletSyncEvents::on_invalid_block
};

/// A wallet among several that are synced together.
struct GroupMember {
    std::size_t number = 0;
    std::size_t max_peers = 0;
};

/// Functions that a sync calls as things happen. Each may be empty.
struct WalletSyncEvents {
    /// As SpvEvents::on_progress. The other functions were called for this change before.
    std::function<void(const net::SyncStatus&)> on_progress;
    /// Called once, when the last block is searched.
    std::function<void()> on_blocks_done;
    /// As SpvEvents::on_message.
    std::function<void(const std::string& peer, bool is_sent, std::string_view command,
                       std::size_t bytes)>
        on_message;
    /// As SpvEvents::on_failure.
    std::function<void(const net::SpvResult& so_far)> on_failure;
    /// Returns SyncStanding::failures, called after on_failure.
    std::function<std::string(const net::SpvResult& so_far)> failure_words;
    std::function<void(const chain::ChainMove&)> on_reorganisation;
    /// Called once for a block, by one of the wallets that share a source.
    std::function<void(const chain::InvalidBlock&)> on_invalid_block;
    std::function<void(const chain::BlockRef&)> on_withheld_block;
    std::function<void(const net::FilterConflict&)> on_filter_conflict;
    /// A peer got the wallet's filter, which could not be noted: payments may be announced first
    /// to this peer.
    std::function<void(const net::PeerReport&, const std::system_error&)> on_unrecorded_filter_host;
    /// What may keep the wallet behind the network.
    SyncWatchEvents watch;
};

/// One wallet's sync, for a client that runs it. While the wallet is locked for it, other processes
/// read its standing (SyncStanding).
class WalletSync {
public:
    using Clock = std::chrono::steady_clock;
    /// A state that ends the run once all blocks are searched.
    using Until = std::function<bool(const wallet::Wallet&)>;

    /// The source must outlive it.
    /// name     of the wallet
    /// wallet   opened for a sync
    /// member   empty for a wallet that is synced alone
    /// until    empty for none
    WalletSync(WalletSyncOptions options, std::string name, wallet::Wallet wallet,
               SyncSource& source, const std::optional<GroupMember>& member = std::nullopt,
               Until until = {});
    WalletSync(const WalletSync&) = delete;
    WalletSync& operator=(const WalletSync&) = delete;

    /// Set these before client_options().
    WalletSyncEvents events;

    /// Prepares a client.
    /// stop   ends the client's run
    net::SpvOptions client_options(std::function<void()> stop);
    /// Call this after the client has ended.
    SyncReport finish(net::SpvResult result);

    /// The source of matches. Empty until it is chosen.
    std::optional<SourceChoice> source_choice() const;
    /// Null if the user named the source.
    const SourceChooser* chooser() const { return chooser_ ? &*chooser_ : nullptr; }

    const std::string& name() const { return name_; }
    const wallet::Wallet& wallet() const { return wallet_; }
    net::SyncEngine& engine() { return engine_; }
    const net::SyncEngine& engine() const { return engine_; }
    /// Whether the run continues once all blocks are searched.
    bool stays() const { return options_.follow || until_; }

private:
    ChoiceInputs choice_inputs() const;
    net::SyncOptions engine_options();
    void look_for_services();
    std::optional<std::string> relay_node() const;
    void connect_engine();
    void on_failure(const net::SpvResult& so_far);
    void on_progress(const net::SyncStatus& status, const std::function<void()>& stop);
    void record_times(const net::SyncStatus& status);
    void record_filter_host(const net::PeerReport& peer);
    void record_relay_node(const net::PeerReport& peer);
    void report_invalid_block(const chain::InvalidBlock& invalid);
    SyncEnd end_of(const net::SpvResult& result) const;
    bool is_overtaken() const;
    double seconds_so_far() const;

    const WalletSyncOptions options_;
    std::string name_;
    std::optional<GroupMember> member_;
    Until until_;
    bool is_reached_ = false;  // the state of until_
    std::optional<double> blocks_seconds_;
    std::optional<double> done_seconds_;
    bool awaited_undone_ = false;
    std::string failures_;  // SyncStanding::failures
    wallet::Wallet wallet_;
    SyncSource& source_;
    StandingWriter standing_;  // while the wallet is locked
    FilterHosts filter_hosts_;
    SyncWatch watch_;
    std::optional<SourceChooser> chooser_;  // unless the user named the source
    net::SyncEngine engine_;
};

}  // namespace petal::client
