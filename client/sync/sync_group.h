/// The syncs of several wallets at once.
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "chain/headers/anchors.h"
#include "client/data/data_folder.h"
#include "client/sync/peer_source.h"
#include "client/sync/wallet_sync.h"
#include "net/io/dial/endpoint.h"
#include "net/io/spv_group.h"
#include "wallet/wallet.h"

namespace petal::client {

/// Whether the node is on the user's own machine or network, and may know which wallets belong
/// together.
bool is_at_home(const net::Endpoint& peer);

/// The number of peers for each of several wallets if `peers` are allowed in total. At least two if
/// two are allowed, because a second peer reveals matches that the first peer omits.
std::size_t peers_for_each(std::size_t peers, std::size_t wallets);

/// Syncs of several wallets side by side: headers are downloaded once, and no node that the user
/// did not name gets the filters of two wallets.
class SyncGroup {
public:
    using End = net::SpvGroup::End;
    using OnException = std::function<void(const std::exception_ptr&)>;

    /// Throws as SyncSource.
    /// start     the lowest of the wallets' (start_of())
    /// wallets   how many will be added, at most; at least 1
    SyncGroup(WalletSyncOptions options, const DataFolder& data, const chain::Anchor& start,
              std::size_t wallets, PeerSource::OnTrouble on_trouble);

    SyncSource& source() { return source_; }
    const SyncSource& source() const { return source_; }

    /// Adds a wallet that is opened for a sync. Throws wallet::WalletError, and the exceptions of
    /// `prepare`. Then it is not added.
    /// prepare        sets the events of its sync. May be empty
    /// on_exception   see SpvEvents::on_exception
    WalletSync& add(std::string name, wallet::Wallet wallet,
                    const std::function<void(WalletSync&)>& prepare, OnException on_exception);
    /// Runs all syncs. Returns their ends, in the order in which they were added, each for
    /// WalletSync::finish(). An exception ends only the sync in which it was thrown. Call this
    /// once.
    std::vector<End> run() { return group_.run(); }
    /// Ends all syncs. Called by events.
    void stop() { group_.stop(); }

private:
    WalletSyncOptions options_;
    SyncSource source_;
    std::size_t max_peers_;  // of each
    std::deque<WalletSync> syncs_;
    net::SpvGroup group_;
};

}  // namespace petal::client
