/// How an embedded node behaves: as Bitcoin Core does, or with faults that tests ask for.
#pragma once

#include <chrono>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "chain/hash.h"
#include "net/wire/messages.h"

namespace petal::net {

/// What a faulty node does where an honest one would serve a filtered block.
enum class FaultKind : std::uint8_t {
    withhold_transaction,  ///< proves a match, but does not send its transaction
    omit_match,            ///< denies that a transaction matches: neither proof nor transaction
    send_unmatched,  ///< sends a transaction of the block that it did not prove, behind the others
    corrupt_proof,   ///< sends a merkleblock whose tree does not lead to the header's root
    garbage,         ///< sends a merkleblock without a payload, which nobody can decode
    stall,           ///< keeps the connection, but sends nothing any more
    hang_up,         ///< ends the connection
};

std::string_view describe(FaultKind kind);

/// A fault, and when it strikes: at each filtered block that gives occasion to it.
struct Fault {
    FaultKind kind = FaultKind::stall;
    /// How many filtered blocks the connection is served honestly before.
    std::uint32_t after_blocks = 0;
    /// How often it strikes on one connection.
    std::uint32_t times = std::numeric_limits<std::uint32_t>::max();
    /// The only transaction that withhold_transaction and omit_match concern; any, if there is
    /// none.
    std::optional<chain::Txid> transaction = std::nullopt;
};

/// How a node behaves; by default as Bitcoin Core with -peerbloomfilters=1.
struct NodeBehaviour {
    std::uint64_t services = kNodeNetwork | kNodeBloom | kNodeWitness | kNodeNetworkLimited;
    std::string user_agent = "/petal-regtest:0.1.0/";
    /// How long announcements of transactions and mempool answers wait at most. Bitcoin Core's are
    /// random around five seconds; without it, as Core's for a peer with the noban permission, at
    /// once.
    std::chrono::milliseconds trickle{0};
    std::vector<Fault> faults;
};

/// The faults that a connection still has ahead of it.
class FaultPlan {
public:
    explicit FaultPlan(std::vector<Fault> faults) : faults_(std::move(faults)) {}

    /// Strikes with a fault of this kind, where one is due after `blocks_served` blocks: it is
    /// returned and counted. Nothing where none is. `txid` is the transaction that it would
    /// concern.
    bool strike(FaultKind kind, std::uint32_t blocks_served,
                const std::optional<chain::Txid>& txid = std::nullopt);
    bool empty() const { return faults_.empty(); }

private:
    std::vector<Fault> faults_;
};

}  // namespace petal::net
