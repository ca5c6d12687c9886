#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "chain/block.h"
#include "regtest/chain/block_assembly.h"
#include "regtest/rpc/block_json.h"
#include "regtest/rpc/rpc_method.h"
#include "regtest/rpc/rpc_wait.h"

namespace petal::regtest::rpc {
namespace {

using std::chrono::milliseconds;

constexpr std::int32_t kBlockVersion = 0x20000000;
constexpr std::uint64_t kMaxBlockBytes = 4'000'000;
constexpr std::uint64_t kMaxBlockSigops = 80'000;
constexpr std::size_t kHashDigits = 64;
/// How long a request waits for a new tip before new transactions end the wait, too.
constexpr milliseconds kTransactionPatience{60'000};

/// Each transaction after the coinbase. `depends` are places in the block: the coinbase has 0.
Json transactions_json(const RegtestMempool& pool, const BlockContents& contents) {
    std::map<chain::Txid, std::size_t> places;
    Json json = Json::array();
    for (std::size_t i = 0; i < contents.transactions.size(); ++i) {
        const chain::Transaction& transaction = contents.transactions[i];
        const MempoolEntry& entry = pool.entries()[*pool.find(contents.txids[i])];
        Json depends = Json::array();
        for (const auto& input : transaction.inputs) {
            const auto parent = places.find(input.prevout.txid);
            if (parent != places.end()) depends.push_back(parent->second);
        }
        places.emplace(entry.txid, i + 1);
        json.push_back({{"data", chain::to_hex(transaction.serialize())},
                        {"txid", entry.txid.to_hex()},
                        {"hash", entry.wtxid.to_hex()},
                        {"depends", std::move(depends)},
                        {"fee", entry.fee},
                        {"sigops", entry.sigop_cost},
                        {"weight", transaction.weight()}});
    }
    return json;
}

/// The output script that commits to the witnesses of the template's transactions (BIP141).
std::string commitment_of(const BlockContents& contents) {
    constexpr std::array<chain::Byte, 32> kReservedValue{};
    std::vector<chain::Transaction> transactions(1);  // the coinbase, which is not used
    std::vector<chain::Txid> txids(1);
    transactions.insert(transactions.end(), contents.transactions.begin(),
                        contents.transactions.end());
    txids.insert(txids.end(), contents.txids.begin(), contents.txids.end());
    const auto hash = chain::witness_commitment(transactions, txids, kReservedValue);
    return chain::to_hex(chain::witness_commitment_script(hash));
}

/// Changes with the tip and with the mempool.
std::string longpoll_id(const RegtestChain& chain) {
    return chain.tip().to_hex() + std::to_string(chain.history().revision());
}

Json template_json(const RpcNode& node) {
    const RegtestChain& chain = node.chain;
    const BlockContents contents = contents_of(chain.mempool());
    node.set_block_time();
    const chain::BlockHeader next = chain.assemble({}).header;
    return {{"capabilities", Json::array()},
            {"version", kBlockVersion},
            {"rules", {"csv", "!segwit", "taproot"}},
            {"vbavailable", Json::object()},
            {"vbrequired", 0},
            {"previousblockhash", chain.tip().to_hex()},
            {"transactions", transactions_json(chain.mempool(), contents)},
            {"coinbaseaux", Json::object()},
            {"coinbasevalue", block_subsidy(chain.height() + 1) + contents.fees},
            {"longpollid", longpoll_id(chain)},
            {"target", kTarget},
            {"mintime", Chainstate::median_time_past(chain.blocks().tip()) + 1},
            {"mutable", {"time", "transactions", "prevblock"}},
            {"noncerange", "00000000ffffffff"},
            {"sigoplimit", kMaxBlockSigops},
            {"sizelimit", kMaxBlockBytes},
            {"weightlimit", kMaxBlockBytes},
            {"curtime", next.time},
            {"bits", hex_number(next.bits, 8)},
            {"height", chain.height() + 1},
            {"default_witness_commitment", commitment_of(contents)}};
}

void check_request(const Json& request) {
    const auto mode = request.find("mode");
    if (mode != request.end() && !mode->is_null() && *mode != "template") {
        throw RpcError(RpcCode::invalid_parameter, "Invalid mode");
    }
    const auto rules = request.find("rules");
    const bool has_segwit = rules != request.end() && rules->is_array() &&
                            std::ranges::find(*rules, Json("segwit")) != rules->end();
    if (!has_segwit) {
        throw RpcError(RpcCode::invalid_parameter,
                       "getblocktemplate must be called with the segwit rule set (call with "
                       "{\"rules\": [\"segwit\"]})");
    }
}

Json get_block_template(RpcNode& node, const Arguments& arguments) {
    const Json& request = arguments.at(0);
    check_request(request);
    const auto known = request.find("longpollid");
    if (known == request.end() || known->is_null()) return template_json(node);
    const std::string id = Arguments::text_of(*known);
    const auto tip =
        Arguments::parse_hash<chain::BlockHash>(Json(id.substr(0, kHashDigits)), "longpollid");
    // Like Bitcoin Core, which looks for new transactions only after a minute.
    const auto is_due = [id, tip](const RegtestChain& chain, milliseconds waited) {
        return chain.tip() != tip || (waited >= kTransactionPatience && longpoll_id(chain) != id);
    };
    if (is_due(node.chain, milliseconds{0})) return template_json(node);
    throw RpcWait([node, is_due](milliseconds waited) -> std::optional<Json> {
        if (!is_due(node.chain, waited)) return std::nullopt;
        return template_json(node);
    });
}

}  // namespace

std::vector<Method> template_methods() {
    using enum ArgumentKind;
    return {
        {"getblocktemplate",
         {{"template_request", object}},
         get_block_template,
         "what a miner needs for the next block (BIP22, BIP23); waits for a change with "
         "longpollid"},
    };
}

}  // namespace petal::regtest::rpc
