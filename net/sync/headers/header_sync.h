/// Downloads headers from one peer, until the peer has no more.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/expected.h"
#include "chain/headers/header_chain.h"
#include "net/peer/byte_budget.h"
#include "net/peer/commands.h"
#include "net/peer/timers.h"
#include "net/sync/headers/header_options.h"
#include "net/sync/headers/too_new_header.h"
#include "net/sync/headers/unstored_branch.h"
#include "net/wire/messages.h"

namespace petal::net {

/// Requests headers from one peer until it has no more. If a peer announces a block whose parent is
/// unknown, the headers between are requested (Bitcoin Core: HandleUnconnectingHeaders).
///
/// A ping follows each request, because some nodes do not answer a request if they have no new
/// headers. Once the pong arrives, no answer will follow.
///
/// A branch with too little work is followed without storing headers (UnstoredBranch). See "Limits
/// on headers" in the README.
class HeaderSync {
public:
    /// claimed_height   from the peer's version message
    explicit HeaderSync(std::int32_t claimed_height, HeaderSyncOptions options = {})
        : claim_{claimed_height}, options_(options) {}

    /// The messages of the next request. Only one request may be open.
    /// nonce   for the ping. Must be unique on the connection
    std::vector<Message> request(const chain::HeaderChain& chain, std::uint64_t nonce, Now now);

    struct Progress {
        chain::AcceptResult result;
        bool ask_on = false;  ///< request() at once: the peer has more headers
        /// Whether headers were new. Only new headers extend deadlines, because a peer could repeat
        /// known headers forever.
        bool advanced = false;
    };

    /// Handles an answer or an announcement. Even on a violation, the headers before the invalid
    /// header are stored, and may have moved the tip.
    chain::Expected<Progress, Violation> on_headers(const Headers& message,
                                                    chain::HeaderChain& chain, Now now);

    /// Handles any pong. If no answer came before the pong of the open request, the request ends:
    /// the peer has no new headers. Returns whether to request() again, for a block announced
    /// meanwhile.
    bool on_pong(const Pong& pong, const chain::HeaderChain& chain, Now now);

    /// The peer announced a block that may be unknown. Returns whether to request() now. False
    /// while a request is open.
    bool on_block_announced(const chain::BlockHash& hash, const chain::HeaderChain& chain);

    /// Whether the peer has sent all its headers, and follows the best chain. All of these hold:
    /// - The last answer was not full.
    /// - Headers up to the peer's claimed height are stored, or early.
    /// - The best chain has the work of the threshold.
    /// - The peer's chain lacks at most the work of 144 blocks (HeaderLimits::worthy_depth).
    bool at_end() const { return at_end_; }
    /// Whether the last headers of the peer had too little work to be stored.
    bool is_on_lesser_branch() const { return is_on_lesser_branch_; }
    /// The peer's header that is more than two hours ahead of the clock, and was not checked. Empty
    /// if the peer's last answer had no such header. Only one header is remembered, because a later
    /// request shows the headers after it.
    const std::optional<TooNewHeader>& too_new() const { return last_answer_.too_new; }
    /// Why a peer that is not at_end() falls short:
    ///
    /// - ahead_of_clock: its last headers are more than two hours ahead of the clock.
    /// - lesser_branch: its chain forks from the best chain, with far less work.
    /// - low_work: its chain has too little work.
    /// - incomplete: it sent fewer headers than it claims.
    Violation shortfall(const chain::HeaderChain& chain) const;

    /// The height of a presync in progress. Empty if there is none.
    std::optional<std::uint32_t> presync_height() const { return unstored_.height(); }

    /// When the open request was sent. Empty if no request is open.
    std::optional<std::chrono::milliseconds> waiting_since() const {
        return open_ ? std::optional(open_->since) : std::nullopt;
    }
    /// When to request headers again, either because the peer claims more, or for an early header.
    /// Empty if there is no need.
    std::optional<std::chrono::milliseconds> ask_again_at() const {
        const auto due = if_early(too_new());
        return earlier_of(ask_again_at_, due && !open_ ? std::optional{due->ask_at} : std::nullopt);
    }
    /// Since when the peer falls short (shortfall()). Empty if it does not.
    std::optional<std::chrono::milliseconds> short_since() const { return short_since_; }

private:
    using Hashed = std::vector<chain::HashedHeader>;
    using Result = chain::Expected<Progress, Violation>;

    std::vector<chain::BlockHash> locator(const chain::HeaderChain& chain) const;
    Result on_answer(const Hashed& headers, chain::HeaderChain& chain, Now now);
    Result on_unconnected(const Hashed& headers, const chain::HeaderChain& chain, Now now);
    Result on_unstored(const Hashed& headers, chain::HeaderChain& chain, Now now);
    Result store(const Hashed& headers, chain::HeaderChain& chain, Now now);
    Result finish(Progress progress, const Hashed& headers, chain::HeaderChain& chain, Now now);
    bool is_worthy(const Hashed& headers, const chain::HeaderChain& chain) const;
    chain::Uint256 required_work(const chain::HeaderChain& chain) const;
    void record_shown(const chain::BlockHash& hash, const chain::HeaderChain& chain);
    bool is_far_below(const chain::HeaderChain& chain) const;
    void end_of_answer(const chain::HeaderChain& chain, Now now);
    bool announced_is_missing(const chain::HeaderChain& chain);
    bool allows_unrequested(const Hashed& headers, Now now);

    struct OpenRequest {
        std::chrono::milliseconds since;
        std::uint64_t fence;             ///< nonce of the ping that follows the request
        bool shows_too_new = false;      ///< a header too far ahead of the clock arrived
        bool shows_unconnected = false;  ///< headers with an unknown parent arrived
    };
    /// The peer's last `headers` message.
    struct LastAnswer {
        bool has_come = false;
        std::optional<TooNewHeader> too_new{};  ///< see too_new()

        void record_too_new(const TooNewHeader& header, std::optional<OpenRequest>& open);
    };
    /// Consecutive answers with the maximum number of headers.
    struct FullAnswers {
        std::optional<chain::BlockHash> last_end;
        std::uint32_t highest_end = 0;  ///< height of last_end (0: not stored)
    };

    /// The height of the peer's chain.
    struct Claim {
        std::int64_t height;  ///< from the version message, or of a block shown since
        /// The greatest height stored while the peer is connected, on any branch: a branch with
        /// more work may be lower.
        std::int64_t stored = 0;

        void raise_stored(std::int64_t other) { stored = std::max(stored, other); }
    };

    /// Headers without progress, which are limited.
    struct Unhelpful {
        std::size_t added_beside = 0;  ///< beside the best chain, since the tip last moved
        std::size_t unconnected = 0;   ///< consecutive requests with only unconnected headers
        ByteBudget unrequested;        ///< neither requested nor new
    };

    Claim claim_;
    HeaderSyncOptions options_;
    bool at_end_ = false;
    LastAnswer last_answer_;
    bool is_on_lesser_branch_ = false;  // the last headers were not stored
    UnstoredBranch unstored_;
    std::optional<OpenRequest> open_;
    std::optional<std::chrono::milliseconds> ask_again_at_;
    std::optional<std::chrono::milliseconds> short_since_;
    std::optional<chain::BlockHash> announced_;  // announced while a request was open
    FullAnswers full_answers_;
    Unhelpful unhelpful_;
};

}  // namespace petal::net
