/// Downloads blocks from a peer that the chain does not have.
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

/// Requests headers from one peer, and the blocks of a branch with more work than the active chain,
/// in order (Bitcoin Core: ProcessHeadersMessage, FindNextBlocksToDownload). The chain validates
/// the blocks, and must outlive the collector.
class BlockCollector {
public:
    /// The maximum number of blocks in flight from a peer (Bitcoin Core:
    /// MAX_BLOCKS_IN_TRANSIT_PER_PEER).
    static constexpr std::size_t kMaxRequested = 16;
    /// The maximum number of unrequested blocks beside the tip, at the tip's height. Bounds the
    /// memory.
    static constexpr std::size_t kMaxRivals = 8;
    /// The time limit for an answer with blocks. Meanwhile, other peers that announce the blocks
    /// are asked, too.
    static constexpr std::chrono::milliseconds kAnswerLimit = std::chrono::minutes{2};

    /// headers_per_message   see NodeLimits
    explicit BlockCollector(const RegtestChain& chain,
                            std::size_t headers_per_message = net::kMaxHeadersPerMessage)
        : chain_(chain), headers_per_message_(headers_per_message) {}

    void ask_for_headers() { asks_for_headers_ = true; }
    /// The peer announced blocks.
    void take(const net::Inv& announcement);
    /// Returns why the peer misbehaves. Empty if it does not.
    std::optional<std::string> take(const net::Headers& message);
    /// Keeps a requested block, and an unrequested block if its branch has at least the work of the
    /// active chain (Bitcoin Core: AcceptBlock), up to kMaxRivals. If the parent is unknown,
    /// requests headers, where Bitcoin Core would disconnect the peer.
    void take(const net::FullBlock& message, std::chrono::milliseconds now);
    /// Blocks that the peer does not have, and their descendants, are not requested again until the
    /// peer announces them again.
    void take(const net::NotFound& message);

    /// The highest block that the peer announced or sent, among the blocks that the chain has. Null
    /// if there is none.
    const Chainstate::Entry* best_known() const;
    /// The heights of the blocks in flight, in order.
    std::vector<std::uint32_t> requested_heights() const;

    /// The requests to send now, if any.
    std::vector<net::Message> requests(std::chrono::milliseconds now);
    /// Whether neither this peer nor another peer delivered any of the requested blocks within
    /// kAnswerLimit.
    bool is_late(std::chrono::milliseconds now) const;
    /// The size on the wire of the blocks that take_one() would return.
    std::size_t arrived_bytes() const { return arrived_.blocks.bytes(); }
    /// Returns the received blocks in order, one per call. Empty if there are no more.
    std::optional<chain::Block> take_one();

private:
    net::GetHeaders header_request() const;
    /// Whether the branch of the wanted blocks has more work than the active chain, by headers.
    bool has_more_work() const;
    std::optional<std::uint32_t> height_of(const chain::BlockHash& hash) const;
    bool is_unknown(const chain::BlockHash& hash) const;
    bool has_room_at(std::uint32_t height) const;
    void set_block_of_peer(const chain::BlockHash& hash);
    /// The height of a block with this header. Empty if the parent is unknown.
    std::optional<std::uint32_t> height_behind(const chain::BlockHeader& header) const;

    const RegtestChain& chain_;
    std::size_t headers_per_message_;
    bool asks_for_headers_ = false;
    /// The last header of a full message, which more headers may follow.
    std::optional<chain::BlockHash> goes_on_behind_;
    /// Not requested yet. Enough blocks for more work than the active chain has, at most two
    /// messages of headers.
    std::deque<chain::BlockHash> wanted_;
    std::uint32_t wanted_height_ = 0;  // of the last wanted block
    chain::BlockHash last_wanted_;
    std::unordered_map<chain::BlockHash, std::uint32_t> requested_;  // in flight, with heights
    std::chrono::milliseconds waits_since_{0};                       // for the next block in flight
    /// Requested together with a block that the peer does not have. They may still arrive, without
    /// their parent.
    std::unordered_map<chain::BlockHash, std::uint32_t> given_up_;
    struct {
        MessageQueue blocks;
        std::unordered_map<chain::BlockHash, std::uint32_t> heights;
    } arrived_;
    /// The last block that the peer announced or sent, and the highest block before it that the
    /// chain has.
    struct {
        chain::BlockHash last;
        chain::BlockHash best;
    } shown_;
};

}  // namespace petal::regtest
