#include <algorithm>
#include <stdexcept>
#include <utility>

#include "chain/block.h"
#include "chain/byte_reader.h"
#include "regtest/chain/block_check.h"
#include "regtest/mempool/reject_details.h"
#include "regtest/mempool/script_checks.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/transaction_json.h"

namespace petal::regtest::rpc {
namespace {

constexpr std::int64_t kMaxBlocksAtOnce = 100'000;
constexpr std::int64_t kMaxBlockTime = 0xffffffff;

/// arguments   the first is the number of blocks. The third is the number of attempts per block,
///             which is ignored because mining always succeeds
Json generate(RpcNode& node, const Arguments& arguments, const chain::Bytes& script) {
    const std::int64_t count = std::max(arguments.number(0), 0);
    arguments.number(2, 0);
    if (count > kMaxBlocksAtOnce) {
        throw RpcError(RpcCode::invalid_parameter, "nblocks out of range, at most 100000");
    }
    node.set_block_time();
    const std::uint32_t before = node.chain.height();
    node.chain.mine(static_cast<std::uint32_t>(count), script);
    Json hashes = Json::array();
    for (std::uint32_t height = before + 1; height <= node.chain.height(); ++height) {
        hashes.push_back(node.chain.blocks().at(height).hash.to_hex());
    }
    return hashes;
}

Json generate_to_address(RpcNode& node, const Arguments& arguments) {
    const auto script = script_of_address(arguments.text(1), "Error: Invalid address");
    return generate(node, arguments, script);
}

Json generate_to_descriptor(RpcNode& node, const Arguments& arguments) {
    return generate(node, arguments, script_of_descriptor(arguments.text(1)));
}

chain::Bytes script_of_output(const std::string& output) {
    if (output.find('(') != std::string::npos) return script_of_descriptor(output);
    return script_of_address(output, "Error: Invalid address or descriptor");
}

/// A transaction of the mempool by txid, or any transaction in hexadecimal.
chain::Transaction block_transaction(const RegtestChain& chain, const Json& given) {
    const std::string text = Arguments::text_of(given);
    const auto txid = chain::Txid::from_hex(text);
    if (!txid) {
        return parse_raw_transaction(text, "Transaction decode failed for " + text +
                                               ". Make sure the tx has at least one input.");
    }
    const auto* const found = chain.mempool().transaction(*txid);
    if (found == nullptr) {
        throw RpcError(RpcCode::not_found, "Transaction " + text + " not in mempool.");
    }
    return *found;
}

[[noreturn]] void refuse_block(const std::string& reason) {
    throw RpcError(RpcCode::verify_error, "TestBlockValidity failed: " + reason);
}

/// Throws if a block of these transactions would be refused, including for signatures.
void check_block_transactions(const RpcNode& node,
                              const std::vector<chain::Transaction>& transactions) {
    if (const auto fault = find_transaction_fault(transactions)) refuse_block(*fault);
    TransactionLayer layer = node.chain.mempool().layer().emptied();
    for (const auto& transaction : transactions) {
        if (const auto fee = layer.check(transaction); !fee) {
            const bool is_missing = fee.error() == RejectReason::missing_input;
            refuse_block(block_reason({fee.error()}) +
                         (is_missing ? ", CheckTxInputs: inputs missing/spent in transaction " +
                                           transaction.txid().to_hex()
                                     : ""));
        }
        const auto spent = layer.spent_outputs(transaction);
        if (const auto wrong = find_wrong_script(transaction, spent, chain::kConsensusFlags)) {
            refuse_block(block_reason(*wrong) + ", " + name_input(transaction, wrong->input));
        }
        layer.add(transaction, transaction.txid());
    }
}

Json generate_block(RpcNode& node, const Arguments& arguments) {
    const auto script = script_of_output(arguments.text(0));
    std::vector<chain::Transaction> transactions;
    for (const Json& given : arguments.at(1)) {
        transactions.push_back(block_transaction(node.chain, given));
    }
    check_block_transactions(node, transactions);
    node.set_block_time();
    try {
        if (arguments.boolean(2, true)) {
            const RegtestBlock block = node.chain.mine_block(std::move(transactions), script);
            return {{"hash", block.header.hash().to_hex()}};
        }
        RegtestBlock block = node.chain.assemble(std::move(transactions), script);
        const chain::Block whole{block.header, std::move(block.transactions)};
        return {{"hash", block.header.hash().to_hex()}, {"hex", chain::to_hex(whole.serialize())}};
    } catch (const std::invalid_argument& error) {  // more than fits into a block
        refuse_block(error.what());
    }
}

/// Miners may omit the reserved value of the witness commitment (Bitcoin Core:
/// UpdateUncommittedBlockStructures).
void add_reserved_value(chain::Block& block) {
    if (block.transactions.empty()) return;
    auto& coinbase = block.transactions.front();
    const bool lacks_it = coinbase.is_coinbase() && !coinbase.has_witness() &&
                          chain::find_witness_commitment(coinbase);
    if (lacks_it) coinbase.inputs.front().witness = {chain::Bytes(32)};
}

/// Null, or why the block is not on the active chain, in Bitcoin Core's words (BIP22).
Json submit_block(RpcNode& node, const Arguments& arguments) {
    const auto bytes = chain::from_hex(arguments.text(0)).value_or(chain::Bytes{});
    chain::ByteReader reader{bytes};
    // Trailing data is ignored, like in Bitcoin Core.
    chain::Block block = chain::read_block(reader);
    if (!reader.ok()) {
        const bool is_too_large = bytes.size() > chain::kMaxStrippedBytes &&
                                  reader.error() == chain::DecodeError::too_large;
        if (is_too_large) return "bad-blk-length";
        throw RpcError(RpcCode::undecodable, "Block decode failed");
    }
    add_reserved_value(block);
    const auto verdict = node.chain.offer_block(std::move(block));
    switch (verdict.outcome) {
        case BlockOutcome::known:
            return "duplicate";
        case BlockOutcome::aside:
            return "inconclusive";
        case BlockOutcome::refused:
            return verdict.reason;
        case BlockOutcome::active:
            break;
    }
    return nullptr;
}

const Chainstate::Entry& known_block(const RpcNode& node, const Arguments& arguments) {
    const auto* const entry = node.chain.blocks().find(arguments.hash<chain::BlockHash>(0));
    if (entry == nullptr) throw RpcError(RpcCode::not_found, "Block not found");
    return *entry;
}

Json invalidate_block(RpcNode& node, const Arguments& arguments) {
    const auto& block = known_block(node, arguments);
    // The genesis block silently stays, like in Bitcoin Core.
    if (block.height > 0) node.chain.invalidate(block.hash);
    return nullptr;
}

Json reconsider_block(RpcNode& node, const Arguments& arguments) {
    node.chain.reconsider(known_block(node, arguments).hash);
    return nullptr;
}

Json set_mock_time(RpcNode& node, const Arguments& arguments) {
    const auto time = arguments.number<std::int64_t>(0);
    if (time < 0 || time > kMaxBlockTime) {
        throw RpcError(
            RpcCode::invalid_parameter,
            "Mocktime must be in the range [0, 4294967295], not " + std::to_string(time) + ".");
    }
    node.settings.mock_time = time == 0 ? std::nullopt : std::optional(time);
    return nullptr;
}

}  // namespace

std::vector<Method> mining_methods() {
    using enum ArgumentKind;
    return {
        {"generatetoaddress",
         {{"nblocks", number}, {"address", text}, {"maxtries", number, false}},
         generate_to_address,
         "mines blocks, the mempool in the first"},
        {"generatetodescriptor",
         {{"num_blocks", number}, {"descriptor", text}, {"maxtries", number, false}},
         generate_to_descriptor,
         "the same, to a descriptor"},
        {"generateblock",
         {{"output", text}, {"transactions", array}, {"submit", boolean, false}},
         generate_block,
         "mines a block of exactly these transactions (txids of the mempool, or hexadecimal)"},
        {"submitblock",
         {{"hexdata", text}, {"dummy", text, false}},
         submit_block,
         "takes a block as from a peer, or says why not"},
        {"invalidateblock",
         {{"blockhash", text}},
         invalidate_block,
         "leaves a block and all that descend from it, for the best branch without them"},
        {"reconsiderblock", {{"blockhash", text}}, reconsider_block, "takes that back"},
        {"setmocktime",
         {{"timestamp", number}},
         set_mock_time,
         "the time of blocks from now on; 0 for what it was without"},
    };
}

}  // namespace petal::regtest::rpc
