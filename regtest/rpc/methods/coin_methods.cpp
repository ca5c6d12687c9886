#include <algorithm>
#include <map>
#include <unordered_set>
#include <utility>

#include "chain/byte_writer.h"
#include "chain/hash.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/output_script.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/script_json.h"
#include "wallet/descriptors/script_deriver.h"

namespace petal::regtest::rpc {
namespace {

using CoinPointer = std::pair<chain::Outpoint, const Coin*>;

/// All coins, by the bytes of the txid and the index, as in Bitcoin Core's database.
std::vector<CoinPointer> sorted_coins(const RegtestChain& chain) {
    std::vector<CoinPointer> coins;
    for (const auto& [outpoint, coin] : chain.blocks().coins().all()) {
        coins.emplace_back(outpoint, &coin);
    }
    std::ranges::sort(coins, {}, [](const CoinPointer& coin) {
        return std::pair(coin.first.txid.bytes, coin.first.index);
    });
    return coins;
}

/// The hash of all coins (Bitcoin Core: hash_serialized_3 of gettxoutsetinfo).
std::string hash_of_coins(const std::vector<CoinPointer>& coins) {
    chain::ByteWriter writer;
    for (const auto& [outpoint, coin] : coins) {
        const chain::ByteView script = coin->script_pubkey();
        writer.bytes(outpoint.txid.bytes)
            .u32(outpoint.index)
            .u32(2 * coin->height() + (coin->from_coinbase() ? 1 : 0))
            .u64(static_cast<std::uint64_t>(coin->value()))
            .compact_size(script.size())
            .bytes(script);
    }
    return chain::sha256d(writer.take()).to_hex();
}

Json get_tx_out_set_info(RpcNode& node, const Arguments& arguments) {
    const std::string type = arguments.has(0) ? arguments.text(0) : "hash_serialized_3";
    if (type == "muhash") {
        throw RpcError(RpcCode::invalid_parameter, "'muhash' is not computed by this node");
    }
    if (type != "hash_serialized_3" && type != "none") {
        throw RpcError(RpcCode::invalid_parameter, "'" + type + "' is not a valid hash_type");
    }
    if (arguments.has(1)) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Querying specific block heights requires coinstatsindex");
    }
    const auto coins = sorted_coins(node.chain);
    constexpr std::size_t kBogusBytes = 32 + 4 + 4 + 8 + 2;  // kernel/coinstats.cpp
    chain::Satoshis total = 0;
    std::size_t bogus_size = 0;
    std::size_t transactions = 0;
    const chain::Txid* last = nullptr;
    for (const auto& [outpoint, coin] : coins) {
        total += coin->value();
        bogus_size += kBogusBytes + coin->script_pubkey().size();
        if (last == nullptr || *last != outpoint.txid) ++transactions;
        last = &outpoint.txid;
    }
    Json json = {{"height", node.chain.height()},
                 {"bestblock", node.chain.tip().to_hex()},
                 {"txouts", coins.size()},
                 {"bogosize", bogus_size}};
    if (type != "none") json["hash_serialized_3"] = hash_of_coins(coins);
    json["total_amount"] = btc_json(total);
    json["transactions"] = transactions;
    json["disk_size"] = 0;
    return json;
}

/// The scripts to search for, each with its descriptor.
using Needles = std::map<chain::Bytes, std::string>;

/// The descriptor of a script that was derived from `path`.
std::string descriptor_of_script(const wallet::Descriptor& path, const chain::Bytes& script) {
    const bool has_keys = !path.keys().empty();
    if (has_keys && !path.is_range()) return path.to_string(regtest_network());
    return script_pubkey_json(script)["desc"].get<std::string>();
}

void add_needles(const wallet::Descriptor& path, const IndexRange& range, Needles& needles) {
    const RpcError underivable(RpcCode::not_found, "Cannot derive script without private keys");
    auto deriver = wallet::ScriptDeriver::create(path);
    if (!deriver) throw underivable;
    const IndexRange indices = path.is_range() ? range : IndexRange{};
    if (std::ssize(needles) + indices.last - indices.first >= kMaxDerived) {
        throw RpcError(RpcCode::invalid_parameter, "too many scripts, at most 20000 at once");
    }
    for (std::int64_t index = indices.first; index <= indices.last; ++index) {
        const auto scripts = deriver->script_pubkeys(static_cast<std::uint32_t>(index));
        if (!scripts) throw underivable;
        for (const auto& script : *scripts) {
            needles.emplace(script, descriptor_of_script(path, script));
        }
    }
}

/// A scan object: the text of a descriptor, or an object with `desc` and `range`.
void add_scan_object(const Json& given, Needles& needles) {
    constexpr std::int64_t kLastIndex = 1'000;  // Bitcoin Core's default
    IndexRange range{0, kLastIndex};
    const Json* text = &given;
    if (given.is_object()) {
        if (!given.contains("desc")) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Descriptor needs to be provided in scan object");
        }
        text = &given["desc"];
        if (given.contains("range") && !given["range"].is_null()) {
            range = parse_range(given["range"]);
        }
    } else if (!given.is_string()) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Scan object needs to be either a string or an object");
    }
    const auto descriptor = parse_regtest_descriptor(Arguments::text_of(*text), false);
    if (!descriptor.is_derivable()) {
        throw RpcError(RpcCode::not_found, "Cannot derive script without private keys: '" +
                                               text->get<std::string>() + "'");
    }
    for (const auto& path : descriptor.single_paths()) add_needles(path, range, needles);
}

Json scan(const RegtestChain& chain, const Needles& needles) {
    Json unspents = Json::array();
    chain::Satoshis total = 0;
    const auto coins = sorted_coins(chain);
    for (const auto& [outpoint, coin] : coins) {
        const chain::ByteView view = coin->script_pubkey();
        const auto needle = needles.find(chain::Bytes(view.begin(), view.end()));
        if (needle == needles.end()) continue;
        total += coin->value();
        unspents.push_back({{"txid", outpoint.txid.to_hex()},
                            {"vout", outpoint.index},
                            {"scriptPubKey", chain::to_hex(view)},
                            {"desc", needle->second},
                            {"amount", btc_json(coin->value())},
                            {"coinbase", coin->from_coinbase()},
                            {"height", coin->height()},
                            {"blockhash", chain.blocks().at(coin->height()).hash.to_hex()},
                            {"confirmations", chain.height() - coin->height() + 1}});
    }
    return {{"success", true},
            {"txouts", coins.size()},
            {"height", chain.height()},
            {"bestblock", chain.tip().to_hex()},
            {"unspents", std::move(unspents)},
            {"total_amount", btc_json(total)}};
}

/// A scan is over when the call returns, so that none can be aborted.
Json scan_tx_out_set(RpcNode& node, const Arguments& arguments) {
    const std::string& action = arguments.text(0);
    if (action == "status") return nullptr;
    if (action == "abort") return false;
    if (action != "start") {
        throw RpcError(RpcCode::invalid_parameter, "Invalid action '" + action + "'");
    }
    if (!arguments.has(1)) {
        throw RpcError(RpcCode::misc, "scanobjects argument is required for the start action");
    }
    Needles needles;
    for (const Json& given : arguments.at(1)) add_scan_object(given, needles);
    return scan(node.chain, needles);
}

}  // namespace

std::vector<Method> coin_methods() {
    using enum ArgumentKind;
    return {
        {"gettxoutsetinfo",
         {{"hash_type", text, false},
          {"hash_or_height", any, false},
          {"use_index", boolean, false}},
         get_tx_out_set_info,
         "the number, the sum and the hash of all coins"},
        {"scantxoutset",
         {{"action", text}, {"scanobjects", array, false}},
         scan_tx_out_set,
         "the coins of descriptors"},
    };
}

}  // namespace petal::regtest::rpc
