#include "net/sync/blocks/full_block.h"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <string>
#include <utility>

#include "net/sync/blocks/filtered_block.h"

namespace petal::net {
namespace {

using chain::Unexpected;

Violation violation(DisconnectReason reason, const chain::BlockRef& block, std::string_view what) {
    return {reason, "block " + block.hash.to_hex() + ": " + std::string(what)};
}

/// The block's transaction ids, once all is checked.
chain::Expected<std::vector<chain::Txid>, Violation> check(const chain::BlockView& received,
                                                           const chain::BlockRef& block,
                                                           BlockForm asked_for) {
    const chain::BlockHash& hash = received.hash();
    if (hash != block.hash) {
        return Unexpected(violation(DisconnectReason::unrequested, block,
                                    "got block " + hash.to_hex() + " in its place"));
    }
    auto txids = check_transactions(received);
    if (!txids) {
        return Unexpected(
            violation(DisconnectReason::invalid_proof, block, describe(txids.error())));
    }
    if (asked_for != BlockForm::full_with_witnesses) return *std::move(txids);
    const auto witnesses = check_witnesses(received.transactions(), *txids);
    if (!witnesses) {
        return Unexpected(
            violation(DisconnectReason::invalid_proof, block, describe(witnesses.error())));
    }
    return *std::move(txids);
}

}  // namespace

chain::Expected<SearchedBlock, Violation> search_full_block(const chain::BlockView& received,
                                                            const chain::BlockRef& block,
                                                            BlockForm asked_for,
                                                            WatchIndex& watched) {
    const auto txids = check(received, block, asked_for);
    if (!txids) return Unexpected(txids.error());

    SearchedBlock result;
    result.block.block = block;
    result.block.header = received.header();
    result.block.transaction_count = static_cast<std::uint32_t>(txids->size());
    std::vector<bool> matches(txids->size());
    for (std::size_t i = 0; i < txids->size(); ++i) {
        const chain::TransactionView& found = received.transactions()[i];
        auto match = watched.match_and_update(found, (*txids)[i]);
        if (!match.matched) continue;
        matches[i] = true;
        chain::Transaction transaction = to_transaction(found);
        if (asked_for != BlockForm::full_with_witnesses) {
            transaction = without_witness(std::move(transaction));
        }
        result.block.transactions.push_back(
            {static_cast<std::uint32_t>(i), (*txids)[i], std::move(transaction)});
        std::ranges::move(match.inserted, std::back_inserter(result.found));
    }
    if (!result.block.transactions.empty()) {
        add_branches(result.block.transactions, chain::make_merkle_proof(*txids, matches));
    }
    return result;
}

}  // namespace petal::net
