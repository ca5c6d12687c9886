#include "regtest/rpc/transaction_json.h"

#include <algorithm>
#include <optional>
#include <unordered_set>
#include <utility>

#include "chain/byte_reader.h"
#include "chain/script/script.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/script_json.h"

namespace petal::regtest::rpc {
namespace {

Json prevout_json(const SpentOutput& spent) {
    return {{"generated", spent.from_coinbase},
            {"height", spent.height},
            {"value", btc_json(spent.output.value)},
            {"scriptPubKey", script_pubkey_json(spent.output.script_pubkey)}};
}

Json input_json(const chain::TxInput& input, bool is_coinbase, const SpentOutput* shown) {
    Json json = Json::object();
    if (is_coinbase) {
        json["coinbase"] = chain::to_hex(input.script_sig);
    } else {
        json["txid"] = input.prevout.txid.to_hex();
        json["vout"] = input.prevout.index;
        json["scriptSig"] = {{"asm", script_asm(input.script_sig, ShownPushes::signatures)},
                             {"hex", chain::to_hex(input.script_sig)}};
    }
    if (!input.witness.empty()) {
        Json items = Json::array();
        for (const auto& item : input.witness.items()) items.push_back(chain::to_hex(item));
        json["txinwitness"] = std::move(items);
    }
    if (shown != nullptr) json["prevout"] = prevout_json(*shown);
    json["sequence"] = input.sequence;
    return json;
}

Json outputs_json(const chain::Transaction& transaction) {
    Json outputs = Json::array();
    for (std::size_t i = 0; i < transaction.outputs.size(); ++i) {
        const auto& output = transaction.outputs[i];
        outputs.push_back({{"value", btc_json(output.value)},
                           {"n", i},
                           {"scriptPubKey", script_pubkey_json(output.script_pubkey)}});
    }
    return outputs;
}

Json transaction_parts(const chain::Transaction& transaction, const SpentOutputs* shown) {
    const bool is_coinbase = transaction.is_coinbase();
    Json inputs = Json::array();
    for (const auto& input : transaction.inputs) {
        const bool has_prevout = shown != nullptr && !is_coinbase;
        inputs.push_back(
            input_json(input, is_coinbase, has_prevout ? &shown->at(input.prevout) : nullptr));
    }
    return {{"txid", transaction.txid().to_hex()},
            {"hash", transaction.wtxid().to_hex()},
            {"version", static_cast<std::uint32_t>(transaction.version)},
            {"size", transaction.total_size()},
            {"vsize", transaction.virtual_size()},
            {"weight", transaction.weight()},
            {"locktime", transaction.lock_time},
            {"vin", std::move(inputs)},
            {"vout", outputs_json(transaction)}};
}

/// Skips the null transaction that coinbases spend.
std::vector<chain::Txid> parents_of(std::span<const chain::Transaction> transactions) {
    std::vector<chain::Txid> parents;
    for (const auto& transaction : transactions) {
        for (const auto& input : transaction.inputs) {
            if (!input.prevout.is_null()) parents.push_back(input.prevout.txid);
        }
    }
    return parents;
}

}  // namespace

std::unordered_map<chain::Txid, ConfirmedTransaction> find_confirmed(
    const RegtestChain& chain, std::span<const chain::Txid> txids) {
    std::unordered_set<chain::Txid> wanted(txids.begin(), txids.end());
    std::unordered_map<chain::Txid, ConfirmedTransaction> found;
    for (std::uint32_t height = chain.height() + 1; height-- > 0 && !wanted.empty();) {
        const auto& block = chain.blocks().at(height);
        for (std::size_t i = 0; i < block.txids.size(); ++i) {
            if (wanted.erase(block.txids[i]) == 0) continue;
            found.emplace(block.txids[i], ConfirmedTransaction{&block, i});
        }
    }
    return found;
}

std::optional<ConfirmedTransaction> find_confirmed(const RegtestChain& chain,
                                                   const chain::Txid& txid) {
    const auto found = find_confirmed(chain, std::span(&txid, 1));
    if (found.empty()) return std::nullopt;
    return found.begin()->second;
}

SpentOutputs find_spent_outputs(const RegtestChain& chain,
                                std::span<const chain::Transaction> transactions) {
    const auto parents = find_confirmed(chain, parents_of(transactions));
    // Each block is read once, even if it has several of the outputs.
    std::unordered_map<const Chainstate::Entry*, std::vector<TransactionView>> read;
    SpentOutputs spent;
    for (const auto& transaction : transactions) {
        for (const auto& [prevout, script_sig, sequence, witness] : transaction.inputs) {
            const auto parent = parents.find(prevout.txid);
            if (parent != parents.end()) {
                const auto& [block, position] = parent->second;
                const auto [of, is_new] = read.try_emplace(block);
                if (is_new) of->second = block->transaction_views();
                const auto& outputs = of->second[position].outputs;
                if (prevout.index >= outputs.size()) continue;
                const Coin coin(outputs[prevout.index], block->height, position == 0);
                spent[prevout] = {coin.output(), coin.height(), coin.from_coinbase()};
            } else if (const auto* const of = chain.mempool().transaction(prevout.txid)) {
                if (prevout.index >= of->outputs.size()) continue;
                spent[prevout] = {of->outputs[prevout.index], chain.height() + 1, false};
            }
        }
    }
    return spent;
}

Json decoded_transaction_json(const chain::Transaction& transaction) {
    return transaction_parts(transaction, nullptr);
}

Json decoded_transaction_json(const chain::Transaction& transaction, const SpentOutputs& spent,
                              ShownInputs shown) {
    const bool is_known = std::ranges::all_of(
        transaction.inputs, [&](const auto& input) { return spent.contains(input.prevout); });
    if (!is_known) return transaction_parts(transaction, nullptr);
    chain::Satoshis fee = 0;
    for (const auto& input : transaction.inputs) fee += spent.at(input.prevout).output.value;
    for (const auto& output : transaction.outputs) fee -= output.value;
    Json json = transaction_parts(transaction, shown == ShownInputs::prevouts ? &spent : nullptr);
    json["fee"] = btc_json(fee);
    return json;
}

namespace {

/// Parses a transaction without inputs. Empty if the bytes are anything else.
std::optional<chain::Transaction> read_without_inputs(chain::ByteView bytes) {
    constexpr std::size_t kLeastOutputBytes = 9;
    chain::ByteReader reader(bytes);
    chain::Transaction transaction;
    transaction.version = reader.read_i32();
    if (reader.read_u8() != 0) return std::nullopt;
    const auto count = reader.read_count(chain::kMaxStrippedBytes, kLeastOutputBytes);
    for (std::size_t i = 0; i < count && reader.ok(); ++i) {
        const chain::Satoshis value = reader.read_i64();
        transaction.outputs.push_back({value, reader.read_var_bytes(chain::kMaxStrippedBytes)});
    }
    transaction.lock_time = reader.read_u32();
    reader.expect_end();
    if (!reader.ok()) return std::nullopt;
    return transaction;
}

bool has_sane_scripts(const chain::Transaction& transaction) {
    const auto is_sane = [](const chain::Bytes& script) {
        return script.size() <= chain::kMaxScriptBytes && has_valid_operations(script);
    };
    return (transaction.is_coinbase() ||
            std::ranges::all_of(transaction.inputs, is_sane, &chain::TxInput::script_sig)) &&
           std::ranges::all_of(transaction.outputs, is_sane, &chain::TxOutput::script_pubkey);
}

}  // namespace

/// The two forms differ only for transactions without inputs.
chain::Transaction parse_draft_transaction(const std::string& hex, RawForm form) {
    const RpcError undecodable(RpcCode::undecodable, "TX decode failed");
    const auto bytes = chain::from_hex(hex);
    if (!bytes) throw undecodable;
    constexpr std::size_t kVersionBytes = 4;
    const bool is_ambiguous = bytes->size() > kVersionBytes && (*bytes)[kVersionBytes] == 0;
    std::optional<chain::Transaction> with_witness;
    if (!is_ambiguous || form != RawForm::without_witness) {
        if (auto read = chain::decode_transaction(*bytes)) with_witness = *std::move(read);
    }
    if (with_witness && (!is_ambiguous || has_sane_scripts(*with_witness))) return *with_witness;
    std::optional<chain::Transaction> without;
    if (form != RawForm::with_witness) without = read_without_inputs(*bytes);
    if (without && (!with_witness || has_sane_scripts(*without))) return *without;
    if (!with_witness) throw undecodable;
    return *with_witness;
}

chain::Transaction parse_raw_transaction(const std::string& hex, const std::string& message) {
    const auto bytes = chain::from_hex(hex);
    if (!bytes) throw RpcError(RpcCode::undecodable, message);
    auto transaction = chain::decode_transaction(*bytes);
    if (!transaction) throw RpcError(RpcCode::undecodable, message);
    return *std::move(transaction);
}

}  // namespace petal::regtest::rpc
