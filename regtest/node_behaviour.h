/// How a node behaves: as Bitcoin Core does, or with faults for tests.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "net/wire/messages.h"
#include "regtest/mempool/acceptance.h"

namespace petal::regtest {

/// A fault of a node that serves a block or block filters. Full blocks have the faults whose
/// comment says so, and those from `garbage` to `hang_up`.
enum class FaultKind : std::uint8_t {
    withhold_transaction,  ///< proves a match, but does not send its transaction. Leaves it out of
                           ///< a full block
    omit_match,            ///< denies a match: sends neither proof nor transaction
    add_match,             ///< proves and sends a transaction that does not match
    swap_transactions,  ///< sends another transaction in place of a match: that of another match,
                        ///< or of the block if there is only one match
    send_unmatched,     ///< sends an unproven transaction of the block after the matches
    corrupt_proof,      ///< sends a merkleblock or full block that does not match the header's root
    foreign_proof,      ///< serves the transactions under the header of a block of another chain
    garbage,            ///< sends a message with an empty payload, which cannot be decoded
    pause,              ///< pauses, then continues
    stall,              ///< keeps the connection open, but sends nothing
    hang_up,            ///< disconnects
    // Of block filters (BIP157). A node with the first two faults lies consistently.
    wrong_filter,             ///< sends an empty filter, which matches nothing
    wrong_filter_header,      ///< the filter headers commit to an empty filter
    withhold_filter,          ///< does not send the filter, only those of the other blocks
    wrong_filter_checkpoint,  ///< the filter header in `cfcheckpt` differs from that in `cfheaders`
};

std::string_view describe(FaultKind kind);

/// A fault, and when it occurs. The occasions are:
///
/// - withhold_transaction, omit_match: each match of a block
/// - add_match: each other transaction of a block
/// - swap_transactions: each block with a match
/// - all other kinds of blocks: each filtered block
///
/// A fault of block filters has no occasions. It concerns `times` heights from `after_blocks` on,
/// in every answer.
struct Fault {
    FaultKind kind = FaultKind::stall;
    /// How many blocks are served honestly before.
    std::uint32_t after_blocks = 0;
    /// The maximum number of occurrences per connection.
    std::uint32_t times = std::numeric_limits<std::uint32_t>::max();
    /// For the first three kinds, the only transaction that is an occasion. Empty: any transaction
    /// is.
    std::optional<chain::Txid> transaction = std::nullopt;
    /// For the first three kinds, the output script that the transaction must pay to or spend from.
    /// Empty: any.
    chain::Bytes script = {};
    /// Occurs only at every `every`th occasion.
    std::uint32_t every = 1;
    /// How long a pause lasts.
    std::chrono::milliseconds duration{0};
};

/// Limits of Bitcoin Core. Smaller ones are for tests with short chains and small blocks.
struct NodeLimits {
    /// The maximum number of headers in a message. After a message with this number of headers,
    /// more are requested.
    std::size_t headers_per_message = net::kMaxHeadersPerMessage;
    /// With this number of bytes to send, no more messages are answered (net.h,
    /// DEFAULT_MAXSENDBUFFER).
    std::size_t send_buffer_bytes = 1'000'000;
    /// The number of bytes read in one turn: a few milliseconds of work, or one block, like a turn
    /// of Bitcoin Core's message loop (ProcessGetData). With small blocks, the answer takes more
    /// than one portion.
    std::size_t turn_bytes = 256'000;
};

/// How a node behaves. The defaults are Bitcoin Core with -peerbloomfilters=1, -blockfilterindex=1
/// and -peerblockfilters=1.
struct NodeBehaviour {
    std::uint64_t services = net::kNodeNetwork | net::kNodeBloom | net::kNodeWitness |
                             net::kNodeCompactFilters | net::kNodeNetworkLimited;
    std::string user_agent = "/petal-regtest:0.1.0/";
    /// Whether the node relays transactions. If not, it behaves like Bitcoin Core with -blocksonly.
    bool takes_transactions = true;
    /// Which transactions are accepted. The minimum fee rate is sent in `feefilter`.
    MempoolPolicy mempool;
    /// The maximum delay of transaction announcements and of answers to mempool. Bitcoin Core's
    /// delays are random, around five seconds. 0 sends announcements at once, as Bitcoin Core does
    /// to peers with the noban permission.
    std::chrono::milliseconds trickle{0};
    /// How long the node works on each filtered or full block before sending it. Meanwhile, it does
    /// nothing else on the connection.
    std::chrono::microseconds block_time{0};
    /// The delay before a received message is handled, to simulate latency.
    std::chrono::milliseconds lag{0};
    std::vector<Fault> faults;
    /// The number of the peer's messages after which the node keeps the connection, but sends
    /// nothing.
    std::optional<std::uint32_t> silent_after = std::nullopt;
    /// The number of the peer's messages after which the node disconnects when the next message
    /// arrives.
    std::optional<std::uint32_t> hangs_up_after = std::nullopt;
    /// Above this height, headers are in the other format (see Headers), as if the node followed a
    /// fork.
    std::optional<std::uint32_t> forks_after = std::nullopt;
    /// The answer to `getaddr`, sent once per connection.
    std::vector<net::GossipedAddress> addresses;
    NodeLimits limits{};
};

}  // namespace petal::regtest
