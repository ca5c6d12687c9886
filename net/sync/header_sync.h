/// Headers from one peer, until it has no more.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "chain/expected.h"
#include "chain/header_chain.h"
#include "net/sync/commands.h"
#include "net/wire/messages.h"

namespace petal::net {

/// One peer's part in the header sync: asks, takes the answers into the chain, asks on. A peer that announces
/// blocks whose parents are unknown is asked for what lies between (Bitcoin Core: HandleUnconnectingHeaders).
class HeaderSync {
public:
    /// claimed_height   of the peer's version message
    explicit HeaderSync(std::int32_t claimed_height) : claimed_height_(claimed_height) {}

    /// What to ask now; only one request is open at a time.
    Message request(const chain::HeaderChain& chain, Now now);

    struct Progress {
        chain::AcceptResult result;
        std::optional<Message> next_request;  ///< there is more: ask at once
    };

    /// Takes an answer or an announcement.
    chain::Expected<Progress, Violation> on_headers(const Headers& message, chain::HeaderChain& chain,
                                                    Now now);

    /// The peer announced a block that may be unknown; returns what to ask, nothing where an answer is due anyway.
    std::optional<Message> on_block_announced(const chain::BlockHash& hash,
                                              const chain::HeaderChain& chain, Now now);

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
    Message request_after(const chain::BlockHash& last, const chain::HeaderChain& chain, Now now);
    chain::Expected<Progress, Violation> on_unconnected(const Headers& message,
                                                        const chain::HeaderChain& chain, Now now);
    void end_of_answer(const chain::HeaderChain& chain, Now now);

    std::int32_t claimed_height_;
    bool at_end_ = false;
    std::optional<std::chrono::milliseconds> waiting_since_;
    std::optional<std::chrono::milliseconds> ask_again_at_;
    std::optional<std::chrono::milliseconds> short_since_;
    std::optional<chain::BlockHash> announced_;  // while a request was open
    chain::BlockHash last_answer_end_;           // of the last full answer, to notice one that repeats itself
};

}  // namespace petal::net
