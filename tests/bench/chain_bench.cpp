/// Header validation and storage, verifying a merkle proof of a large block, and hashing.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "chain/headers/header_chain.h"
#include "chain/headers/header_file.h"
#include "chain/headers/header_record.h"
#include "chain/headers/proof_of_work.h"
#include "chain/merkle_proof.h"
#include "cli/regtest/temporary_folder.h"

namespace petal {
namespace {

using chain::BlockHeader;

constexpr std::size_t kHeadersPerMessage = 2000;
constexpr std::int64_t kNow = 2'000'000'000;

const chain::NetworkParams& regtest_params() {
    return *chain::find_network("regtest");
}

std::vector<BlockHeader> mine(std::size_t count) {
    std::vector<BlockHeader> headers;
    BlockHeader parent = regtest_params().genesis;
    while (headers.size() < count) {
        BlockHeader header{0x20000000, parent.hash(), {}, parent.time + 600, parent.bits, 0};
        while (!chain::meets_target(header.hash(), regtest_params().pow_limit)) ++header.nonce;
        headers.push_back(header);
        parent = header;
    }
    return headers;
}

/// Ten messages of 2000 headers each into a new chain. On regtest, most of the time is hashing.
void accept_headers(benchmark::State& state) {
    const auto headers = mine(10 * kHeadersPerMessage);
    for (auto _ : state) {
        chain::HeaderChain chain{regtest_params()};
        for (std::size_t at = 0; at < headers.size(); at += kHeadersPerMessage) {
            chain.accept(std::span(headers).subspan(at, kHeadersPerMessage), kNow);
        }
        if (chain.tip().hash != headers.back().hash()) state.SkipWithError("wrong tip");
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(headers.size()));
}
BENCHMARK(accept_headers)->Unit(benchmark::kMillisecond);

// A file of a million headers, which is made once and removed at the end.
class MillionHeaders {
public:
    MillionHeaders() {
        chain::HeaderChain chain{regtest_params()};
        chain::HeaderFile file{path(), chain, kFuture};
        headers_ = mine(kCount);
        for (std::size_t at = 0; at < kCount; at += kHeadersPerMessage) {
            chain.accept(std::span(headers_).subspan(at, kHeadersPerMessage), kFuture);
        }
        file.flush();
    }

    static const MillionHeaders& instance() {
        static const MillionHeaders made;
        return made;
    }
    std::filesystem::path path() const { return folder_.path() / "headers.dat"; }
    const std::vector<BlockHeader>& headers() const { return headers_; }

    static constexpr std::size_t kCount = 1'000'000;
    // With headers ten minutes apart, the last ones are later than the year 2026.
    static constexpr std::int64_t kFuture = 4'000'000'000;

private:
    cli::TemporaryFolder folder_;
    std::vector<BlockHeader> headers_;
};

/// 100,000 headers into a new file, flushed from time to time.
void validate_and_store(benchmark::State& state) {
    const auto& all = MillionHeaders::instance();
    const auto headers = std::span(all.headers()).first(100'000);
    const std::filesystem::path path = all.path().string() + ".new";
    for (auto _ : state) {
        chain::HeaderChain chain{regtest_params()};
        {
            chain::HeaderFile file{path, chain, MillionHeaders::kFuture};
            for (std::size_t at = 0; at < headers.size(); at += kHeadersPerMessage) {
                chain.accept(headers.subspan(at, kHeadersPerMessage), MillionHeaders::kFuture);
                if (at % (10 * kHeadersPerMessage) == 0) file.flush();
            }
            file.flush();
        }
        if (chain.tip().height != headers.size()) state.SkipWithError("wrong tip");
        state.PauseTiming();
        std::filesystem::remove(path);
        std::filesystem::remove(path.string() + ".index");
        state.ResumeTiming();
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(headers.size()));
}
BENCHMARK(validate_and_store)->Unit(benchmark::kMillisecond);

/// The SHA-256 part of validate_and_store(): hashing the headers and the checks of their records.
void hash_headers_and_checks(benchmark::State& state) {
    const auto headers = std::span(MillionHeaders::instance().headers()).first(100'000);
    const chain::HeaderRecord record{regtest_params().genesis, {}};
    for (auto _ : state) {
        chain::HeaderRecord::Check check{};
        for (const BlockHeader& header : headers) check = record.make_check(check, header.hash());
        benchmark::DoNotOptimize(check);
    }
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(headers.size()));
}
BENCHMARK(hash_headers_and_checks)->Unit(benchmark::kMillisecond);

/// Opens a file of a million headers and returns the tip.
void open_store(benchmark::State& state) {
    const auto& all = MillionHeaders::instance();
    for (auto _ : state) {
        chain::HeaderChain chain{regtest_params()};
        const chain::HeaderFile file{all.path(), chain, MillionHeaders::kFuture};
        if (chain.tip().height != MillionHeaders::kCount) state.SkipWithError("wrong tip");
    }
    state.counters["disk_bytes_per_header"] =
        static_cast<double>(std::filesystem::file_size(all.path()) +
                            std::filesystem::file_size(all.path().string() + ".index")) /
        static_cast<double>(MillionHeaders::kCount);
}
BENCHMARK(open_store)->Unit(benchmark::kMillisecond);

/// Reads headers all over an open file, for the first time or again.
void find_stored(benchmark::State& state) {
    const auto& all = MillionHeaders::instance();
    chain::HeaderChain chain{regtest_params()};
    const chain::HeaderFile file{all.path(), chain, MillionHeaders::kFuture};
    std::vector<chain::BlockRef> wanted;
    for (std::uint64_t i = 1; i <= 50'000; ++i) {
        const auto height =
            static_cast<std::uint32_t>(i * 7'919 * 101 % (MillionHeaders::kCount - 1) + 1);
        wanted.push_back({height, all.headers()[height].previous});
    }
    std::size_t next = 0;
    for (auto _ : state) {
        const chain::BlockRef& block = wanted[next++ % wanted.size()];
        const bool found = state.range(0) == 0 ? chain.hash_at(block.height) == block.hash
                                               : chain.height_of(block.hash) == block.height;
        if (!found) state.SkipWithError("not found");
    }
}
BENCHMARK(find_stored)->ArgName("by_hash")->Arg(0)->Arg(1);

/// A branch of 1001 headers replaces one of 1000.
void reorganise_1000(benchmark::State& state) {
    const auto trunk = mine(1000);
    std::vector<BlockHeader> rival;
    BlockHeader parent = regtest_params().genesis;
    while (rival.size() < 1001) {
        BlockHeader header{0x20000000, parent.hash(), {}, parent.time + 601, parent.bits, 0};
        while (!chain::meets_target(header.hash(), regtest_params().pow_limit)) ++header.nonce;
        rival.push_back(header);
        parent = header;
    }
    for (auto _ : state) {
        state.PauseTiming();
        chain::HeaderChain chain{regtest_params()};
        chain.accept(trunk, kNow);
        state.ResumeTiming();
        if (!chain.accept(rival, kNow).move.is_reorganisation()) state.SkipWithError("no move");
    }
}
BENCHMARK(reorganise_1000)->Unit(benchmark::kMillisecond);

std::vector<chain::Txid> make_txids(std::size_t count) {
    std::vector<chain::Txid> txids;
    for (std::size_t i = 0; i < count; ++i) {
        txids.push_back({chain::sha256d(chain::as_bytes(std::to_string(i))).bytes});
    }
    return txids;
}

/// A block of 3000 transactions, of which this many match, evenly spread.
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

/// A server's work; this is an upper bound for the tests' embedded node.
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

/// Double SHA-256 of the 80 bytes of a header.
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

std::vector<chain::Bytes> make_scripts(std::uint32_t first, std::size_t count) {
    std::vector<chain::Bytes> scripts;
    for (const chain::Txid& hash : make_txids(first + count)) {
        chain::Bytes script{0x00, 0x14};
        script.insert(script.end(), hash.bytes.begin(), hash.bytes.begin() + 20);
        scripts.push_back(std::move(script));
    }
    scripts.erase(scripts.begin(), scripts.begin() + first);
    return scripts;
}

/// Decodes the filter of a full block of mainnet, with 10,000 elements, and looks for that many
/// watched P2WPKH scripts, none of which is in the block.
void match_compact_filter(benchmark::State& state) {
    const auto block = chain::find_network("mainnet")->genesis.hash();
    const auto parameters = chain::basic_filter_parameters(block);
    const auto watched = make_scripts(0, static_cast<std::size_t>(state.range(0)));
    const auto filter = chain::GolombSet{parameters, make_scripts(10'000, 10'000)}.encode();
    for (auto _ : state) {
        const auto set = chain::decode_basic_filter(block, filter);
        if (!set || set->has_any_of(watched)) state.SkipWithError("a match");
    }
}
BENCHMARK(match_compact_filter)->Arg(1)->Arg(100)->Arg(10'000)->Unit(benchmark::kMicrosecond);

}  // namespace
}  // namespace petal
