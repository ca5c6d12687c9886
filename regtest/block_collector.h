/// Blocks that a peer has and the chain has not: which are asked for, and which were sent.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "net/wire/messages.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/message_queue.h"

namespace petal::regtest {

/// Requests headers from one peer, and the blocks of a branch that has more work than the active
/// one, in order (Bitcoin Core: ProcessHeadersMessage, FindNextBlocksToDownload). The chain decides
/// whether they are valid. The chain must outlive it.
class BlockCollector {
public:
    /// The number of blocks that Core requests from a peer at a time
    /// (MAX_BLOCKS_IN_TRANSIT_PER_PEER).
    static constexpr std::size_t kMaxRequested = 16;
    /// The maximum number of blocks beside the tip, at its height, that the node accepts without
    /// having requested them, so that peers do not fill its memory.
    static constexpr std::size_t kMaxRivals = 8;
    /// Meanwhile the blocks are requested from other peers that announce them.
    static constexpr std::chrono::milliseconds kAnswerLimit = std::chrono::minutes{2};

    explicit BlockCollector(const RegtestChain& chain) : chain_(chain) {}

    /// Requests the headers after the active chain.
    void ask_for_headers() { asks_for_headers_ = true; }
    /// The peer announces blocks.
    void take(const net::Inv& announcement);
    /// Returns why the peer misbehaves; empty if it doesn't.
    std::optional<std::string> take(const net::Headers& message);
    /// Keeps the block if it was requested, or if its branch has as much work as the active chain
    /// (Bitcoin Core: AcceptBlock), up to kMaxRivals. If its parent is unknown, requests the
    /// headers before it; Core disconnects such a peer.
    void take(const net::FullBlock& message, std::chrono::milliseconds now);
    /// Blocks that the peer does not have are not requested again before it announces them again;
    /// neither are their descendants.
    void take(const net::NotFound& message);

    /// The highest block that the peer has announced or sent, and that the chain knows; null for
    /// none.
    const Chainstate::Entry* best_known() const;
    /// The heights of the blocks that the peer was asked for and has not sent, in order.
    std::vector<std::uint32_t> requested_heights() const;

    /// The requests to send now, if any.
    std::vector<net::Message> requests(std::chrono::milliseconds now);
    /// Whether the peer has sent none of the requested blocks for kAnswerLimit, and no other peer
    /// has sent any of them.
    bool is_late(std::chrono::milliseconds now) const;
    /// The size on the wire of the blocks that take_one() would return.
    std::size_t arrived_bytes() const { return arrived_.blocks.bytes(); }
    /// The received blocks, in order, one a call; empty when there are no more.
    std::optional<chain::Block> take_one();

private:
    net::GetHeaders header_request() const;
    /// Whether the branch of the wanted blocks has, by its headers.
    bool has_more_work() const;
    std::optional<std::uint32_t> height_of(const chain::BlockHash& hash) const;
    bool is_unknown(const chain::BlockHash& hash) const;
    bool has_room_at(std::uint32_t height) const;
    void note_block_of_peer(const chain::BlockHash& hash);
    /// The height of a block with this header; empty if its parent is unknown.
    std::optional<std::uint32_t> height_behind(const chain::BlockHeader& header) const;

    const RegtestChain& chain_;
    bool asks_for_headers_ = false;
    /// The last header of a full message, after which there may be more.
    std::optional<chain::BlockHash> goes_on_behind_;
    /// Not requested yet: enough blocks for more work than the chain's, and at most two messages.
    std::deque<chain::BlockHash> wanted_;
    std::uint32_t wanted_height_ = 0;  // of the last one
    chain::BlockHash last_wanted_;
    std::unordered_map<chain::BlockHash, std::uint32_t> requested_;  // open ones; heights
    std::chrono::milliseconds waits_since_{0};                       // for the next requested block
    /// Requested together with a block that the peer does not have; they may still arrive, without
    /// their parent.
    std::unordered_map<chain::BlockHash, std::uint32_t> given_up_;
    struct {
        MessageQueue blocks;
        std::unordered_map<chain::BlockHash, std::uint32_t> heights;
    } arrived_;
    /// The last block that the peer has shown, and the highest known one of the blocks before.
    struct {
        chain::BlockHash last;
        chain::BlockHash best;
    } shown_;
};

}  // namespace petal::regtest
