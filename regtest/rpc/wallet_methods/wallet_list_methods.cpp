#include <algorithm>
#include <cstdlib>
#include <limits>

#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_history.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"

namespace petal::regtest::rpc {
namespace {

/// A label to filter by. Empty: no filter.
std::optional<std::string> label_filter(const Arguments& arguments, std::size_t position) {
    if (!arguments.has(position)) return std::nullopt;
    return checked_label(arguments.text(position));
}

Json list_transactions(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    WalletHistory::Choice choice;
    if (arguments.has(0) && arguments.text(0) != "*") {
        choice.label = arguments.text(0);
        if (choice.label->empty()) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Label argument must be a valid label name or \"*\".");
        }
    }
    const std::int64_t count = arguments.number(1, 10);
    const std::int64_t skip = arguments.number(2, 0);
    if (count < 0) throw RpcError(RpcCode::invalid_parameter, "Negative count");
    if (skip < 0) throw RpcError(RpcCode::invalid_parameter, "Negative from");
    Json newest_first = Json::array();
    if (wallet.keys() == nullptr) return newest_first;
    WalletHistory history(wallet);
    for (const wallet::HistoryEntry& entry : wallet.keys()->history(0)) {
        if (std::ssize(newest_first) >= count + skip) break;
        history.list(history.complete(entry), choice, newest_first);
    }
    const std::int64_t last = std::min<std::int64_t>(count + skip, std::ssize(newest_first));
    Json listed = Json::array();
    for (std::int64_t i = last; i > skip; --i) {
        listed.push_back(std::move(newest_first[static_cast<std::size_t>(i - 1)]));
    }
    return listed;
}

/// Transactions of the blocks from this one down to the active chain, which it has left.
Json removed_transactions(const wallets::NamedWallet& wallet, chain::BlockHash hash,
                          const chain::BlockRef& fork, const WalletHistory::Choice& choice) {
    Json removed = Json::array();
    if (wallet.keys() == nullptr) return removed;
    WalletHistory history(wallet);
    while (hash != fork.hash) {
        const auto block = wallet.chain().find_block(hash).value();
        for (const chain::Txid& txid : block.txids) {
            const auto found = history.find(txid);
            if (found) history.list(*found, choice, removed);
        }
        hash = block.header.previous;
    }
    return removed;
}

Json list_since_block(const WalletCall& call, const Arguments& arguments) {
    const wallets::NamedWallet& wallet = call.wallet();
    const wallets::WalletChain& chain = wallet.chain();
    const std::uint32_t tip = chain.tip().height;
    std::int64_t depth = std::numeric_limits<std::int64_t>::max();
    std::optional<chain::BlockHash> since;
    std::optional<chain::BlockRef> fork;
    if (arguments.has(0) && !arguments.text(0).empty()) {
        since = arguments.hash<chain::BlockHash>(0);
        fork = chain.fork_point(*since);
        if (!fork) throw RpcError(RpcCode::not_found, "Block not found");
        depth = std::int64_t{tip} + 1 - fork->height;
    }
    const std::int64_t target = arguments.number(1, 1);
    if (target < 1) throw RpcError(RpcCode::invalid_parameter, "Invalid parameter");
    WalletHistory::Choice choice;
    choice.has_change = arguments.boolean(4, false);
    choice.label = label_filter(arguments, 5);
    Json transactions = Json::array();
    if (wallet.keys() != nullptr) {
        WalletHistory history(wallet);
        for (const wallet::HistoryEntry& entry : history.oldest_first()) {
            if (std::abs(history.confirmations(entry)) >= depth) continue;
            history.list(history.complete(entry), choice, transactions);
        }
    }
    Json json = {{"transactions", std::move(transactions)}};
    if (arguments.boolean(3, true)) {
        json["removed"] =
            since ? removed_transactions(wallet, *since, *fork, choice) : Json::array();
    }
    const auto back = static_cast<std::uint32_t>(std::min<std::int64_t>(target, tip + 1));
    json["lastblock"] = chain.ref_at(tip + 1 - back).hash.to_hex();
    return json;
}

Json abandon_transaction(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    const auto txid = arguments.hash<chain::Txid>(0);
    if (wallet.keys() == nullptr || !wallet.keys()->has_transaction(txid)) {
        throw RpcError(RpcCode::not_found, "Invalid or non-wallet transaction id");
    }
    const RpcError refused(RpcCode::not_found, "Transaction not eligible for abandonment");
    if (wallet.chain().is_pending(txid)) throw refused;
    if (!wallet.keys()->abandon(txid)) throw refused;
    return nullptr;
}

}  // namespace

std::vector<WalletMethod> wallet_list_methods() {
    using enum ArgumentKind;
    return {
        {"listtransactions",
         {{"label", text, false, "dummy"},
          {"count", number, false},
          {"skip", number, false},
          {"include_watchonly", boolean, false}},
         list_transactions,
         "the latest payments, oldest first"},
        {"listsinceblock",
         {{"blockhash", text, false},
          {"target_confirmations", number, false},
          {"include_watchonly", boolean, false},
          {"include_removed", boolean, false},
          {"include_change", boolean, false},
          {"label", text, false}},
         list_since_block,
         "the payments since a block"},
        {"abandontransaction",
         {{"txid", text}},
         abandon_transaction,
         "forgets a payment that is not in the mempool"},
    };
}

}  // namespace petal::regtest::rpc
