#include "chain/block.h"
#include "regtest/rpc/block_json.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/transaction_json.h"

namespace petal::regtest::rpc {
namespace {

Json get_blockchain_info(RpcNode& node, const Arguments& /*arguments*/) {
    const RegtestChain& chain = node.chain;
    const auto& tip = chain.blocks().tip();
    node.settings.leave_initial_download(chain);
    return {{"chain", "regtest"},
            {"blocks", chain.height()},
            {"headers", chain.height()},
            {"bestblockhash", chain.tip().to_hex()},
            {"bits", hex_number(tip.header.bits, 8)},
            {"target", kTarget},
            {"difficulty", kDifficulty},
            {"time", tip.header.time},
            {"mediantime", Chainstate::median_time_past(tip)},
            {"verificationprogress", 1},
            {"initialblockdownload", node.settings.is_initial_download},
            {"chainwork", chainwork_at(chain.height())},
            {"size_on_disk", 0},
            {"pruned", false},
            {"warnings", Json::array()}};
}

Json get_block_count(RpcNode& node, const Arguments& /*arguments*/) {
    return node.chain.height();
}

Json get_best_block_hash(RpcNode& node, const Arguments& /*arguments*/) {
    return node.chain.tip().to_hex();
}

Json get_block_hash(RpcNode& node, const Arguments& arguments) {
    const std::int64_t height = arguments.number(0);
    if (height < 0 || height > node.chain.height()) {
        throw RpcError(RpcCode::invalid_parameter, "Block height out of range");
    }
    return node.chain.blocks().at(static_cast<std::uint32_t>(height)).hash.to_hex();
}

Json get_block_header(RpcNode& node, const Arguments& arguments) {
    const auto hash = arguments.hash<chain::BlockHash>(0, "hash");
    const auto& entry = find_block(node.chain, hash);
    if (!arguments.boolean(1, true)) return chain::to_hex(entry.header.serialize());
    return header_json(node.chain, entry);
}

void add_sizes(Json& json, std::size_t size, const std::vector<chain::Transaction>& transactions) {
    const std::size_t stripped_size = chain::stripped_block_size(transactions);
    json["strippedsize"] = stripped_size;
    json["size"] = size;
    json["weight"] = 3 * stripped_size + size;
}

void add_coinbase(Json& json, const chain::Transaction& coinbase) {
    const auto& input = coinbase.inputs[0];
    Json parts = {{"version", static_cast<std::uint32_t>(coinbase.version)},
                  {"locktime", coinbase.lock_time},
                  {"sequence", input.sequence},
                  {"coinbase", chain::to_hex(input.script_sig)}};
    if (!input.witness.empty()) parts["witness"] = chain::to_hex(input.witness[0]);
    json["coinbase_tx"] = std::move(parts);
}

Json get_block(RpcNode& node, const Arguments& arguments) {
    const auto hash = arguments.hash<chain::BlockHash>(0);
    const std::int64_t verbosity = arguments.verbosity(1, 1);
    const auto& found = find_block(node.chain, hash);
    const chain::Bytes bytes = found.serialize();
    if (verbosity <= 0) return chain::to_hex(bytes);
    const RegtestBlock block = found.block();
    Json json = header_json(node.chain, found);
    add_sizes(json, bytes.size(), block.transactions);
    add_coinbase(json, block.transactions[0]);
    Json transactions = Json::array();
    if (verbosity == 1) {
        for (const auto& txid : block.txids) transactions.push_back(txid.to_hex());
    } else {
        const auto spent = find_spent_outputs(node.chain, block.transactions);
        const auto shown = verbosity == 2 ? ShownInputs::fee : ShownInputs::prevouts;
        for (const auto& transaction : block.transactions) {
            Json entry = decoded_transaction_json(transaction, spent, shown);
            entry["hex"] = chain::to_hex(transaction.serialize());
            transactions.push_back(std::move(entry));
        }
    }
    json["tx"] = std::move(transactions);
    return json;
}

Json get_block_filter(RpcNode& node, const Arguments& arguments) {
    const auto hash = arguments.hash<chain::BlockHash>(0, "blockhash");
    if (arguments.has(1) && arguments.text(1) != "basic") {
        throw RpcError(RpcCode::not_found, "Unknown filtertype");
    }
    if (std::ranges::find(node.settings.indexes, kFilterIndex) == node.settings.indexes.end()) {
        throw RpcError(RpcCode::misc, "Index is not enabled for filtertype basic");
    }
    const auto& entry = find_block(node.chain, hash);
    if (!entry.was_connected) {
        throw RpcError(RpcCode::not_found,
                       "Filter not found. Block was not connected to active chain.");
    }
    const auto& [filter, header] = node.chain.filters().record(entry);
    return {{"filter", chain::to_hex(filter)}, {"header", header.to_hex()}};
}

/// The indexes that this node's answers imply, which never lag behind the chain.
Json get_index_info(RpcNode& node, const Arguments& arguments) {
    Json indexes = Json::object();
    for (const std::string& name : node.settings.indexes) {
        if (arguments.has(0) && !arguments.text(0).empty() && arguments.text(0) != name) continue;
        indexes[name] = {{"synced", true}, {"best_block_height", node.chain.height()}};
    }
    return indexes;
}

}  // namespace

std::vector<Method> block_methods() {
    using enum ArgumentKind;
    return {
        {"getblockchaininfo", {}, get_blockchain_info, "how the chain stands"},
        {"getblockcount", {}, get_block_count, "the tip's height"},
        {"getbestblockhash", {}, get_best_block_hash, "the tip's hash"},
        {"getblockhash", {{"height", number}}, get_block_hash, "the hash of a block by its height"},
        {"getblockheader",
         {{"blockhash", text}, {"verbose", boolean, false}},
         get_block_header,
         "a block's header, decoded unless verbose is false"},
        {"getblock",
         {{"blockhash", text}, {"verbosity", verbosity, false, "verbose"}},
         get_block,
         "a block: hexadecimal (0), with txids (1), with transactions (2), with what they spend "
         "(3)"},
        {"getblockfilter",
         {{"blockhash", text}, {"filtertype", text, false}},
         get_block_filter,
         "a block's basic filter and filter header (BIP157, BIP158)"},
        {"getindexinfo",
         {{"index_name", text, false}},
         get_index_info,
         "the indexes that are on, which are always complete"},
    };
}

}  // namespace petal::regtest::rpc
