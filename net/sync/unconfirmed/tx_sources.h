/// Which connected peers have sent an unconfirmed transaction.
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

/// The ids of a node and its network group (PeerIdentity), for the watcher.
chain::TxSource source_of(const chain::Bytes& network_group, std::string_view node);

/// Records which peer sent which transaction. A peer shows a transaction until the peer sends a
/// conflicting transaction, as after a replacement. The caller bounds the memory, by recording only
/// tracked transactions (UnconfirmedMatches).
class TxSources {
public:
    /// How often a peer may switch to the same transaction.
    static constexpr std::uint32_t kMaxWords = 8;

    /// What add() changed.
    enum class News : std::uint8_t {
        none,      ///< the peer shows the transaction already
        more,      ///< one more peer shows the transaction
        first,     ///< no other peer shows the transaction
        conflict,  ///< a peer shows or showed another transaction that spends an input
    };
    /// The result of add().
    struct Added {
        News news = News::none;
        /// The transactions that peers showed before the call for any of the inputs. Empty if
        /// nothing changed.
        std::vector<chain::Txid> spenders;
    };
    /// Records that the peer sent the transaction.
    /// inputs   the outpoints that the transaction spends (also below)
    Added add(const chain::Txid& txid, std::span<const chain::Outpoint> inputs, PeerId peer);
    /// The connection ended.
    void forget(PeerId peer);
    /// Forgets all transactions for which `is_kept` returns false.
    void keep_only(const std::function<bool(const chain::Txid&)>& is_kept);

    /// All transactions that a connected peer sent.
    std::vector<chain::Txid> txids() const;
    /// The peers that show the transaction.
    std::vector<PeerId> peers_of(const chain::Txid& txid,
                                 std::span<const chain::Outpoint> inputs) const;

private:
    std::vector<chain::Txid> last_spenders(std::span<const chain::Outpoint> inputs) const;
    bool shows(PeerId peer, const chain::Txid& txid, std::span<const chain::Outpoint> inputs) const;

    /// How often each peer switched to a transaction.
    std::unordered_map<chain::Txid, std::map<PeerId, std::uint32_t>> words_;
    /// For each peer, the last transaction that spends an outpoint.
    std::map<PeerId, std::unordered_map<chain::Outpoint, chain::Txid>> last_spends_;
};

}  // namespace petal::net
