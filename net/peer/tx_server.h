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

/// Announces transactions, and serves each to the peers that it was announced to. The caller
/// chooses the peers, and checks that they accept transactions (the relay flag of their version).
class TxServer {
public:
    /// How often one peer is sent the same transaction for one announcement. Once should suffice.
    static constexpr int kMaxServed = 3;

    /// Replaces the transactions; the new ones count as announced to no peer.
    void start(std::vector<chain::OwnTransaction> transactions);

    bool empty() const { return own_.empty(); }
    /// The size of the largest transaction, with its witnesses.
    std::size_t largest_bytes() const;

    /// Whether announce() would announce anything to such a peer.
    bool has_for(chain::Satoshis least_fee_rate, const RecentTxids& known = RecentTxids{0}) const;

    /// The announcement for a peer, which may then request the transactions: all that pay enough,
    /// or whose fee is unknown. Empty if there are none. The peer may request their ancestors, too,
    /// whatever these pay: nodes accept them together with their descendants.
    /// least_fee_rate   the peer's `feefilter`, in satoshi per 1,000 vB (BIP133)
    /// known            the transactions that the peer announced, which are not announced back to
    ///                  it
    Inv announce(PeerId peer, chain::Satoshis least_fee_rate,
                 const RecentTxids& known = RecentTxids{0});

    /// The transaction that a `getdata` entry requests, to be sent with its witnesses. Null if it
    /// was not announced to the peer, nor any descendant, or served kMaxServed times.
    const chain::Transaction* serve(PeerId peer, const Inventory& entry);
    /// Sends what serve() gives, and `notfound` for the rest. Returns the transactions sent.
    std::vector<chain::Txid> answer(PeerId peer, const GetData& request, Outbox& outbox);

private:
    struct Own {
        chain::OwnTransaction what;
        std::map<PeerId, int> served;  // to those it, or a descendant, was announced to
    };

    void allow_with_ancestors(PeerId peer, const chain::Txid& txid);

    std::vector<chain::Txid> order_;
    std::map<chain::Txid, Own> own_;
};

}  // namespace petal::net
