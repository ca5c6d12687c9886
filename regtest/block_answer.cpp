#include "regtest/block_answer.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "chain/merkle_proof.h"

namespace petal::regtest {
namespace {

using Positions = std::vector<std::size_t>;

chain::PartialMerkleTree prove(const RegtestBlock& block, const std::vector<bool>& matches) {
    if (std::ranges::find(matches, true) != matches.end()) {
        return chain::make_merkle_proof(block.txids, matches);
    }
    // A tree of only the root, which the header has, too.
    return {static_cast<std::uint32_t>(block.txids.size()), {block.header.merkle_root}, {0}};
}

/// The matches that a dishonest server claims, with some omitted and some added.
std::vector<bool> claimed_matches(const RegtestBlock& block, std::vector<bool> matches,
                                  FaultPlan& faults) {
    for (std::size_t i = 0; i < matches.size(); ++i) {
        const auto lie = matches[i] ? FaultKind::omit_match : FaultKind::add_match;
        const bool lies = faults.strike(lie, block.transactions[i], block.txids[i]) != nullptr;
        if (lies) matches[i] = !matches[i];
    }
    return matches;
}

/// The header of another block with the same transactions, which is on no chain.
chain::BlockHeader foreign_header(const RegtestBlock& block) {
    return mine_block_on(block.header.previous, block.header.time + 1, {}, block.txids).header;
}

net::MerkleBlock make_proof(const RegtestBlock& block, const std::vector<bool>& matches,
                            FaultPlan& faults) {
    net::MerkleBlock message{block.header, prove(block, matches)};
    if (faults.strike(FaultKind::corrupt_proof) != nullptr) {
        message.tree.hashes.front().bytes.front() ^= 1;
    }
    if (faults.strike(FaultKind::foreign_proof) != nullptr) message.header = foreign_header(block);
    return message;
}

/// The positions of the transactions that are sent after the proof, in order.
Positions positions_to_send(const RegtestBlock& block, const std::vector<bool>& matches,
                            FaultPlan& faults) {
    Positions positions;
    Positions others;
    for (std::size_t i = 0; i < matches.size(); ++i) {
        (matches[i] ? positions : others).push_back(i);
    }
    if (faults.empty()) return positions;

    std::erase_if(positions, [&](std::size_t i) {
        return faults.strike(FaultKind::withhold_transaction, block.transactions[i],
                             block.txids[i]) != nullptr;
    });
    if (positions.size() > 1 && faults.strike(FaultKind::swap_transactions) != nullptr) {
        std::swap(positions[0], positions[1]);
    } else if (positions.size() == 1 && !others.empty() &&
               faults.strike(FaultKind::swap_transactions) != nullptr) {
        positions[0] = others[0];
    }
    if (!others.empty() && faults.strike(FaultKind::send_unmatched) != nullptr) {
        positions.push_back(others[0]);
    }
    return positions;
}

}  // namespace

std::vector<net::Message> make_filtered_answer(const RegtestBlock& block, std::vector<bool> matches,
                                               FaultPlan& faults) {
    if (!faults.empty()) matches = claimed_matches(block, std::move(matches), faults);
    std::vector<net::Message> messages{make_proof(block, matches, faults)};
    for (const std::size_t i : positions_to_send(block, matches, faults)) {
        messages.emplace_back(net::Tx{without_witness(block.transactions[i])});
    }
    return messages;
}

net::FullBlock make_full_answer(RegtestBlock block, bool with_witnesses, FaultPlan& faults) {
    chain::Block answer{block.header, {}};
    auto& transactions = answer.transactions;
    transactions.reserve(block.transactions.size());
    for (std::size_t i = 0; i < block.transactions.size(); ++i) {
        auto& transaction = block.transactions[i];
        if (faults.strike(FaultKind::withhold_transaction, transaction, block.txids[i]) !=
            nullptr) {
            continue;
        }
        transactions.push_back(with_witnesses ? std::move(transaction)
                                              : without_witness(std::move(transaction)));
    }
    if (!transactions.empty() && faults.strike(FaultKind::corrupt_proof) != nullptr) {
        transactions.back().lock_time ^= 1U;
    }
    if (faults.strike(FaultKind::foreign_proof) != nullptr) {
        answer.header = foreign_header(block);
    }
    return {chain::BlockView(answer)};
}

}  // namespace petal::regtest
