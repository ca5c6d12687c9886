/// Outpoints that differ in a number, and blocks that spend them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/sync/filters/matched_outpoints.h"

namespace petal::test {

inline chain::Outpoint outpoint(std::uint32_t number) {
    chain::Outpoint result;
    result.txid.bytes[0] = static_cast<std::uint8_t>(number);
    result.index = number;
    return result;
}

inline chain::ProvenBlock block_spending(std::uint32_t height, std::vector<chain::Outpoint> spent) {
    chain::ProvenBlock block;
    block.block.height = height;
    chain::ProvenTransaction proven;
    for (const auto& prevout : spent) {
        chain::TxInput input;
        input.prevout = prevout;
        proven.transaction.inputs.push_back(input);
    }
    block.transactions.push_back(proven);
    return block;
}

inline bool holds(const net::MatchedOutpoints& memory, const chain::Outpoint& wanted) {
    const auto all = memory.outpoints();
    return std::find(all.begin(), all.end(), wanted) != all.end();
}

}  // namespace petal::test
