#include "net/sync/filters/unconfirmed_match.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "chain/hash.h"

namespace petal::net {

namespace {

constexpr std::size_t kOutpointBytes = 36;
constexpr std::size_t kMaxSenders = 8;
constexpr std::uint64_t kMaxTime = 1ULL << 62;  // so that no sum overflows

chain::Outpoint read_outpoint(chain::ByteReader& reader) {
    chain::Outpoint outpoint;
    outpoint.txid.bytes = reader.read_array<32>();
    outpoint.index = reader.read_u32();
    return outpoint;
}

}  // namespace

NetGroupId net_group_id(chain::ByteView network_group) {
    const auto hash = chain::sha256({network_group});
    NetGroupId id = 0;
    std::memcpy(&id, hash.data(), sizeof id);
    return id;
}

UnconfirmedMatch::UnconfirmedMatch(const chain::Transaction& transaction,
                                   std::vector<MatchedOutput> matched)
    : coins(std::move(matched)) {
    for (const chain::TxInput& input : transaction.inputs) inputs.push_back(input.prevout);
}

std::vector<chain::Outpoint> UnconfirmedMatch::outpoints() const {
    std::vector<chain::Outpoint> all = inputs;
    for (const MatchedOutput& coin : coins) all.push_back(coin.outpoint);
    return all;
}

bool UnconfirmedMatch::may_come_again_from(NetGroupId group) const {
    return is_unjudged() && senders.size() < kMaxSenders &&
           std::ranges::find(senders, group) == senders.end();
}

void UnconfirmedMatch::write(chain::ByteWriter& writer) const {
    writer.u64(static_cast<std::uint64_t>(seen)).u64(network_group).u32(bytes);
    writer.compact_size(inputs.size());
    for (const chain::Outpoint& input : inputs) writer.bytes(input.serialize());
    writer.compact_size(coins.size());
    for (const auto& [outpoint, output] : coins) {
        writer.bytes(outpoint.serialize());
        write_output(writer, output);
    }
    writer.u8(static_cast<std::uint8_t>(resolution)).u32(decided_at);
}

UnconfirmedMatch UnconfirmedMatch::read(chain::ByteReader& reader, std::size_t max_outpoints,
                                        bool with_outputs) {
    UnconfirmedMatch match;
    const std::uint64_t seen = reader.read_u64();
    match.seen = static_cast<std::int64_t>(seen);
    match.network_group = reader.read_u64();
    if (with_outputs) match.bytes = reader.read_u32();
    match.inputs.resize(reader.read_count(max_outpoints, kOutpointBytes));
    for (chain::Outpoint& input : match.inputs) input = read_outpoint(reader);
    match.coins.resize(reader.read_count(max_outpoints, kOutpointBytes));
    for (MatchedOutput& coin : match.coins) {
        coin.outpoint = read_outpoint(reader);
        if (with_outputs) coin.output = read_output(reader);
    }
    const std::uint8_t resolution = reader.read_u8();
    match.resolution = static_cast<Resolution>(resolution);
    match.decided_at = reader.read_u32();
    const bool is_sound =
        seen <= kMaxTime && resolution <= static_cast<std::uint8_t>(Resolution::impossible);
    if (!is_sound) reader.fail(chain::DecodeError::invalid_value);
    return match;
}

}  // namespace petal::net
