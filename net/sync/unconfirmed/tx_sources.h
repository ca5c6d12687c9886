/// Which connected peers show an unconfirmed transaction.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <span>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"

namespace petal::net {

/// The numbers of a node and its network group (PeerIdentity), for the watcher.
chain::TxSource source_of(const chain::Bytes& network_group, std::string_view node);

/// Notes which peer sent which transaction. A peer shows a transaction until it sends another one
/// that spends one of its inputs, as after a replacement. Memory is bounded by the caller, which
/// notes only transactions that are tracked (UnconfirmedMatches).
class TxSources {
public:
    /// The number of times that a peer may change its mind about one transaction.
    static constexpr std::uint32_t kMaxWords = 8;

    /// What note() has changed.
    enum class News : std::uint8_t {
        none,      ///< the peer shows the transaction already
        more,      ///< one more peer shows it
        first,     ///< it is the first peer that does
        conflict,  ///< peers show, or the peer showed, another transaction that spends an input
    };
    /// The result of note().
    struct Noted {
        News news = News::none;
        /// The transactions that spend one of the inputs, and that a peer had sent last before the
        /// call; empty if nothing has changed.
        std::vector<chain::Txid> spenders;
    };
    /// The peer has sent the transaction.
    /// inputs   the outpoints that the transaction spends, here and below
    Noted note(const chain::Txid& txid, std::span<const chain::Outpoint> inputs, PeerId peer);
    /// The connection has ended.
    void forget(PeerId peer);
    /// Forgets all other transactions.
    void keep_only(const std::function<bool(const chain::Txid&)>& is_kept);

    /// All transactions that a connected peer has sent.
    std::vector<chain::Txid> txids() const;
    /// The peers that show the transaction.
    std::vector<PeerId> peers_of(const chain::Txid& txid,
                                 std::span<const chain::Outpoint> inputs) const;

private:
    std::vector<chain::Txid> last_spenders(std::span<const chain::Outpoint> inputs) const;
    bool shows(PeerId peer, const chain::Txid& txid, std::span<const chain::Outpoint> inputs) const;

    /// How often each peer began to show a transaction.
    std::unordered_map<chain::Txid, std::map<PeerId, std::uint32_t>> words_;
    /// The last transaction by which each peer spent an outpoint.
    std::map<PeerId, std::unordered_map<chain::Outpoint, chain::Txid>> last_spends_;
};

}  // namespace petal::net
