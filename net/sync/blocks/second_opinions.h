/// Blocks that are requested from two peers, to detect a peer that leaves matches out.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "bloom/bloom_filter.h"
#include "chain/watcher.h"
#include "net/peer/commands.h"

namespace petal::net {

enum class CrossCheckMode : std::uint8_t {
    none,
    sample,  ///< one block in twenty
    all,
};

/// Keeps first answers until a second one can be compared with them. CrossChecker decides which
/// peers may be asked, and disconnects peers that left matches out.
///
/// A merkle proof shows that transactions are in a block, but not that the block has no further
/// matches. If a peer leaves out a match, only a second peer's answer reveals the match. Each
/// transaction is proven by itself, so the transactions of both answers are used. A peer is
/// detected if it left out a transaction that every server with the same filter would send.
class SecondOpinions {
public:
    /// The default memory limit of answers that wait, their filters included.
    static constexpr std::size_t kMaxBytes = 16'000'000;

    /// One peer's answer for a block, and the filter by which it was served.
    struct Answer {
        PeerId peer = 0;
        std::shared_ptr<const bloom::BloomFilter> filter;
        chain::ProvenBlock block;
    };

    struct Verdict {
        /// Whether the second answer holds transactions that the first does not.
        bool has_more = false;
        /// The peers that left out transactions that every server with their filter would send.
        std::vector<PeerId> omitters;
    };

    /// seed        selects the blocks to check; peers must not know it
    /// max_bytes   the memory limit
    SecondOpinions(CrossCheckMode mode, std::uint64_t seed, std::size_t max_bytes = kMaxBytes)
        : mode_(mode), seed_(seed), max_bytes_(max_bytes) {}

    /// Whether this block is requested from two peers.
    bool is_selected_for_check(std::uint32_t height) const;

    /// Adds the first answer for a selected block, in place of any other. Returns false if there is
    /// no room for it; room() is then 0 until there is.
    bool add(const Answer& first);
    /// Drops the answer for the lowest block. For when there is no peer to ask.
    void drop_lowest();
    /// Blocks for which this peer is asked for the second answer, at most `max`, up to the height
    /// `last`, in ascending order: blocks that a peer may not have yet are requested last. Includes
    /// blocks that were requested from a silent peer.
    /// may_cross_check   whether the peer may check answers of `other`
    using Judgement = std::function<bool(PeerId other)>;
    std::vector<chain::BlockRef> take(PeerId peer, std::size_t max, std::uint32_t last,
                                      const Judgement& may_cross_check, const Judgement& is_silent);

    /// Whether a second answer for this block is awaited. Any peer that was asked for one may send
    /// it, except the first peer.
    bool awaits(PeerId peer, std::uint32_t height) const;
    /// Whether a first answer of this peer has not been compared yet.
    bool has_answers_of(PeerId peer) const;
    /// Compares an awaited second answer with the first.
    Verdict compare(const Answer& second);

    /// The peer will not answer any more; other peers may be asked.
    void on_lost(PeerId peer);
    /// Drops the answer for this block.
    void forget(std::uint32_t height);
    /// Drops the answers for blocks above this height.
    void drop_above(std::uint32_t height);

    /// The number of further first answers that there is memory for, by the average size of the
    /// kept answers. 0 if kMaxChecks answers wait.
    std::size_t room() const;
    /// Whether no further blocks should be requested.
    bool is_full() const { return room() == 0; }
    /// Whether a second answer is awaited, of a peer that is not silent, or can be asked for.
    /// can_ask   whether any connected peer may check the block of this height that the first peer
    ///           delivered. If not, then none may check a higher block of that peer: only the
    ///           lowest is tried
    bool is_pending(const std::function<bool(PeerId, std::uint32_t height)>& can_ask,
                    const Judgement& is_silent) const;

    std::uint64_t compared_blocks() const { return compared_; }

private:
    static constexpr std::size_t kMaxChecks = 1'000;

    /// An answer, and the memory that its block takes.
    struct Kept {
        Answer answer;
        std::size_t bytes = 0;
    };
    using Answers = std::map<std::uint32_t, Kept>;  // by height
    struct Asked {
        Kept first;
        PeerId second = 0;
    };

    std::size_t waiting() const;
    void drop(const Kept& kept);

    CrossCheckMode mode_;
    std::uint64_t seed_;
    std::size_t max_bytes_;
    std::map<PeerId, Answers> unasked_;     // by the answering peer; none is empty
    std::map<std::uint32_t, Asked> asked_;  // by height
    std::size_t bytes_ = 0;                 // of all blocks kept, and of their filters, each once
    std::map<const bloom::BloomFilter*, std::size_t> uses_;  // number of answers with this filter
    std::size_t refused_bytes_ = 0;  // of the last answer without room; 0 after there was room
    std::uint64_t compared_ = 0;
};

}  // namespace petal::net
