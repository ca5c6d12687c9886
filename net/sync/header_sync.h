/// Headers from one peer, until it has no more.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/expected.h"
#include "chain/header_chain.h"
#include "net/sync/commands.h"
#include "net/wire/messages.h"

namespace petal::net {

/// One peer's part in the header sync: asks, takes the answers into the chain, asks on. A peer that announces
/// blocks whose parents are unknown is asked for what lies between (Bitcoin Core: HandleUnconnectingHeaders).
///
/// Where there is nothing new Bitcoin Core answers with no headers, and others with silence. A ping behind each
/// request tells that silence from slowness: when its pong comes, the answer has come or never will.
class HeaderSync {
public:
    /// claimed_height   of the peer's version message
    explicit HeaderSync(std::int32_t claimed_height) : claimed_height_(claimed_height) {}

    /// What to ask now; only one request is open at a time.
    /// nonce   of the ping; never the same twice on one connection
    std::vector<Message> request(const chain::HeaderChain& chain, std::uint64_t nonce, Now now);

    struct Progress {
        chain::AcceptResult result;
        bool ask_on = false;  ///< there is more: request() at once
    };

    /// Takes an answer or an announcement.
    chain::Expected<Progress, Violation> on_headers(const Headers& message, chain::HeaderChain& chain,
                                                    Now now);

    /// Takes any pong. One that overtakes the answer to the open request ends it: there is nothing new.
    /// Returns whether to request() again, for a block that was announced meanwhile.
    bool on_pong(const Pong& pong, const chain::HeaderChain& chain, Now now);

    /// The peer announced a block that may be unknown; returns whether to request() now. No, where an
    /// answer is due anyway.
    bool on_block_announced(const chain::BlockHash& hash, const chain::HeaderChain& chain);

    /// Whether the peer has shown all the headers it has: the last answer was not a full one, and does not fall short
    /// of the height that it claims.
    bool at_end() const { return at_end_; }

    /// Since when a request waits for its answer; nothing where none does.
    std::optional<std::chrono::milliseconds> waiting_since() const { return waiting_since_; }
    /// When a peer that claims more than it gave is to be asked again; nothing where it isn't.
    std::optional<std::chrono::milliseconds> ask_again_at() const { return ask_again_at_; }
    /// Since when the peer has claimed more than it gave; nothing where it doesn't.
    std::optional<std::chrono::milliseconds> short_since() const { return short_since_; }

private:
    chain::Expected<Progress, Violation> on_unconnected(const Headers& message,
                                                        const chain::HeaderChain& chain);
    void end_of_answer(const chain::HeaderChain& chain, Now now);
    bool announced_is_missing(const chain::HeaderChain& chain);

    std::int32_t claimed_height_;
    bool at_end_ = false;
    std::optional<std::chrono::milliseconds> waiting_since_;
    std::optional<std::chrono::milliseconds> ask_again_at_;
    std::optional<std::chrono::milliseconds> short_since_;
    std::uint64_t fence_ = 0;                        // nonce of the ping behind the open request
    std::optional<chain::BlockHash> announced_;      // while a request was open
    std::optional<chain::BlockHash> last_full_end_;  // where the last full answer ended
};

}  // namespace petal::net
