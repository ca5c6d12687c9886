/// Blocks that are asked of two servers, to find out whether one of them leaves matches out.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string_view>
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

/// The word for it on a command line.
std::string_view code_of(CrossCheckMode mode);

/// First answers that wait for a second one, and how the two compare. CrossChecker decides which
/// peers may be asked, and drops those that are caught.
///
/// A proof shows that a transaction is in a block, but not that no other one is: a server can leave
/// out matches, which is noticed only if another server is asked. Each transaction is proven by
/// itself, so what the two say is united; a peer that left out what its filter matches is caught.
class SecondOpinions {
public:
    using Milliseconds = std::chrono::milliseconds;

    /// For how long a peer that says nothing more holds up the end of a sync.
    static constexpr Milliseconds kPatience{2'000};

    /// What one server said of a block, and by which filter.
    struct Answer {
        PeerId peer = 0;
        std::shared_ptr<const bloom::BloomFilter> filter;
        chain::ProvenBlock block;
    };

    struct Verdict {
        /// Whether the second answer holds transactions that the first does not.
        bool has_more = false;
        /// Those that left out what their filter matches.
        std::vector<PeerId> omitters;
    };

    /// seed   decides which blocks are chosen; the servers must not know it
    SecondOpinions(CrossCheckMode mode, std::uint64_t seed) : mode_(mode), seed_(seed) {}

    /// Whether two servers are to be asked for this block.
    bool chooses(std::uint32_t height) const;

    /// Takes the first answer for a chosen block.
    void add(Answer first);
    /// Blocks of which this peer is to give a second opinion, at most `max`, up to the height
    /// `last`. may_cross_check   whether the peer may be asked about what that other one said
    std::vector<chain::BlockRef> take(PeerId peer, std::size_t max, std::uint32_t last,
                                      const std::function<bool(PeerId other)>& may_cross_check,
                                      Milliseconds now);

    /// Whether the peer was asked for a second opinion of the block.
    bool awaits(PeerId peer, std::uint32_t height) const;
    /// Takes one that was awaited.
    Verdict compare(const Answer& second);

    /// The peer won't answer any more; others may.
    void on_lost(PeerId peer);
    /// Nothing above this height matters any more.
    void drop_above(std::uint32_t height);

    /// So many wait that there should be no more.
    bool is_full() const { return waiting() + asked_.size() >= kMaxChecks; }
    /// Whether an answer is due or may be asked for; `can_ask` says whether a peer is left that may
    /// be asked about what that peer said of that block, and of none above where not of that one.
    /// One that has been due for too long is waited for no more.
    bool is_pending(const std::function<bool(PeerId, std::uint32_t height)>& can_ask,
                    Milliseconds now) const;
    /// When that time is up next, after this moment.
    std::optional<Milliseconds> patience_ends(Milliseconds after) const;

    std::uint64_t compared_blocks() const { return compared_; }

private:
    static constexpr std::size_t kMaxChecks = 1'000;

    using Answers = std::map<std::uint32_t, Answer>;  // by height
    struct Asked {
        Answer first;
        PeerId second = 0;
        Milliseconds at{0};

        Milliseconds awaited_until() const { return at + kPatience; }
    };

    std::size_t waiting() const;
    void forget(std::uint32_t height);
    void drop_lowest();

    CrossCheckMode mode_;
    std::uint64_t seed_;
    std::map<PeerId, Answers> unasked_;     // by whose they are; each has some
    std::map<std::uint32_t, Asked> asked_;  // by height
    std::uint64_t compared_ = 0;
};

}  // namespace petal::net
