#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "chain/script/script.h"
#include "chain/transaction_rules.h"
#include "regtest/mempool/acceptance.h"
#include "regtest/mempool/mempool_cluster.h"
#include "regtest/mempool/reject_details.h"
#include "regtest/mempool/replacement.h"
#include "regtest/mempool/standard_policy.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/script_json.h"
#include "regtest/rpc/transaction_json.h"

namespace petal::regtest::rpc {
namespace {

/// Satoshi per 1,000 vB (Bitcoin Core: DEFAULT_MAX_RAW_TX_FEE_RATE).
constexpr chain::Satoshis kDefaultMaxFeeRate = chain::kSatoshisPerBitcoin / 10;

/// The limit on all OP_RETURN outputs of a transaction. No larger transaction is relayed
/// (MAX_OP_RETURN_RELAY).
constexpr std::uint64_t kMaxDataCarrierBytes = 100'000;

/// Bitcoin Core: MAX_PACKAGE_COUNT.
constexpr std::size_t kMaxPackageCount = 25;

using Positions = RegtestMempool::Positions;

/// The highest fee rate that a call accepts. 0: any.
chain::Satoshis max_fee_rate(const Arguments& arguments, std::size_t position) {
    if (!arguments.has(position)) return kDefaultMaxFeeRate;
    const chain::Satoshis rate = arguments.amount(position);
    if (rate < chain::kSatoshisPerBitcoin) return rate;
    throw RpcError(RpcCode::invalid_parameter,
                   "Fee rates larger than or equal to 1BTC/kvB are not accepted");
}

bool is_above(chain::Satoshis fee, chain::Satoshis max_rate, std::size_t size) {
    return max_rate != 0 && fee > chain::fee_at_rate(max_rate, size);
}

/// The fee of a transaction in the next block, and its size in vB.
struct TestedPayment {
    chain::Satoshis fee = 0;
    std::size_t size = 0;
};

/// All inputs must be known.
TestedPayment payment_of(const RegtestMempool& pool, const chain::Transaction& transaction) {
    const auto spent = pool.layer().spent_outputs(transaction);
    TestedPayment paid;
    for (const auto& output : spent) paid.fee += output.value;
    for (const auto& output : transaction.outputs) paid.fee -= output.value;
    paid.size = relayed_size(transaction, sigop_cost(transaction, spent));
    return paid;
}

void check_burnt(const chain::Transaction& transaction, chain::Satoshis most) {
    for (const auto& output : transaction.outputs) {
        const bool is_burnt = chain::is_unspendable(output.script_pubkey) ||
                              !has_valid_operations(output.script_pubkey);
        if (!is_burnt || output.value <= most) continue;
        throw RpcError(RpcCode::verify_error,
                       "Unspendable output exceeds maximum configured by user (maxburnamount)");
    }
}

Json send_raw_transaction(RpcNode& node, const Arguments& arguments) {
    const chain::Satoshis max_burnt = arguments.has(2) ? arguments.amount(2) : 0;
    auto transaction = parse_raw_transaction(
        arguments.text(0), "TX decode failed. Make sure the tx has at least one input.");
    check_burnt(transaction, max_burnt);
    const chain::Satoshis max_rate = max_fee_rate(arguments, 1);
    const chain::Txid txid = transaction.txid();
    RegtestChain& chain = node.chain;
    if (chain.mempool().find(txid)) return txid.to_hex();  // with any witness, like Bitcoin Core
    if (chain.mempool().layer().is_confirmed(transaction, txid)) {
        throw RpcError(RpcCode::already_in_chain, "Transaction outputs already in utxo set");
    }
    const auto accepted =
        check_acceptance(chain.mempool(), transaction, txid, node.settings.policy);
    if (!accepted) {
        const bool is_missing = accepted.error().reason == RejectReason::missing_input;
        throw RpcError(
            is_missing ? RpcCode::verify_error : RpcCode::rejected,
            reject_details(chain.mempool(), transaction, node.settings.policy, accepted.error()));
    }
    const auto paid = payment_of(chain.mempool(), transaction);
    if (is_above(paid.fee, max_rate, transaction.virtual_size())) {
        throw RpcError(RpcCode::verify_error,
                       "Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)");
    }
    chain.submit(std::move(transaction));
    return txid.to_hex();
}

Json refusal_json(Json json, const std::string& reason, const std::string& details) {
    json["allowed"] = false;
    json["reject-reason"] = reason;
    if (!details.empty()) json["reject-details"] = details;
    return json;
}

Json test_json(const RpcNode& node, const RegtestMempool& pool,
               const chain::Transaction& transaction, chain::Satoshis max_rate) {
    const chain::Txid txid = transaction.txid();
    const std::string wtxid = transaction.wtxid().to_hex();
    Json json = {{"txid", txid.to_hex()}, {"wtxid", wtxid}};
    const auto position = pool.find(txid);
    if (position && pool.transactions()[*position] == transaction) {
        return refusal_json(json, "txn-already-in-mempool", "txn-already-in-mempool");
    }
    const auto accepted = check_acceptance(pool, transaction, txid, node.settings.policy);
    if (!accepted) {
        const bool is_missing = accepted.error().reason == RejectReason::missing_input;
        if (is_missing) return refusal_json(json, "missing-inputs", "");
        return refusal_json(
            json, describe(accepted.error()),
            reject_details(pool, transaction, node.settings.policy, accepted.error()));
    }
    const auto paid = payment_of(pool, transaction);
    if (is_above(paid.fee, max_rate, paid.size)) return refusal_json(json, "max-fee-exceeded", "");
    const auto rate = paid.fee * 1'000 / static_cast<chain::Satoshis>(paid.size);
    json["allowed"] = true;
    json["vsize_adjusted"] = paid.size;
    json["vsize"] = paid.size;
    json["vsize_bip141"] = transaction.virtual_size();
    json["fees"] = {{"base", btc_json(paid.fee)},
                    {"effective-feerate", btc_json(rate)},
                    {"effective-includes", Json::array({wtxid})}};
    return json;
}

Json ids_json(const chain::Transaction& transaction) {
    return {{"txid", transaction.txid().to_hex()}, {"wtxid", transaction.wtxid().to_hex()}};
}

/// Why the transactions are no package: they are not in order, or conflict (Bitcoin Core:
/// IsWellFormedPackage). Empty if they are one.
std::optional<std::string> package_fault(const std::vector<chain::Transaction>& transactions) {
    std::set<chain::Txid> later;
    for (const auto& transaction : transactions) {
        if (!later.insert(transaction.txid()).second) return "package-contains-duplicates";
    }
    std::set<chain::Outpoint> spent;
    for (const auto& transaction : transactions) {
        for (const auto& input : transaction.inputs) {
            if (later.contains(input.prevout.txid)) return "package-not-sorted";
        }
        later.erase(transaction.txid());
    }
    for (const auto& transaction : transactions) {
        for (const auto& input : transaction.inputs) {
            if (!spent.insert(input.prevout).second) return "conflict-in-package";
        }
    }
    return std::nullopt;
}

/// Tests each transaction on top of those before. After one that is refused, the others are not
/// tested.
Json test_in_order(const RpcNode& node, const std::vector<chain::Transaction>& transactions,
                   chain::Satoshis max_rate) {
    Json results = Json::array();
    if (transactions.size() == 1) {  // without a copy of the mempool
        results.push_back(test_json(node, node.chain.mempool(), transactions.front(), max_rate));
        return results;
    }
    RegtestMempool pool = node.chain.mempool();
    bool is_over = false;
    for (const auto& transaction : transactions) {
        Json json = is_over ? ids_json(transaction) : test_json(node, pool, transaction, max_rate);
        const bool is_refused = json.contains("allowed") && !json["allowed"].get<bool>();
        const bool is_known = pool.find(transaction.txid()).has_value();
        if (is_refused) {
            is_over = true;
        } else if (!is_over && !is_known) {
            is_over = !pool.submit(transaction, transaction.txid(), {}).has_value();
        }
        results.push_back(std::move(json));
    }
    return results;
}

Json test_mempool_accept(RpcNode& node, const Arguments& arguments) {
    const Json& given = arguments.at(0);
    if (given.empty() || given.size() > kMaxPackageCount) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Array must contain between 1 and 25 transactions.");
    }
    const chain::Satoshis max_rate = max_fee_rate(arguments, 1);
    std::vector<chain::Transaction> transactions;
    for (const Json& one : given) {
        const std::string hex = Arguments::text_of(one);
        transactions.push_back(parse_raw_transaction(
            hex, "TX decode failed: " + hex + " Make sure the tx has at least one input."));
    }
    if (const auto fault = package_fault(transactions)) {
        Json results = Json::array();
        for (const auto& transaction : transactions) {
            Json json = ids_json(transaction);
            json["package-error"] = *fault;
            results.push_back(std::move(json));
        }
        return results;
    }
    return test_in_order(node, transactions, max_rate);
}

TestedPayment total_of(const RegtestMempool& pool, const Positions& positions) {
    TestedPayment total;
    for (const std::size_t position : positions) {
        total.fee += pool.entries()[position].fee;
        total.size += pool.entries()[position].size;
    }
    return total;
}

Json parents_json(const RegtestMempool& pool, std::size_t position) {
    Json parents = Json::array();
    for (const auto& input : pool.transactions()[position].inputs) {
        const std::string txid = input.prevout.txid.to_hex();
        const bool is_new = std::ranges::find(parents, Json(txid)) == parents.end();
        if (is_new && pool.find(input.prevout.txid)) parents.push_back(txid);
    }
    return parents;
}

Json children_json(const RegtestMempool& pool, std::size_t position) {
    Json children = Json::array();
    const auto& txid = pool.entries()[position].txid;
    const auto count = static_cast<std::uint32_t>(pool.transactions()[position].outputs.size());
    for (std::uint32_t i = 0; i < count; ++i) {
        const auto* const spender = pool.layer().spender({txid, i});
        if (spender == nullptr) continue;
        const std::string child = spender->to_hex();
        if (std::ranges::find(children, Json(child)) == children.end()) children.push_back(child);
    }
    return children;
}

/// The chunks of this transaction's cluster in the order of mining.
std::vector<Chunk> cluster_of(const RegtestMempool& pool, std::size_t position) {
    return MempoolCluster(pool, pool.connected_with({position}, {})).chunks_by_position();
}

/// The chunk of each transaction in this transaction's cluster, by position.
std::map<std::size_t, PaidSize> chunks_around(const RegtestMempool& pool, std::size_t position) {
    std::map<std::size_t, PaidSize> chunks;
    for (const Chunk& chunk : cluster_of(pool, position)) {
        for (const std::size_t at : chunk.places) chunks.emplace(at, chunk.paid);
    }
    return chunks;
}

/// chunk   the transactions that a miner would include together with this transaction
Json entry_json(const RegtestMempool& pool, std::size_t position, const PaidSize& chunk) {
    const auto& entry = pool.entries()[position];
    const auto& transaction = pool.transactions()[position];
    const Positions ancestors = pool.with_ancestors({position});
    const Positions descendants = pool.with_descendants({position});
    const auto before = total_of(pool, ancestors);
    const auto behind = total_of(pool, descendants);
    return {{"vsize_adjusted", entry.size},
            {"vsize", entry.size},
            {"vsize_bip141", transaction.virtual_size()},
            {"weight", transaction.weight()},
            {"time", entry.arrival.time},
            {"height", entry.arrival.height},
            {"descendantcount", descendants.size()},
            {"descendantsize", behind.size},
            {"ancestorcount", ancestors.size()},
            {"ancestorsize", before.size},
            {"wtxid", entry.wtxid.to_hex()},
            {"chunkweight", chunk.size},
            {"fees",
             {{"base", btc_json(entry.fee)},
              {"modified", btc_json(entry.fee)},
              {"ancestor", btc_json(before.fee)},
              {"descendant", btc_json(behind.fee)},
              {"chunk", btc_json(chunk.fee)}}},
            {"depends", parents_json(pool, position)},
            {"spentby", children_json(pool, position)},
            {"unbroadcast", false}};
}

Json get_raw_mempool(RpcNode& node, const Arguments& arguments) {
    const auto& pool = node.chain.mempool();
    if (arguments.boolean(0, false) && arguments.boolean(1, false)) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Verbose results cannot contain mempool sequence values.");
    }
    if (arguments.boolean(0, false)) {
        Json json = Json::object();
        std::map<std::size_t, PaidSize> chunks;
        for (std::size_t i = 0; i < pool.entries().size(); ++i) {
            if (!chunks.contains(i)) chunks.merge(chunks_around(pool, i));
            append_member(json, pool.entries()[i].txid.to_hex(), entry_json(pool, i, chunks.at(i)));
        }
        return json;
    }
    Json txids = Json::array();
    for (const auto& entry : pool.entries()) txids.push_back(entry.txid.to_hex());
    if (!arguments.boolean(1, false)) return txids;
    return {{"txids", std::move(txids)}, {"mempool_sequence", node.chain.history().revision()}};
}

Json get_mempool_entry(RpcNode& node, const Arguments& arguments) {
    const auto& pool = node.chain.mempool();
    const auto position = pool.find(arguments.hash<chain::Txid>(0));
    if (!position) throw RpcError(RpcCode::not_found, "Transaction not in mempool");
    return entry_json(pool, *position, chunks_around(pool, *position).at(*position));
}

Json get_mempool_cluster(RpcNode& node, const Arguments& arguments) {
    const auto& pool = node.chain.mempool();
    const auto position = pool.find(arguments.hash<chain::Txid>(0));
    if (!position) throw RpcError(RpcCode::not_found, "Transaction not in mempool");
    std::size_t weight = 0;
    std::size_t count = 0;
    Json chunks = Json::array();
    for (const Chunk& chunk : cluster_of(pool, *position)) {
        Json txids = Json::array();
        for (const std::size_t at : chunk.places) txids.push_back(pool.entries()[at].txid.to_hex());
        weight += chunk.paid.size;
        count += chunk.places.size();
        chunks.push_back({{"chunkfee", btc_json(chunk.paid.fee)},
                          {"chunkweight", chunk.paid.size},
                          {"txs", std::move(txids)}});
    }
    return {{"clusterweight", weight}, {"txcount", count}, {"chunks", std::move(chunks)}};
}

/// The entries at these positions: txids, or objects by txid.
Json entries_json(const RegtestMempool& pool, const Positions& positions, bool is_verbose) {
    std::vector<std::size_t> sorted(positions.begin(), positions.end());
    std::ranges::sort(sorted);
    Json json = is_verbose ? Json::object() : Json::array();
    for (const std::size_t at : sorted) {
        const std::string txid = pool.entries()[at].txid.to_hex();
        if (is_verbose) {
            append_member(json, txid, entry_json(pool, at, chunks_around(pool, at).at(at)));
        } else {
            json.push_back(txid);
        }
    }
    return json;
}

Json relatives_json(RpcNode& node, const Arguments& arguments,
                    Positions (RegtestMempool::*relatives)(Positions) const) {
    const auto& pool = node.chain.mempool();
    const auto position = pool.find(arguments.hash<chain::Txid>(0));
    if (!position) throw RpcError(RpcCode::not_found, "Transaction not in mempool");
    Positions found = (pool.*relatives)({*position});
    found.erase(*position);
    return entries_json(pool, found, arguments.boolean(1, false));
}

Json get_mempool_ancestors(RpcNode& node, const Arguments& arguments) {
    return relatives_json(node, arguments, &RegtestMempool::with_ancestors);
}

Json get_mempool_descendants(RpcNode& node, const Arguments& arguments) {
    return relatives_json(node, arguments, &RegtestMempool::with_descendants);
}

/// An object `{"txid","vout"}`.
chain::Outpoint parse_prevout(const Json& given) {
    if (!given.is_object()) {
        throw RpcError(RpcCode::wrong_type, "JSON value of type " + std::string(type_name(given)) +
                                                " is not of expected type object");
    }
    for (const char* name : {"txid", "vout"}) {
        if (!given.contains(name)) {
            throw RpcError(RpcCode::wrong_type, "Missing " + std::string(name));
        }
    }
    for (const auto& [name, value] : given.items()) {
        if (name == "txid" || name == "vout") continue;
        throw RpcError(RpcCode::wrong_type, "Unexpected key " + name);
    }
    const auto txid = Arguments::parse_hash<chain::Txid>(given["txid"], "txid");
    const std::int64_t index = Arguments::whole_number(given["vout"]);
    if (index < 0 || index > std::numeric_limits<std::int32_t>::max()) {
        throw RpcError(RpcCode::invalid_parameter, "Invalid parameter, vout cannot be negative");
    }
    return {txid, static_cast<std::uint32_t>(index)};
}

Json get_tx_spending_prevout(RpcNode& node, const Arguments& arguments) {
    if (arguments.at(0).empty()) {
        throw RpcError(RpcCode::invalid_parameter, "Invalid parameter, outputs are missing");
    }
    const Json options = arguments.has(1) ? arguments.at(1) : Json::object();
    const bool shows_spender = options.value("return_spending_tx", false);
    const auto& pool = node.chain.mempool();
    Json found = Json::array();
    for (const Json& given : arguments.at(0)) {
        const auto outpoint = parse_prevout(given);
        Json json = {{"txid", outpoint.txid.to_hex()}, {"vout", outpoint.index}};
        if (const auto* const spender = pool.layer().spender(outpoint)) {
            json["spendingtxid"] = spender->to_hex();
            if (shows_spender) {
                json["spendingtx"] = chain::to_hex(pool.transaction(*spender)->serialize());
            }
        }
        found.push_back(std::move(json));
    }
    return found;
}

Json get_mempool_info(RpcNode& node, const Arguments& /*arguments*/) {
    const auto& pool = node.chain.mempool();
    const MempoolTotals& total = pool.totals();
    const std::size_t memory =
        total.bytes + pool.entries().size() * (sizeof(chain::Transaction) + sizeof(MempoolEntry));
    const Json least = btc_json(node.settings.policy.least_fee_rate);
    return {{"loaded", true},
            {"size", pool.transactions().size()},
            {"bytes", total.size},
            {"usage", memory},  // estimate
            {"total_fee", btc_json(total.fee)},
            {"maxmempool", kMaxMempoolBytes},
            {"mempoolminfee", least},
            {"minrelaytxfee", least},
            {"incrementalrelayfee", btc_json(kIncrementalFeeRate)},
            {"unbroadcastcount", 0},
            {"permitbaremultisig", true},
            {"maxdatacarriersize", kMaxDataCarrierBytes},
            {"limitclustercount", kMaxClusterCount},
            {"limitclustersize", kMaxClusterSize},
            {"optimal", true}};
}

}  // namespace

std::vector<Method> mempool_methods() {
    using enum ArgumentKind;
    return {
        {"sendrawtransaction",
         {{"hexstring", text}, {"maxfeerate", amount, false}, {"maxburnamount", amount, false}},
         send_raw_transaction,
         "takes a transaction as from a peer, or says why not"},
        {"testmempoolaccept",
         {{"rawtxs", array}, {"maxfeerate", amount, false}},
         test_mempool_accept,
         "whether transactions would be taken, each on top of those before"},
        {"getrawmempool",
         {{"verbose", boolean, false}, {"mempool_sequence", boolean, false}},
         get_raw_mempool,
         "the unconfirmed transactions"},
        {"getmempoolentry", {{"txid", text}}, get_mempool_entry, "fees and size of one of them"},
        {"getmempoolcluster",
         {{"txid", text}},
         get_mempool_cluster,
         "the transactions that are connected with one of them, in the order of mining"},
        {"getmempoolancestors",
         {{"txid", text}, {"verbose", boolean, false}},
         get_mempool_ancestors,
         "the unconfirmed transactions that a transaction depends on"},
        {"getmempooldescendants",
         {{"txid", text}, {"verbose", boolean, false}},
         get_mempool_descendants,
         "the unconfirmed transactions that depend on a transaction"},
        {"gettxspendingprevout",
         {{"outputs", array},
          {"options", object, false, "", {"mempool_only", "return_spending_tx"}}},
         get_tx_spending_prevout,
         "the unconfirmed transactions that spend outputs"},
        {"getmempoolinfo", {}, get_mempool_info, "how many they are, and the least fee rate"},
    };
}

}  // namespace petal::regtest::rpc
