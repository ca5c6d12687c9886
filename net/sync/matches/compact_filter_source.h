/// Matches from compact filters (BIP157, BIP158): the filter of each block is searched here, and
/// the block is requested in full if its filter matches.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "chain/hash.h"
#include "net/sync/matches/match_source.h"

namespace petal::net {

/// A filter has the scripts of all outputs that its block creates or spends, so it is searched for
/// scripts alone. Peers learn which blocks are requested in full, and nothing else:
/// - The blocks are spread over the peers. Which node gets a block depends on the watcher's secret
///   alone, so that a node learns no more if blocks are searched again.
/// - The server of a block's filter is not asked for the block, unless no other peer has it.
/// - So a block may arrive before a lower one. If it spends a coin of the lower block, it is
///   downloaded again, from the same peer.
/// - With Privacy::private_, one block in 512 is a decoy, which is requested in full whether or not
///   its filter matches. The watcher's secret alone determines which blocks are decoys.
///
/// A peer's filters are believed as far as the other connected peers have the same ones, see
/// FilterHashChecker.
class CompactFilterSource final : public MatchSource {
public:
    explicit CompactFilterSource(SyncContext& sync);

    PeerNeeds needs_of_next_peer() const override {
        return {.services = services_needed(MatchSourceKind::compact_filters)};
    }
    /// A full block counts as several filters.
    std::size_t window(SyncPeer& peer) override;
    /// For a full block, the hash of the block and the peer's node by the watcher's secret. The
    /// server of the block's filter comes last.
    std::uint64_t rank(const SyncPeer& peer, std::uint32_t height) const override;
    void prepare(SyncPeer& /*peer*/) override {}
    /// Requests the filter of each block, or the full block if its filter has matched.
    void request(SyncPeer& peer, std::span<const chain::BlockRef> blocks,
                 BlockPurpose purpose) override;

    chain::Expected<std::optional<Delivery>, Violation> match(SyncPeer& peer,
                                                              const CFilter& filter) override;
    chain::Expected<std::optional<Delivery>, Violation> search(SyncPeer& peer,
                                                               const FullBlock& block) override;
    /// A filter that matches does not settle its block.
    bool settle(Delivery& answer) override;

    // search() has added them to the index, and filters have the scripts that a block spends.
    void on_found(const std::vector<chain::Outpoint>& /*outpoints*/,
                  const SyncPeer* /*has_them*/) override {}
    void on_watched_changed() override;
    void on_unconfirmed_changed() override { index_.reset(); }
    bool must_apply_first() override { return false; }

private:
    bool is_decoy(const chain::BlockHash& block) const;
    HeightRanges settled_above(std::uint32_t height) const;

    chain::SipHashKey decoy_key_;
    chain::SipHashKey spread_key_;
    std::unordered_map<chain::BlockHash, PeerId> filter_servers_;  // of `full_blocks_`
    // Each is empty until it is used after a change.
    std::optional<std::vector<chain::Bytes>> scripts_;
    std::optional<WatchIndex> index_;
    // The blocks that are settled by their filters. Whichever outpoints are found, none of these
    // blocks spends them: the filter would have matched the spent output's script.
    HeightRanges settled_;
};

}  // namespace petal::net
