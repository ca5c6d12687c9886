/// Announces and serves our own transactions.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/peer/recent_txids.h"
#include "net/wire/messages.h"

namespace petal::net {

/// Announces our own transactions, and serves each transaction only to peers that got the
/// announcement. The caller chooses peers that accept transactions (relay flag in `version`).
class TxServer {
public:
    /// How often a peer may request one transaction per announcement. Once should suffice.
    static constexpr int kMaxServed = 3;

    /// Replaces the transactions. The new transactions count as not announced.
    void start(std::vector<chain::OwnTransaction> transactions);

    bool empty() const { return own_.empty(); }
    /// The size of the largest transaction, including witnesses.
    std::size_t largest_bytes() const;

    /// Whether announce() would announce anything to a peer with this feefilter and these
    /// announcements.
    bool has_for(chain::Satoshis least_fee_rate, const RecentTxids& known = RecentTxids{0}) const;

    /// The announcement for a peer: all transactions that pay the peer's feefilter, or whose fee is
    /// unknown. Empty if there are none. The peer may then request these transactions, and their
    /// unconfirmed ancestors at any fee: nodes accept low-fee ancestors as a package with their
    /// descendants.
    /// least_fee_rate   the peer's `feefilter`, in satoshi per 1,000 vB (BIP133)
    /// known            transactions that the peer announced, which are not announced back
    Inv announce(PeerId peer, chain::Satoshis least_fee_rate,
                 const RecentTxids& known = RecentTxids{0});

    /// The transaction that a `getdata` entry requests, to be sent with witnesses. Null if neither
    /// the transaction nor a descendant was announced to the peer, or if it was served kMaxServed
    /// times.
    const chain::Transaction* serve(PeerId peer, const Inventory& entry);
    /// Sends the transactions of serve(), and `notfound` for the rest. Returns the transactions
    /// sent.
    std::vector<chain::Txid> answer(PeerId peer, const GetData& request, Outbox& outbox);

private:
    struct Own {
        chain::OwnTransaction what;
        std::map<PeerId, int> served;  // how often each allowed peer was served
    };

    void allow_with_ancestors(PeerId peer, const chain::Txid& txid);

    std::vector<chain::Txid> order_;
    std::map<chain::Txid, Own> own_;
};

}  // namespace petal::net
