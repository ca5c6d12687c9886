// The choice of anchors.
#include "chain/headers/anchors.h"

#include <algorithm>

#include "chain/byte_reader.h"
#include "chain/headers/anchor_table.h"
#include "chain/headers/proof_of_work.h"

namespace petal::chain {

namespace {

constexpr std::uint32_t kMarginBlocks = 144;
// Block times are out of order by at most two hours.
constexpr std::int64_t kMarginSeconds = std::int64_t{24} * 60 * 60;

// A custom signet shares only the genesis block with the public signet.
std::span<const AnchorRow> rows_of(const NetworkParams& network) {
    const NetworkParams* const known = find_network(network.name);
    const bool is_known =
        known != nullptr && known->magic == network.magic && known->genesis == network.genesis;
    return is_known ? anchor_rows(network.name) : std::span<const AnchorRow>{};
}

Anchor read_row(const AnchorRow& row) {
    const Bytes bytes = from_hex(row.header).value();
    ByteReader reader{bytes};
    return {row.height, read_block_header(reader), uint256_from_hex(row.chainwork).value()};
}

}  // namespace

Anchor genesis_anchor(const NetworkParams& network) {
    const Uint256 target = decode_target(network.genesis.bits, network.pow_limit).value();
    return {0, network.genesis, work_of_target(target)};
}

std::size_t anchor_count(const NetworkParams& network) {
    return 1 + rows_of(network).size();
}

Anchor anchor_at(const NetworkParams& network, std::size_t place) {
    return place == 0 ? genesis_anchor(network) : read_row(rows_of(network)[place - 1]);
}

std::optional<Anchor> find_anchor(const NetworkParams& network, std::uint32_t height) {
    if (height == 0) return genesis_anchor(network);
    const auto rows = rows_of(network);
    const auto row = std::ranges::lower_bound(rows, height, {}, &AnchorRow::height);
    if (row == rows.end() || row->height != height) return std::nullopt;
    return read_row(*row);
}

Anchor anchor_before(const NetworkParams& network, std::uint32_t birthday_height,
                     std::int64_t birthday_time) {
    for (std::size_t place = anchor_count(network); --place > 0;) {
        const Anchor anchor = anchor_at(network, place);
        const bool is_low = anchor.height + kMarginBlocks <= birthday_height;
        const bool is_early = anchor.header.time + kMarginSeconds <= birthday_time;
        if (is_low || is_early) return anchor;
    }
    return genesis_anchor(network);
}

}  // namespace petal::chain
