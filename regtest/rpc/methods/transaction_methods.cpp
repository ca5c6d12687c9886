#include <algorithm>
#include <set>

#include "chain/byte_reader.h"
#include "chain/merkle_proof.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/script_json.h"
#include "regtest/rpc/transaction_json.h"

namespace petal::regtest::rpc {
namespace {

struct LocatedTransaction {
    chain::Transaction transaction;
    const Chainstate::Entry* block = nullptr;  ///< null for a mempool transaction
};

LocatedTransaction locate(const RegtestChain& chain, const Arguments& arguments) {
    const auto txid = arguments.hash<chain::Txid>(0, "parameter 1");
    if (txid == chain.blocks().at(0).txids[0]) {
        throw RpcError(RpcCode::not_found,
                       "The genesis block coinbase is not considered an ordinary transaction and "
                       "cannot be retrieved");
    }
    const std::string advice = ". Use gettransaction for wallet transactions.";
    if (arguments.has(2)) {
        const auto* const entry =
            chain.blocks().find(arguments.hash<chain::BlockHash>(2, "parameter 3"));
        if (entry == nullptr) throw RpcError(RpcCode::not_found, "Block hash not found");
        const auto found = std::ranges::find(entry->txids, txid);
        if (found == entry->txids.end()) {
            throw RpcError(RpcCode::not_found,
                           "No such transaction found in the provided block" + advice);
        }
        return {entry->transaction(static_cast<std::size_t>(found - entry->txids.begin())), entry};
    }
    if (const auto* const transaction = chain.mempool().transaction(txid)) {
        return {*transaction, nullptr};
    }
    const auto confirmed = find_confirmed(chain, txid);
    if (!confirmed) {
        throw RpcError(RpcCode::not_found, "No such mempool or blockchain transaction" + advice);
    }
    return {confirmed->transaction(), confirmed->block};
}

/// Finds every transaction of the chain, like bitcoind with -txindex.
Json get_raw_transaction(RpcNode& node, const Arguments& arguments) {
    const auto txid = arguments.hash<chain::Txid>(0, "parameter 1");
    const std::int64_t verbosity = arguments.verbosity(1, 0);
    const LocatedTransaction located = locate(node.chain, arguments);
    const auto& transaction = located.transaction;
    const std::string hex = chain::to_hex(transaction.serialize());
    if (verbosity <= 0) return hex;
    const bool shows_inputs =
        verbosity >= 2 && located.block != nullptr && !transaction.is_coinbase();
    Json json = shows_inputs
                    ? decoded_transaction_json(
                          transaction, find_spent_outputs(node.chain, std::span(&transaction, 1)),
                          ShownInputs::prevouts)
                    : decoded_transaction_json(transaction);
    json["hex"] = hex;
    if (located.block == nullptr) {
        const auto position = *node.chain.mempool().find(txid);
        json["vsize_adjusted"] = node.chain.mempool().entries()[position].size;
        return json;
    }
    const auto& block = *located.block;
    const bool is_active = node.chain.blocks().is_active(block);
    if (arguments.has(2)) json["in_active_chain"] = is_active;
    json["blockhash"] = block.hash.to_hex();
    if (!is_active) {
        json["confirmations"] = 0;
        return json;
    }
    json["confirmations"] = node.chain.height() - block.height + 1;
    json["time"] = block.header.time;
    json["blocktime"] = block.header.time;
    return json;
}

Json decode_raw_transaction(RpcNode& /*node*/, const Arguments& arguments) {
    RawForm form = RawForm::either;
    if (arguments.has(1)) {
        form = arguments.boolean(1, true) ? RawForm::with_witness : RawForm::without_witness;
    }
    return decoded_transaction_json(parse_draft_transaction(arguments.text(0), form));
}

Json get_tx_out(RpcNode& node, const Arguments& arguments) {
    const auto txid = arguments.hash<chain::Txid>(0);
    const chain::Outpoint outpoint{txid, arguments.number<std::uint32_t>(1)};
    const auto& layer = node.chain.mempool().layer();
    const Coin* const coin = node.chain.blocks().coins().find(outpoint);
    const auto unconfirmed = layer.created().find(outpoint);
    const bool counts_mempool = arguments.boolean(2, true);
    if (counts_mempool && layer.is_spent(outpoint)) return nullptr;
    const bool is_unconfirmed = counts_mempool && unconfirmed != layer.created().end();
    if (coin == nullptr && !is_unconfirmed) return nullptr;
    const chain::TxOutput output = is_unconfirmed ? unconfirmed->second : coin->output();
    return {{"bestblock", node.chain.tip().to_hex()},
            {"confirmations", is_unconfirmed ? 0 : node.chain.height() - coin->height() + 1},
            {"value", btc_json(output.value)},
            {"scriptPubKey", script_pubkey_json(output.script_pubkey)},
            {"coinbase", !is_unconfirmed && coin->from_coinbase()}};
}

std::set<chain::Txid> parse_txids(const Json& values) {
    if (values.empty()) {
        throw RpcError(RpcCode::invalid_parameter, "Parameter 'txids' cannot be empty");
    }
    std::set<chain::Txid> txids;
    for (const Json& value : values) {
        if (txids.insert(Arguments::parse_hash<chain::Txid>(value, "txid")).second) continue;
        throw RpcError(RpcCode::invalid_parameter,
                       "Invalid parameter, duplicated txid: " + value.get<std::string>());
    }
    return txids;
}

const Chainstate::Entry& block_for_proof(const RegtestChain& chain, const Arguments& arguments,
                                         const chain::Txid& txid) {
    if (arguments.has(1)) {
        const auto* const entry = chain.blocks().find(arguments.hash<chain::BlockHash>(1));
        if (entry == nullptr) throw RpcError(RpcCode::not_found, "Block not found");
        return *entry;
    }
    const auto confirmed = find_confirmed(chain, txid);
    if (!confirmed) throw RpcError(RpcCode::not_found, "Transaction not yet in block");
    return *confirmed->block;
}

Json get_tx_out_proof(RpcNode& node, const Arguments& arguments) {
    const std::set<chain::Txid> txids = parse_txids(arguments.at(0));
    const auto& block = block_for_proof(node.chain, arguments, *txids.begin());
    std::vector<bool> matches;
    for (const auto& txid : block.txids) matches.push_back(txids.contains(txid));
    if (static_cast<std::size_t>(std::ranges::count(matches, true)) != txids.size()) {
        throw RpcError(RpcCode::not_found,
                       "Not all transactions found in specified or retrieved block");
    }
    return chain::to_hex(block.header.serialize()) +
           chain::to_hex(chain::make_merkle_proof(block.txids, matches).serialize());
}

Json verify_tx_out_proof(RpcNode& node, const Arguments& arguments) {
    const auto bytes = chain::from_hex(arguments.text(0));
    if (!bytes || bytes->empty()) {
        throw RpcError(RpcCode::invalid_parameter,
                       "proof must be hexadecimal string (not '" + arguments.text(0) + "')");
    }
    chain::ByteReader reader(*bytes);
    const chain::BlockHeader header = chain::read_block_header(reader);
    const auto tree = chain::read_partial_merkle_tree(reader);
    if (!reader.ok()) throw RpcError(RpcCode::misc, "the proof is malformed");
    Json proven = Json::array();
    // The full block is known, so the proof may be ambiguous.
    const auto checked = chain::check_ambiguous_merkle_proof(tree, header.merkle_root);
    if (!checked) return proven;
    const auto& blocks = node.chain.blocks();
    const auto* const entry = blocks.find(header.hash());
    if (entry == nullptr || !blocks.is_active(*entry)) {
        throw RpcError(RpcCode::not_found, "Block not found in chain");
    }
    if (entry->txids.size() != tree.transaction_count) return proven;
    for (const auto& match : checked->matches) proven.push_back(match.txid.to_hex());
    return proven;
}

}  // namespace

std::vector<Method> transaction_methods() {
    using enum ArgumentKind;
    return {
        {"getrawtransaction",
         {{"txid", text}, {"verbosity", verbosity, false, "verbose"}, {"blockhash", text, false}},
         get_raw_transaction,
         "a transaction of the mempool or the chain: hexadecimal (0), decoded (1), with what it "
         "spends (2)"},
        {"decoderawtransaction",
         {{"hexstring", text}, {"iswitness", boolean, false}},
         decode_raw_transaction,
         "a transaction, taken apart"},
        {"gettxout",
         {{"txid", text}, {"n", number}, {"include_mempool", boolean, false}},
         get_tx_out,
         "an unspent output; null for none"},
        {"gettxoutproof",
         {{"txids", array}, {"blockhash", text, false}},
         get_tx_out_proof,
         "a proof that transactions are in a block"},
        {"verifytxoutproof", {{"proof", text}}, verify_tx_out_proof, "what such a proof shows"},
    };
}

}  // namespace petal::regtest::rpc
