/// How an embedded node behaves: as Bitcoin Core does, or with faults that tests ask for.
#pragma once

#include <chrono>
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

/// A faulty node's behaviour when it is to serve a block. Full blocks are affected by the faults
/// whose comment says so, and by the last four.
enum class FaultKind : std::uint8_t {
    withhold_transaction,  ///< proves a match, but does not send its transaction; leaves it out of
                           ///< a full block
    omit_match,            ///< denies that a transaction matches: neither proof nor transaction
    add_match,             ///< proves and sends a transaction that does not match
    swap_transactions,  ///< sends another transaction in place of a match: another match's or, if
                        ///< there is only one match, another one of the block
    send_unmatched,     ///< sends an unproven transaction of the block after the others
    corrupt_proof,  ///< sends a merkleblock, or a full block, that does not lead to the header's
                    ///< root
    foreign_proof,  ///< serves the same transactions under the header of another chain's block
    garbage,        ///< sends a message without a payload, which can't be decoded
    pause,          ///< does nothing for a while, then continues
    stall,          ///< keeps the connection, but sends nothing any more
    hang_up,        ///< ends the connection
};

std::string_view describe(FaultKind kind);

/// A fault, and when it occurs. The occasions for withhold_transaction and omit_match are a block's
/// matches, for add_match its other transactions, for swap_transactions blocks with a match, and
/// for all other kinds filtered blocks.
struct Fault {
    FaultKind kind = FaultKind::stall;
    /// How many blocks the connection is served honestly before.
    std::uint32_t after_blocks = 0;
    /// The maximum number of times it occurs on one connection.
    std::uint32_t times = std::numeric_limits<std::uint32_t>::max();
    /// The only transaction that is an occasion for the first three kinds; any, if there is none.
    std::optional<chain::Txid> transaction = std::nullopt;
    /// For the same kinds, the output script that a transaction must pay, or spend from, to be an
    /// occasion; empty: any.
    chain::Bytes script = {};
    /// Strikes only at every `every`th occasion.
    std::uint32_t every = 1;
    /// How long a pause takes.
    std::chrono::milliseconds duration{0};
};

/// How a node behaves; by default as Bitcoin Core with -peerbloomfilters=1.
struct NodeBehaviour {
    std::uint64_t services =
        net::kNodeNetwork | net::kNodeBloom | net::kNodeWitness | net::kNodeNetworkLimited;
    std::string user_agent = "/petal-regtest:0.1.0/";
    /// Whether it takes transactions. If not, it behaves as Bitcoin Core with -blocksonly.
    bool takes_transactions = true;
    /// The transactions that it takes. The least fee rate is sent in `feefilter`.
    MempoolPolicy mempool;
    /// How long announcements of transactions and mempool answers wait at most. Bitcoin Core's wait
    /// for random times around five seconds; 0 sends them at once, as Core does to a peer with the
    /// noban permission.
    std::chrono::milliseconds trickle{0};
    /// The time that the node works on each block, filtered or full, before sending it; meanwhile
    /// it does nothing else on this connection.
    std::chrono::microseconds block_time{0};
    /// The delay before a received message is handled, which simulates latency.
    std::chrono::milliseconds lag{0};
    std::vector<Fault> faults;
    /// The number of the peer's messages after which the node sends nothing any more, but keeps the
    /// connection.
    std::optional<std::uint32_t> silent_after = std::nullopt;
    /// The number of messages after which it disconnects, when the next one arrives.
    std::optional<std::uint32_t> hangs_up_after = std::nullopt;
    /// The height after which its headers are in the other format (see Headers): it follows a fork.
    std::optional<std::uint32_t> forks_after = std::nullopt;
    /// The answer to `getaddr`, sent once per connection.
    std::vector<net::GossipedAddress> addresses;
};

}  // namespace petal::regtest
