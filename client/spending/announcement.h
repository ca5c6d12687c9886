/// Announces transactions to peers that do not have a wallet's filter.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "chain/transaction.h"
#include "chain/watcher.h"
#include "client/data/data_folder.h"
#include "client/sync/peer_source.h"
#include "net/io/broadcast_client.h"
#include "wallet/spending/payment.h"
#include "wallet/wallet.h"

namespace petal::client {

/// The wallet's own unconfirmed payments that are ancestors of a transaction, each after its own
/// ancestors. Peers may lack the ancestors if the process was killed before the announcement, or if
/// mempools have dropped them since.
std::vector<chain::OwnTransaction> unconfirmed_ancestors(const wallet::Wallet& wallet,
                                                         const chain::Transaction& transaction);

/// Functions that an announcement calls. Each may be empty.
struct AnnouncementEvents {
    /// As BroadcastRoute::on_progress.
    std::function<void(const net::BroadcastReport&)> on_progress;
    PeerSource::OnTrouble on_trouble;
    /// Which nodes got a filter could not be read for some wallet: the transaction may be announced
    /// to one of them first.
    std::function<void()> on_unread_filter_hosts;
    /// Only by deliver_payment(): the wallet could not store that nodes have the payment. Its
    /// change can't be spent before a sync has seen the payment.
    std::function<void(const wallet::WalletError&)> on_unnoted;
};

/// Announces a transaction: at first to peers that got no filter of any wallet of the network, as
/// far as known (all_filter_hosts()). Blocks at most for the connection's timeout, two minutes
/// without one. Throws DataFolderError.
/// ancestors   see net::BroadcastOptions
/// wallet      the name of the wallet that owns the transaction. The wallet need not exist
net::BroadcastResult announce(chain::OwnTransaction own,
                              std::vector<chain::OwnTransaction> ancestors,
                              const ConnectionOptions& connection, const DataFolder& data,
                              const std::string& wallet, const AnnouncementEvents& events = {});

/// Stores a payment in its wallet. Returns false, and stores nothing, if the payment's coins can't
/// be spent any more.
using KeepPayment = std::function<bool(wallet::Wallet&, const wallet::Payment&)>;

/// Stores a signed payment, then announces it with its ancestors: a payment that was announced but
/// not stored would be made a second time. If peers have it, notes so in the wallet. The wallet is
/// closed meanwhile, so that other processes can change it. Returns nothing, and announces nothing,
/// if `keep` returns false. Throws as announce(), and wallet::WalletError before the announcement.
/// wallet   opened to change it
/// keep     empty for wallet::Wallet::keep_payment() at the present time
/// name     of the wallet
std::optional<net::BroadcastResult> deliver_payment(wallet::Wallet wallet,
                                                    const wallet::Payment& payment,
                                                    const KeepPayment& keep,
                                                    const ConnectionOptions& connection,
                                                    const DataFolder& data, const std::string& name,
                                                    const AnnouncementEvents& events = {});

}  // namespace petal::client
