/// Headers from one peer, until it has no more.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/expected.h"
#include "chain/headers/header_chain.h"
#include "net/peer/commands.h"
#include "net/sync/headers/unstored_branch.h"
#include "net/sync/headers/work_threshold.h"
#include "net/wire/messages.h"

namespace petal::net {

struct HeaderSyncOptions {
    WorkThreshold threshold{};
    /// Drawn at random; no peer may know it.
    std::uint64_t salt = 0;
};

/// One peer's part in the header sync: asks, takes the answers into the chain, asks on. A peer that
/// announces blocks whose parents are unknown is asked for what lies between (Bitcoin Core:
/// HandleUnconnectingHeaders).
///
/// Where there is nothing new Bitcoin Core answers with no headers, and others with silence. A ping
/// behind each request tells that silence from slowness: when its pong comes, the answer has come
/// or never will.
///
/// A branch goes into the chain only once it carries about as much work as the best chain, and as
/// much as the network is known to have: until then it is followed without being stored. What a
/// peer adds beside the best chain is limited.
///
/// What extends the best chain is not. Where no work is required (regtest, a custom signet, a
/// threshold of 0) a chain costs little; where difficulty is adjusted, the rules on times and the
/// clock still keep cheap blocks about ten minutes apart from the genesis block on. Only on regtest
/// may a peer go on for ever, at 128 bytes on disk a header. No bound could tell its chain from one
/// that was mined on purpose.
class HeaderSync {
public:
    /// claimed_height   of the peer's version message
    explicit HeaderSync(std::int32_t claimed_height, HeaderSyncOptions options = {})
        : claimed_height_(claimed_height), options_(options) {}

    /// What to ask now; only one request is open at a time.
    /// nonce   of the ping; never the same twice on one connection
    std::vector<Message> request(const chain::HeaderChain& chain, std::uint64_t nonce, Now now);

    struct Progress {
        chain::AcceptResult result;
        bool ask_on = false;  ///< there is more: request() at once
        /// It brought something that can't be repeated for ever, and may put off a deadline. Empty,
        /// unrequested and known headers do not.
        bool advanced = false;
    };

    /// Takes an answer or an announcement. Also where it ends in a violation, headers before the
    /// bad one are in the chain then and may have moved its tip.
    chain::Expected<Progress, Violation> on_headers(const Headers& message,
                                                    chain::HeaderChain& chain, Now now);

    /// Takes any pong. One that overtakes the answer to the open request ends it: there is nothing
    /// new. Returns whether to request() again, for a block that was announced meanwhile.
    bool on_pong(const Pong& pong, const chain::HeaderChain& chain, Now now);

    /// The peer announced a block that may be unknown; returns whether to request() now. No, where
    /// an answer is due anyway.
    bool on_block_announced(const chain::BlockHash& hash, const chain::HeaderChain& chain);

    /// Whether the peer has shown all the headers it has, and they are those of the best chain:
    /// the last answer was not a full one and does not fall short of the height that the peer
    /// claims, the best chain carries the work of the threshold, and the peer's chain does not lie
    /// more than 144 blocks' work below it.
    bool at_end() const { return at_end_; }
    /// Whether the last headers that the peer has were not worth storing, by their work.
    bool is_on_lesser_branch() const { return is_on_lesser_branch_; }
    /// Why a peer that is not at its end falls short: its chain has too little work (low_work), or
    /// it shows fewer headers than it claims (incomplete).
    Violation shortfall(const chain::HeaderChain& chain) const;

    /// The height that a chain has reached which is not stored yet; nothing where there is none.
    std::optional<std::uint32_t> presync_height() const { return unstored_.height(); }

    /// Since when a request waits for its answer; nothing where none does.
    std::optional<std::chrono::milliseconds> waiting_since() const {
        return open_ ? std::optional(open_->since) : std::nullopt;
    }
    /// When a peer that has not given all it should is to be asked again; nothing where it isn't.
    std::optional<std::chrono::milliseconds> ask_again_at() const { return ask_again_at_; }
    /// Since when the peer has fallen short; nothing where it hasn't.
    std::optional<std::chrono::milliseconds> short_since() const { return short_since_; }

private:
    using Hashed = std::vector<chain::HashedHeader>;
    using Result = chain::Expected<Progress, Violation>;

    Result on_answer(const Hashed& headers, chain::HeaderChain& chain, Now now);
    Result on_unconnected(const Hashed& headers, const chain::HeaderChain& chain);
    Result on_unstored(const Hashed& headers, chain::HeaderChain& chain, Now now);
    Result store(const Hashed& headers, chain::HeaderChain& chain, Now now);
    Result finish(Progress progress, const Hashed& headers, chain::HeaderChain& chain, Now now);
    bool is_worthy(const Hashed& headers, const chain::HeaderChain& chain) const;
    bool has_required_work(const chain::HeaderChain& chain) const;
    chain::Uint256 required_work(const chain::HeaderChain& chain) const;
    void note_shown(const chain::BlockHash& hash, const chain::HeaderChain& chain);
    bool is_far_below(const chain::HeaderChain& chain) const;
    void end_of_answer(const chain::HeaderChain& chain, Now now);
    bool announced_is_missing(const chain::HeaderChain& chain);

    /// A request that waits for its answer.
    struct OpenRequest {
        std::chrono::milliseconds since;
        std::uint64_t fence;  ///< nonce of the ping behind it
    };
    /// Answers of as many headers as a message holds, to one request after the other.
    struct FullAnswers {
        std::optional<chain::BlockHash> last_end;
        std::uint32_t highest_end = 0;  ///< of those that held nothing new
    };

    std::int64_t claimed_height_;  // by its version message, or of a block that it has shown since
    HeaderSyncOptions options_;
    bool at_end_ = false;
    bool has_answered_ = false;         // with headers, or with none
    bool is_on_lesser_branch_ = false;  // its last headers were not worth storing
    UnstoredBranch unstored_;
    std::optional<OpenRequest> open_;
    std::optional<std::chrono::milliseconds> ask_again_at_;
    std::optional<std::chrono::milliseconds> short_since_;
    std::optional<chain::BlockHash> announced_;  // while a request was open
    FullAnswers full_answers_;
    std::size_t added_beside_ = 0;  // headers that did not move the tip, since it last moved
};

}  // namespace petal::net
