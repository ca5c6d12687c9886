#include "regtest/fault_plan.h"

#include <algorithm>
#include <utility>

namespace petal::regtest {

FaultPlan::FaultPlan(const RegtestChain& chain, std::vector<Fault> faults) : chain_(chain) {
    replace(std::move(faults));
}

void FaultPlan::replace(std::vector<Fault> faults) {
    planned_.clear();
    for (Fault& fault : faults) planned_.push_back({std::move(fault)});
    blocks_served_ = 0;
}

const Fault* FaultPlan::strike(FaultKind kind) {
    for (Planned& planned : planned_) {
        if (!is_due(planned, kind)) continue;
        if (const Fault* const fault = strike(planned)) return fault;
    }
    return nullptr;
}

const Fault* FaultPlan::strike(FaultKind kind, const chain::Transaction& transaction,
                               const chain::Txid& txid) {
    for (Planned& planned : planned_) {
        if (!is_due(planned, kind) || !concerns(planned, transaction, txid)) continue;
        if (const Fault* const fault = strike(planned)) return fault;
    }
    return nullptr;
}

bool FaultPlan::is_due(const Planned& planned, FaultKind kind) const {
    const Fault& fault = planned.fault;
    return fault.kind == kind && fault.times > 0 && blocks_served_ >= fault.after_blocks;
}

const Fault* FaultPlan::strike(Planned& planned) const {
    if (++planned.occasions < planned.fault.every) return nullptr;
    planned.occasions = 0;
    --planned.fault.times;
    return &planned.fault;
}

bool FaultPlan::concerns(Planned& planned, const chain::Transaction& transaction,
                         const chain::Txid& txid) const {
    const Fault& fault = planned.fault;
    if (fault.transaction && fault.transaction != txid) return false;
    if (fault.script.empty()) return true;
    if (std::ranges::find(transaction.outputs, fault.script, &chain::TxOutput::script_pubkey) !=
        transaction.outputs.end()) {
        return true;
    }
    find_outputs(planned);
    return std::ranges::any_of(transaction.inputs, [&planned](const auto& input) {
        return planned.outputs.contains(input.prevout);
    });
}

/// A server knows the coins that each block spends, even if only some blocks are requested.
/// Therefore the first call reads the whole chain. Later calls read the blocks added since.
void FaultPlan::find_outputs(Planned& planned) const {
    const auto read_up_to = std::exchange(planned.outputs_tip, chain_.tip());
    const auto* block = &chain_.blocks().tip();
    for (; block->parent != nullptr && block->hash != read_up_to; block = block->parent) {
        const auto transactions = block->transaction_views();
        for (std::size_t i = 0; i < transactions.size(); ++i) {
            const auto& outputs = transactions[i].outputs;
            for (std::size_t k = 0; k < outputs.size(); ++k) {
                if (!std::ranges::equal(script_of(outputs[k]), planned.fault.script)) continue;
                planned.outputs.insert({block->txids[i], static_cast<std::uint32_t>(k)});
            }
        }
    }
}

}  // namespace petal::regtest
