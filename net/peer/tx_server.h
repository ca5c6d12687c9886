/// Transactions of our own, handed to peers.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "chain/watcher.h"
#include "net/peer/commands.h"
#include "net/peer/recent_txids.h"
#include "net/wire/messages.h"

namespace petal::net {

/// Announces transactions, and gives each to those peers that it was announced to. Whether a peer
/// takes any (its version's relay flag) and which peers to tell is for the caller to decide.
class TxServer {
public:
    /// How often one peer gets the same transaction for one announcement. Once would do.
    static constexpr int kMaxHandedOut = 3;

    /// These in place of those that there were; announced to no peer so far.
    void start(std::vector<chain::OwnTransaction> transactions);

    bool empty() const { return own_.empty(); }
    /// The bytes of the largest with its witnesses.
    std::size_t largest_bytes() const;

    /// Whether announce() would announce anything to such a peer.
    bool has_for(chain::Satoshis least_fee_rate, const RecentTxids& known = RecentTxids{0}) const;

    /// What to announce to a peer, which may ask for it from then on: all that pays enough, or may
    /// do so. Empty where nothing does.
    /// least_fee_rate   what the peer takes, in satoshi per 1,000 vB (BIP133)
    /// known            what it has told us of: only its owner would tell it of that
    Inv announce(PeerId peer, chain::Satoshis least_fee_rate,
                 const RecentTxids& known = RecentTxids{0});

    /// The transaction that an entry of a getdata asks for, to be sent whole: without its witnesses
    /// it would be invalid. Null where the peer may not have it.
    const chain::Transaction* hand_out(PeerId peer, const Inventory& entry);

private:
    struct Own {
        chain::OwnTransaction what;
        std::map<PeerId, int> handed_out;  // to those it was announced to
    };

    std::vector<chain::Txid> order_;
    std::map<chain::Txid, Own> own_;
};

}  // namespace petal::net
