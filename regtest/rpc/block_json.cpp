#include "regtest/rpc/block_json.h"

#include <array>
#include <cstdio>

namespace petal::regtest::rpc {

std::string hex_number(std::uint64_t number, int digits) {
    std::array<char, 80> text{};
    std::snprintf(text.data(), text.size(), "%0*llx", digits,
                  static_cast<unsigned long long>(number));
    return text.data();
}

std::string chainwork_at(std::uint32_t height) {
    return hex_number((std::uint64_t{height} + 1) * kWorkEach, 64);
}

const Chainstate::Entry& find_block(const RegtestChain& chain, const chain::BlockHash& hash) {
    const auto* const entry = chain.blocks().find(hash);
    if (entry == nullptr) throw RpcError(RpcCode::not_found, "Block not found");
    return *entry;
}

const Chainstate::Entry& find_block(const RegtestChain& chain, const Json& hash_or_height) {
    if (!hash_or_height.is_number()) {
        return find_block(
            chain, Arguments::parse_hash<chain::BlockHash>(hash_or_height, "hash_or_height"));
    }
    const std::int64_t height = Arguments::whole_number(hash_or_height);
    if (height < 0) {
        throw RpcError(RpcCode::invalid_parameter,
                       "Target block height " + std::to_string(height) + " is negative");
    }
    if (height > chain.height()) {
        throw RpcError(RpcCode::invalid_parameter, "Target block height " + std::to_string(height) +
                                                       " after current tip " +
                                                       std::to_string(chain.height()));
    }
    return chain.blocks().at(static_cast<std::uint32_t>(height));
}

Json header_json(const RegtestChain& chain, const Chainstate::Entry& entry) {
    const auto& header = entry.header;
    const std::uint32_t height = entry.height;
    const bool is_active = chain.blocks().is_active(entry);
    Json json = {{"hash", entry.hash.to_hex()},
                 {"confirmations", is_active ? std::int64_t{chain.height()} - height + 1 : -1},
                 {"height", height},
                 {"version", header.version},
                 {"versionHex", hex_number(static_cast<std::uint32_t>(header.version), 8)},
                 {"merkleroot", header.merkle_root.to_hex()},
                 {"time", header.time},
                 {"mediantime", Chainstate::median_time_past(entry)},
                 {"nonce", header.nonce},
                 {"bits", hex_number(header.bits, 8)},
                 {"target", kTarget},
                 {"difficulty", kDifficulty},
                 {"chainwork", chainwork_at(height)},
                 {"nTx", entry.txids.size()}};
    if (height > 0) json["previousblockhash"] = header.previous.to_hex();
    if (is_active && height < chain.height()) {
        json["nextblockhash"] = chain.blocks().at(height + 1).hash.to_hex();
    }
    return json;
}

}  // namespace petal::regtest::rpc
