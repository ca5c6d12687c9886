/// When the faults of a node occur.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_set>
#include <vector>

#include "chain/transaction.h"
#include "regtest/chain/regtest_chain.h"
#include "regtest/node_behaviour.h"

namespace petal::regtest {

/// The remaining faults of a connection. The chain must outlive the plan.
class FaultPlan {
public:
    FaultPlan(const RegtestChain& chain, std::vector<Fault> faults);

    /// Replaces all faults, and counts blocks from now on.
    void replace(std::vector<Fault> faults);

    /// A block was served.
    void count_block() { ++blocks_served_; }

    /// An occasion for this kind of fault. Returns and counts the fault that occurs. Null if none
    /// does.
    const Fault* strike(FaultKind kind);
    /// strike() for a fault that a transaction may trigger.
    const Fault* strike(FaultKind kind, const chain::Transaction& transaction,
                        const chain::Txid& txid);

    bool empty() const { return planned_.empty(); }

private:
    struct Planned {
        Fault fault;
        std::uint32_t occasions = 0;
        /// The outputs of the fault's script, in the chain with the tip `outputs_tip`.
        std::unordered_set<chain::Outpoint> outputs{};
        chain::BlockHash outputs_tip{};
    };

    bool is_due(const Planned& planned, FaultKind kind) const;
    const Fault* strike(Planned& planned) const;
    bool concerns(Planned& planned, const chain::Transaction& transaction,
                  const chain::Txid& txid) const;
    void find_outputs(Planned& planned) const;

    const RegtestChain& chain_;
    std::vector<Planned> planned_;
    std::uint32_t blocks_served_ = 0;
};

/// The faults that depend on the number of the peer's messages.
class MessageFaults {
public:
    /// Counts messages from now on.
    explicit MessageFaults(const NodeBehaviour& behaviour)
        : silent_after_(behaviour.silent_after), hangs_up_after_(behaviour.hangs_up_after) {}

    /// A message was received.
    void count_message() { ++messages_; }
    bool is_silent() const { return silent_after_ && messages_ >= *silent_after_; }
    /// Whether the node disconnects when the next message arrives.
    bool hangs_up() const { return hangs_up_after_ && messages_ >= *hangs_up_after_; }

private:
    std::optional<std::uint32_t> silent_after_;
    std::optional<std::uint32_t> hangs_up_after_;
    std::uint32_t messages_ = 0;
};

}  // namespace petal::regtest
