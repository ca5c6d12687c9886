#include "regtest/chain/block_assembly.h"

#include <algorithm>
#include <iterator>
#include <stdexcept>
#include <string>
#include <unordered_set>
#include <utility>

#include "chain/merkle_proof.h"

namespace petal::regtest {
namespace {

/// The maximum weight and signature operations of a block's transactions (Bitcoin Core:
/// MAX_BLOCK_WEIGHT, MAX_BLOCK_SIGOPS_COST), less some room for header and coinbase.
constexpr std::size_t kMaxMinedWeight = 4'000'000 - 4'000;
constexpr std::size_t kMaxMinedSigops = 80'000 - 400;

}  // namespace

BlockContents contents_of(const RegtestMempool& mempool) {
    BlockContents contents;
    std::size_t weight = 0;
    std::size_t sigops = 0;
    std::unordered_set<chain::Txid> left_out;
    // A single transaction that is valid by itself may still exceed a block's signature operations.
    // In mempool order, children come after their parents.
    for (std::size_t i = 0; i < mempool.entries().size(); ++i) {
        const auto& transaction = mempool.transactions()[i];
        const auto& entry = mempool.entries()[i];
        const std::size_t its_weight = transaction.weight();
        const bool has_room =
            weight + its_weight <= kMaxMinedWeight && sigops + entry.sigop_cost <= kMaxMinedSigops;
        const bool has_parents = std::ranges::none_of(transaction.inputs, [&](const auto& input) {
            return left_out.contains(input.prevout.txid);
        });
        if (!has_room || !has_parents) {
            left_out.insert(entry.txid);
            continue;
        }
        weight += its_weight;
        sigops += entry.sigop_cost;
        contents.transactions.push_back(transaction);
        contents.txids.push_back(entry.txid);
        contents.fees += entry.fee;
    }
    return contents;
}

BlockContents checked_contents(std::vector<chain::Transaction> transactions,
                               TransactionLayer empty_layer) {
    BlockContents contents;
    TransactionLayer layer = std::move(empty_layer);
    for (const auto& transaction : transactions) {
        const auto fee = layer.check(transaction);
        if (!fee) throw std::invalid_argument(std::string(describe(fee.error())));
        contents.txids.push_back(transaction.txid());
        layer.add(transaction, contents.txids.back());
    }
    contents.transactions = std::move(transactions);
    return contents;
}

RegtestBlock assemble_block(const Chainstate& blocks, std::uint32_t time, BlockContents contents,
                            chain::Bytes script) {
    if (contents.transactions.size() >= chain::kMaxTransactionsPerBlock) {
        throw std::invalid_argument("no block has room for so many transactions");
    }
    const chain::TxOutput reward{block_subsidy(blocks.next_height()) + contents.fees,
                                 std::move(script)};
    std::vector<chain::Transaction> transactions;
    transactions.reserve(contents.transactions.size() + 1);
    // The number of the block makes the coinbases of two branches differ.
    const auto number = static_cast<std::uint32_t>(blocks.block_count() - 1);
    transactions.push_back(make_coinbase(blocks.next_height(), number, reward));
    std::ranges::move(contents.transactions, std::back_inserter(transactions));
    commit_to_witnesses(transactions, contents.txids);
    contents.txids.insert(contents.txids.begin(), transactions.front().txid());
    RegtestBlock block =
        mine_block_on(blocks.tip_hash(), time, std::move(transactions), std::move(contents.txids));
    // A forgotten invalid block may have had the same number.
    auto& header = block.header;
    while (blocks.find(header.hash()) != nullptr || !has_regtest_work(header)) ++header.nonce;
    return block;
}

}  // namespace petal::regtest
