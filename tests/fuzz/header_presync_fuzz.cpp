/// Presyncs of peers that switch between chains. The released headers form a chain from the start.
/// The peer has shown this chain before, with the required work, and has sent it again with enough
/// headers after the released ones.
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

constexpr std::size_t kRequiredBlocks = 400;
constexpr std::size_t kChainBlocks = 500;
// Forty bits have to be guessed before a header of another chain is released.
constexpr std::uint32_t kCommitmentPeriod = 7;
constexpr std::size_t kBufferedHeaders = 280;

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

std::vector<HashedHeader> next_headers(ByteReader& reader, const HeaderPresync& presync) {
    static const std::vector<HashedHeader> chains[] = {mine(0), mine(1)};
    const std::uint8_t step = reader.read_u8();
    if (step == 0) return {HashedHeader{read_block_header(reader)}};
    const auto& chain = chains[step & 1U];
    const std::size_t from = std::min<std::size_t>(presync.height(), kChainBlocks);
    const std::size_t to = std::min(kChainBlocks, from + (step >> 1U) * 4U);
    return {chain.begin() + static_cast<std::ptrdiff_t>(from),
            chain.begin() + static_cast<std::ptrdiff_t>(to)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using Phase = HeaderPresync::Phase;
    ByteReader reader{{data, size}};
    const PresyncTask task{genesis_anchor(params()), 2 * (kRequiredBlocks + 1), 2'000'000'000,
                           reader.read_u64(),        kCommitmentPeriod,         kBufferedHeaders};
    HeaderPresync presync{params(), task};
    std::vector<BlockHash> shown;  // by the first download
    std::size_t sent_again = 0;
    std::size_t released = 0;
    BlockHash end = params().genesis.hash();
    while (reader.ok() && reader.remaining() > 0 && presync.phase() != Phase::done) {
        const std::vector<HashedHeader> headers = next_headers(reader, presync);
        const bool is_first = presync.phase() == Phase::first_download;
        const auto worthy = presync.take(headers);
        if (!worthy) return 0;
        if (is_first) {
            for (const HashedHeader& header : headers) shown.push_back(header.hash());
            assert(worthy->empty());
            continue;
        }
        sent_again += headers.size();
        assert(shown.size() >= kRequiredBlocks);
        for (const BlockHeader& header : *worthy) {
            assert(header.previous == end);
            end = header.hash();
            // A last header may be another one, if no bit was remembered after it.
            assert(released + kBufferedHeaders >= kRequiredBlocks || end == shown[released]);
            ++released;
        }
        const bool is_complete = sent_again >= kRequiredBlocks;
        assert(worthy->empty() || is_complete || released + kBufferedHeaders <= sent_again);
        assert(is_complete == (presync.phase() == Phase::done));
    }
    return 0;
}
