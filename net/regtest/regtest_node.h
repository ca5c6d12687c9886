/// The serving side of BIP37 over a regtest chain: one connection's state and its answers.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "bloom/bloom_filter.h"
#include "net/regtest/regtest_chain.h"
#include "net/wire/messages.h"

namespace petal::net {

/// How a node behaves; by default as Bitcoin Core with -peerbloomfilters=1.
struct NodeBehaviour {
    std::uint64_t services = kNodeNetwork | kNodeBloom | kNodeWitness | kNodeNetworkLimited;
    std::string user_agent = "/petal-regtest:0.1.0/";
    std::chrono::milliseconds trickle{0};  ///< how long announcements and mempool answers wait
};

/// One peer connection as the node sees it. Pure: it is given messages and the time, and returns what to send.
/// Follows Bitcoin Core where a client can notice: one block item of a getdata at a time and in order,
/// merkleblock followed by its transactions without witness, the filter updated as its flags say, silence for
/// unknown blocks and without a filter, notfound for transactions, announcements of new blocks by
/// headers after sendheaders (else inv), relay off until a filter is loaded where version said so.
class RegtestNode {
public:
    RegtestNode(const RegtestChain& chain, NodeBehaviour behaviour, std::uint64_t nonce);

    /// Takes one message. Whatever it makes the node send is in take_output() afterwards.
    void on_message(const Message& message, std::chrono::milliseconds now);
    /// Notices what changed in the chain since the last call, and what the trickle has held back.
    void on_time(std::chrono::milliseconds now);

    /// The messages to send, in order; empties the outbox. A getdata's answers are produced in portions of at
    /// most `max_bytes` a call, so that a slow reader bounds the node's memory.
    std::vector<Message> take_output(std::size_t max_bytes = 1'000'000);
    /// Whether take_output() has more to give.
    bool has_output() const;
    /// Why the node hangs up; nothing while it doesn't.
    const std::optional<std::string>& disconnect_reason() const;

    /// The node's copy of this peer's filter, for tests that compare it with the client's mirror.
    const std::optional<bloom::BloomFilter>& filter() const;
};

}  // namespace petal::net
