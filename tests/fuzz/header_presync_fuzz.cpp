/// Presyncs of peers that switch between chains: the released headers form a chain from the start,
/// and are released only after the required work was shown.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "chain/byte_reader.h"
#include "chain/headers/header_presync.h"
#include "chain/headers/proof_of_work.h"

namespace {

using namespace petal::chain;

constexpr std::size_t kRequiredBlocks = 2'000;
constexpr std::size_t kChainBlocks = 2'500;

const NetworkParams& params() {
    return *find_network("regtest");
}

// Two chains, which differ in their merkle roots.
std::vector<HashedHeader> mine(Byte salt) {
    std::vector<HashedHeader> headers;
    BlockHeader parent = params().genesis;
    while (headers.size() < kChainBlocks) {
        BlockHeader header{1, parent.hash(), {}, parent.time + 1, parent.bits, 0};
        header.merkle_root.bytes[0] = salt;
        while (!meets_target(header.hash(), params().pow_limit)) ++header.nonce;
        headers.emplace_back(header);
        parent = header;
    }
    return headers;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const std::vector<HashedHeader> chains[] = {mine(0), mine(1)};
    ByteReader reader{{data, size}};
    PresyncTask task{genesis_anchor(params()), 2 * (kRequiredBlocks + 1), 2'000'000'000,
                     reader.read_u64()};
    HeaderPresync presync{params(), task};
    BlockHash end = params().genesis.hash();
    bool shown = false;
    while (reader.ok() && reader.remaining() > 0 && presync.phase() != HeaderPresync::Phase::done) {
        const std::uint8_t step = reader.read_u8();
        std::vector<HashedHeader> headers;
        if (step == 0) {
            headers.emplace_back(read_block_header(reader));
        } else {
            const auto& chain = chains[step & 1U];
            const std::size_t from = std::min<std::size_t>(presync.height(), kChainBlocks);
            const std::size_t to = std::min(kChainBlocks, from + (step >> 1U) * 16U);
            headers.assign(chain.begin() + static_cast<std::ptrdiff_t>(from),
                           chain.begin() + static_cast<std::ptrdiff_t>(to));
        }
        const auto worthy = presync.take(headers);
        if (!worthy) return 0;
        shown = shown || presync.phase() != HeaderPresync::Phase::first_download;
        assert(worthy->empty() || shown);
        for (const BlockHeader& header : *worthy) {
            assert(header.previous == end);
            end = header.hash();
        }
    }
    return 0;
}
