/// Headers into the chain, a merkle proof out of a big block, and hashing.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "chain/header_chain.h"
#include "chain/merkle_proof.h"
#include "chain/proof_of_work.h"

namespace petal {
namespace {

using chain::BlockHeader;

constexpr std::size_t kHeadersPerMessage = 2000;
constexpr std::int64_t kNow = 2'000'000'000;

const chain::NetworkParams& regtest() {
    return *chain::find_network("regtest");
}

std::vector<BlockHeader> mine(std::size_t count) {
    std::vector<BlockHeader> headers;
    BlockHeader parent = regtest().genesis;
    while (headers.size() < count) {
        BlockHeader header{0x20000000, parent.hash(), {}, parent.time + 600, parent.bits, 0};
        while (!chain::meets_target(header.hash(), regtest().pow_limit)) ++header.nonce;
        headers.push_back(header);
        parent = header;
    }
    return headers;
}

/// Ten messages of 2000 headers each into a new chain; regtest, so that most of it is hashing.
void accept_headers(benchmark::State& state) {
    const auto headers = mine(10 * kHeadersPerMessage);
    for (auto _ : state) {
        chain::HeaderChain chain{regtest()};
        for (std::size_t at = 0; at < headers.size(); at += kHeadersPerMessage) {
            chain.accept(std::span(headers).subspan(at, kHeadersPerMessage), kNow);
        }
        if (chain.tip().hash != headers.back().hash()) state.SkipWithError("wrong tip");
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(headers.size()));
}
BENCHMARK(accept_headers)->Unit(benchmark::kMillisecond);

std::vector<chain::Txid> make_txids(std::size_t count) {
    std::vector<chain::Txid> txids;
    for (std::size_t i = 0; i < count; ++i) {
        txids.push_back({chain::sha256d(chain::as_bytes(std::to_string(i))).bytes});
    }
    return txids;
}

/// A block of 3000 transactions of which so many match, evenly spread.
void check_merkle_proof(benchmark::State& state) {
    const auto txids = make_txids(3000);
    const auto matching = static_cast<std::size_t>(state.range(0));
    std::vector<bool> matches(txids.size());
    for (std::size_t i = 0; i < matching; ++i) matches[i * txids.size() / matching] = true;
    const auto tree = chain::make_merkle_proof(txids, matches);
    const auto root = chain::merkle_root(txids);
    for (auto _ : state) {
        const auto proved = chain::check_merkle_proof(tree, root);
        if (!proved || proved->size() != matching) state.SkipWithError("not proved");
    }
}
BENCHMARK(check_merkle_proof)->Arg(1)->Arg(10)->Arg(100);

/// What a server does, and an upper bound for the tests' embedded node.
void make_merkle_proof(benchmark::State& state) {
    const auto txids = make_txids(3000);
    std::vector<bool> matches(txids.size());
    matches[1234] = true;
    for (auto _ : state) {
        const auto tree = chain::make_merkle_proof(txids, matches);
        if (tree.hashes.size() != 13) state.SkipWithError("another number of hashes");
    }
}
BENCHMARK(make_merkle_proof)->Unit(benchmark::kMicrosecond);

/// Double SHA-256 of 80 bytes, a header's.
void hash_80_bytes(benchmark::State& state) {
    const auto bytes = chain::find_network("mainnet")->genesis.serialize();
    const std::string expected = "000000000019d6689c085ae165831e934ff763ae46a2a6c172b3f1b60a8ce26f";
    for (auto _ : state) {
        const auto hash = chain::sha256d(bytes);
        if (hash.bytes[31] != 0) state.SkipWithError("wrong hash");
    }
    if (chain::sha256d(bytes).to_hex() != expected) state.SkipWithError("wrong hash");
}
BENCHMARK(hash_80_bytes);

}  // namespace
}  // namespace petal
