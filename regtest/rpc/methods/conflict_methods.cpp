#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "regtest/mempool/script_checks.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/transaction_json.h"

namespace petal::regtest::rpc {
namespace {

/// The maximum number of blocks that `reorg` replaces, because the new blocks are mined at once.
constexpr std::uint32_t kMaxConflictDepth = 10'000;

RpcError unknown_transaction() {
    return {RpcCode::not_found, "Transaction not in mempool and not in a block of the chain"};
}

bool spends_one_of(const chain::Transaction& transaction, const chain::Transaction& other) {
    return std::ranges::any_of(transaction.inputs, [&other](const auto& input) {
        return std::ranges::find(other.inputs, input.prevout, &chain::TxInput::prevout) !=
               other.inputs.end();
    });
}

/// Refuses a block that other nodes would refuse.
void check_scripts(const RpcNode& node, const chain::Transaction& transaction) {
    const auto known = find_spent_outputs(node.chain, {&transaction, 1});
    std::vector<chain::TxOutput> spent;
    for (const auto& input : transaction.inputs) {
        const auto found = known.find(input.prevout);
        if (found == known.end()) {
            throw RpcError(RpcCode::verify_error,
                           std::string(describe(RejectReason::missing_input)));
        }
        spent.push_back(found->second.output);
    }
    const auto wrong = find_wrong_script(transaction, spent, chain::kConsensusFlags);
    if (wrong) {
        throw RpcError(RpcCode::rejected, describe(*wrong));
    }
}

/// The second argument, or a transaction that pays one of the purse's coins back to the purse.
chain::Transaction conflict_of(RpcNode& node, const Arguments& arguments,
                               const chain::Transaction& transaction) {
    if (arguments.has(1)) {
        auto given = parse_raw_transaction(arguments.text(1), "TX decode failed");
        if (!spends_one_of(given, transaction)) {
            throw RpcError(RpcCode::invalid_parameter, "it spends none of the same outputs");
        }
        check_scripts(node, given);
        return given;
    }
    const auto spent = find_spent_outputs(node.chain, {&transaction, 1});
    for (const auto& input : transaction.inputs) {
        const auto found = spent.find(input.prevout);
        if (found == spent.end()) continue;
        if (auto conflict = node.chain.purse().make_conflict(input.prevout, found->second.output)) {
            return *std::move(conflict);
        }
    }
    throw RpcError(RpcCode::invalid_parameter,
                   "none of its inputs is the purse's: name the other transaction");
}

Json drop_transaction(RpcNode& node, const Arguments& arguments) {
    if (!node.chain.drop(arguments.hash<chain::Txid>(0))) {
        throw RpcError(RpcCode::not_found, "Transaction not in mempool");
    }
    return nullptr;
}

Json replace_transaction(RpcNode& node, const Arguments& arguments) {
    const auto* const found = node.chain.mempool().transaction(arguments.hash<chain::Txid>(0));
    if (found == nullptr) throw RpcError(RpcCode::not_found, "Transaction not in mempool");
    return node.chain.submit(conflict_of(node, arguments, *found)).to_hex();
}

/// The ancestors of `conflict` among these transactions, in topological order, followed by
/// `conflict`.
std::vector<chain::Transaction> with_parents(chain::Transaction conflict,
                                             const std::vector<chain::Transaction>& transactions,
                                             const std::vector<chain::Txid>& txids) {
    std::vector<chain::Transaction> family{std::move(conflict)};
    std::set<chain::Txid> parents;
    const auto add_parents_of = [&parents](const chain::Transaction& transaction) {
        for (const auto& input : transaction.inputs) parents.insert(input.prevout.txid);
    };
    add_parents_of(family.front());
    for (std::size_t i = transactions.size(); i-- > 0;) {
        if (!parents.contains(txids[i])) continue;
        add_parents_of(transactions[i]);
        family.push_back(transactions[i]);
    }
    std::ranges::reverse(family);
    return family;
}

/// Mines a block with the conflict on the tip or, if the transaction is confirmed, a branch with
/// the conflict. The block includes the parents that would be unconfirmed.
Json confirm_conflict(RpcNode& node, const Arguments& arguments) {
    const auto txid = arguments.hash<chain::Txid>(0);
    const auto* const unconfirmed = node.chain.mempool().transaction(txid);
    const auto confirmed = find_confirmed(node.chain, txid);
    if (unconfirmed == nullptr && !confirmed) throw unknown_transaction();
    const auto conflict = conflict_of(
        node, arguments, unconfirmed != nullptr ? *unconfirmed : confirmed->transaction());
    if (unconfirmed == nullptr && node.chain.height() - confirmed->height() >= kMaxConflictDepth) {
        throw RpcError(RpcCode::invalid_parameter, "it is too many blocks deep");
    }
    node.set_block_time();
    if (unconfirmed != nullptr) {
        const auto& mempool = node.chain.mempool();
        std::vector<chain::Txid> txids;
        for (const auto& entry : mempool.entries()) txids.push_back(entry.txid);
        node.chain.mine_block(with_parents(conflict, mempool.transactions(), txids));
    } else {
        const auto& block = *confirmed->block;
        node.chain.reorganise_with(confirmed->height() - 1,
                                   with_parents(conflict, block.block().transactions, block.txids));
    }
    return {{"txid", conflict.txid().to_hex()}, {"tip", node.chain.tip().to_hex()}};
}

}  // namespace

std::vector<Method> conflict_methods() {
    using enum ArgumentKind;
    return {
        {"droptransaction",
         {{"txid", text}},
         drop_transaction,
         "forgets an unconfirmed transaction and its descendants, as if it had expired"},
        {"replacetransaction",
         {{"txid", text}, {"hexstring", text, false}},
         replace_transaction,
         "puts another that spends the same in its place; without one, the purse's own"},
        {"confirmconflict",
         {{"txid", text}, {"hexstring", text, false}},
         confirm_conflict,
         "mines another that spends the same; a confirmed one is reorganised away"},
    };
}

}  // namespace petal::regtest::rpc
