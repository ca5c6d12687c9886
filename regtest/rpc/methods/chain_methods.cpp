#include <algorithm>

#include "chain/byte_reader.h"
#include "regtest/chain/block_check.h"
#include "regtest/rpc/block_json.h"
#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/rpc_method.h"

namespace petal::regtest::rpc {
namespace {

/// Bitcoin Core: the default of -blockmintxfee, in satoshi per 1,000 vB.
constexpr chain::Satoshis kBlockMinFeeRate = 1;

Json get_difficulty(RpcNode& /*node*/, const Arguments& /*arguments*/) {
    return kDifficulty;
}

std::string_view status_of(const Chainstate& blocks, const Chainstate::Entry& entry) {
    if (blocks.is_active(entry)) return "active";
    if (blocks.is_invalid(entry)) return "invalid";
    return entry.was_connected ? "valid-fork" : "valid-headers";
}

Json get_chain_tips(RpcNode& node, const Arguments& /*arguments*/) {
    const Chainstate& blocks = node.chain.blocks();
    auto tips = blocks.branch_tips();
    // The active tip, even if an invalid block is on it.
    if (std::ranges::find(tips, &blocks.tip()) == tips.end()) tips.push_back(&blocks.tip());
    std::ranges::stable_sort(tips, std::greater<>(), &Chainstate::Entry::height);
    Json json = Json::array();
    for (const auto* tip : tips) {
        json.push_back({{"height", tip->height},
                        {"hash", tip->hash.to_hex()},
                        {"branchlen", tip->height - blocks.fork_point(*tip).height},
                        {"status", status_of(blocks, *tip)}});
    }
    return json;
}

/// The estimated hashes per second of the last blocks (Bitcoin Core: GetNetworkHashPS).
double hashes_per_second(const RegtestChain& chain, std::int64_t lookup, std::int64_t height) {
    if (lookup < -1 || lookup == 0) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Invalid nblocks. Must be a positive number or -1.");
    }
    if (height < -1 || height > chain.height()) {
        throw RpcError(RpcCode::invalid_parameter, "Block does not exist at specified height");
    }
    const std::int64_t last = height == -1 ? chain.height() : height;
    constexpr std::int64_t kRetargetInterval = 144;
    const std::int64_t count = std::min(last, lookup == -1 ? last % kRetargetInterval + 1 : lookup);
    if (count == 0) return 0;
    const auto time_at = [&](std::int64_t at) {
        return std::int64_t{chain.blocks().at(static_cast<std::uint32_t>(at)).header.time};
    };
    std::int64_t least = time_at(last);
    std::int64_t most = least;
    for (std::int64_t at = last - count; at < last; ++at) {
        least = std::min(least, time_at(at));
        most = std::max(most, time_at(at));
    }
    if (least == most) return 0;
    const auto work = static_cast<double>(count) * static_cast<double>(kWorkEach);
    return work / static_cast<double>(most - least);
}

Json get_network_hash_ps(RpcNode& node, const Arguments& arguments) {
    return hashes_per_second(node.chain, arguments.number(0, 120), arguments.number(1, -1));
}

Json get_mining_info(RpcNode& node, const Arguments& /*arguments*/) {
    const RegtestChain& chain = node.chain;
    const std::string bits = hex_number(chain.blocks().tip().header.bits, 8);
    return {{"blocks", chain.height()},
            {"bits", bits},
            {"difficulty", kDifficulty},
            {"target", kTarget},
            {"networkhashps", hashes_per_second(chain, 120, -1)},
            {"pooledtx", chain.mempool().entries().size()},
            {"blockmintxfee", btc_json(kBlockMinFeeRate)},
            {"chain", "regtest"},
            {"next",
             {{"height", chain.height() + 1},
              {"bits", bits},
              {"difficulty", kDifficulty},
              {"target", kTarget}}},
            {"warnings", Json::array()}};
}

/// All rules are in force from the start, as on every regtest chain without options.
Json get_deployment_info(RpcNode& node, const Arguments& arguments) {
    const auto& entry = arguments.has(0)
                            ? find_block(node.chain, arguments.hash<chain::BlockHash>(0))
                            : node.chain.blocks().tip();
    Json deployments = Json::object();
    for (const std::string_view name : {"bip34", "bip66", "bip65", "csv", "segwit"}) {
        const int height = name == "segwit" ? 0 : 1;
        deployments[std::string(name)] = {{"type", "buried"}, {"active", true}, {"height", height}};
    }
    return {{"hash", entry.hash.to_hex()},
            {"height", entry.height},
            {"script_flags",
             {"CHECKLOCKTIMEVERIFY", "CHECKSEQUENCEVERIFY", "DERSIG", "NULLDUMMY", "P2SH",
              "TAPROOT", "WITNESS"}},
            {"deployments", std::move(deployments)}};
}

/// The number of transactions up to a block of the active chain.
std::uint64_t transactions_up_to(const RegtestChain& chain, std::uint32_t height) {
    std::uint64_t count = 0;
    for (std::uint32_t at = 0; at <= height; ++at) count += chain.blocks().at(at).txids.size();
    return count;
}

Json get_chain_tx_stats(RpcNode& node, const Arguments& arguments) {
    const RegtestChain& chain = node.chain;
    const auto& last = arguments.has(1) ? find_block(chain, arguments.hash<chain::BlockHash>(1))
                                        : chain.blocks().tip();
    if (!chain.blocks().is_active(last)) {
        throw RpcError(RpcCode::invalid_parameter, "Block is not in main chain");
    }
    constexpr std::int64_t kMonth = 30 * 24 * 6;  // in blocks
    const std::int64_t height = last.height;
    std::int64_t count = std::max<std::int64_t>(0, std::min(kMonth, height - 1));
    if (arguments.has(0)) {
        count = arguments.number(0);
        if (count < 0 || (count > 0 && count >= height)) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Invalid block count: should be between 0 and the block's height - 1");
        }
    }
    const auto& first = chain.blocks().at(static_cast<std::uint32_t>(height - count));
    const std::uint64_t total = transactions_up_to(chain, last.height);
    Json json = {{"time", last.header.time},
                 {"txcount", total},
                 {"window_final_block_hash", last.hash.to_hex()},
                 {"window_final_block_height", height},
                 {"window_block_count", count}};
    if (count == 0) return json;
    const std::int64_t seconds =
        Chainstate::median_time_past(last) - Chainstate::median_time_past(first);
    const std::uint64_t inside = total - transactions_up_to(chain, first.height);
    json["window_interval"] = seconds;
    json["window_tx_count"] = inside;
    if (seconds > 0) {
        json["txrate"] = static_cast<double>(inside) / static_cast<double>(seconds);
    }
    return json;
}

/// The node keeps no headers without blocks, so that a valid header is checked and forgotten.
Json submit_header(RpcNode& node, const Arguments& arguments) {
    const auto bytes = chain::from_hex(arguments.text(0)).value_or(chain::Bytes{});
    chain::ByteReader reader{bytes};
    const chain::BlockHeader header = chain::read_block_header(reader);
    if (!reader.ok() || reader.remaining() > 0) {
        throw RpcError(RpcCode::undecodable, "Block header decode failed");
    }
    const auto& blocks = node.chain.blocks();
    const auto* const parent = blocks.find(header.previous);
    if (parent == nullptr) {
        throw RpcError(RpcCode::verify_error,
                       "Must submit previous header (" + header.previous.to_hex() + ") first");
    }
    if (blocks.find(header.hash()) != nullptr) return nullptr;
    if (!has_regtest_work(header)) throw RpcError(RpcCode::verify_error, "high-hash");
    const BlockPlace place{parent->height + 1, Chainstate::median_time_past(*parent),
                           node.settings.now()};
    if (const auto fault = find_header_fault(header, place)) {
        throw RpcError(RpcCode::verify_error, *fault);
    }
    return nullptr;
}

Json precious_block(RpcNode& node, const Arguments& arguments) {
    node.chain.prefer(find_block(node.chain, arguments.hash<chain::BlockHash>(0)).hash);
    return nullptr;
}

/// All blocks were checked when they arrived.
Json verify_chain(RpcNode& /*node*/, const Arguments& arguments) {
    arguments.number(0, 3);
    arguments.number(1, 6);
    return true;
}

}  // namespace

std::vector<Method> chain_methods() {
    using enum ArgumentKind;
    return {
        {"getdifficulty", {}, get_difficulty, "the difficulty of all blocks"},
        {"getchaintips", {}, get_chain_tips, "the last block of each branch"},
        {"getnetworkhashps",
         {{"nblocks", number, false}, {"height", number, false}},
         get_network_hash_ps,
         "hashes per second, by the times of the last blocks"},
        {"getmininginfo", {}, get_mining_info, "what a miner needs to know"},
        {"getdeploymentinfo",
         {{"blockhash", text, false}},
         get_deployment_info,
         "the rules, which are all in force"},
        {"getchaintxstats",
         {{"nblocks", number, false}, {"blockhash", text, false}},
         get_chain_tx_stats,
         "the number of transactions, in all and in the last blocks"},
        {"submitheader", {{"hexdata", text}}, submit_header, "checks a header"},
        {"preciousblock",
         {{"blockhash", text}},
         precious_block,
         "follows this block rather than another branch with as much work"},
        {"verifychain",
         {{"checklevel", number, false}, {"nblocks", number, false}},
         verify_chain,
         "true: each block was checked when it arrived"},
    };
}

}  // namespace petal::regtest::rpc
