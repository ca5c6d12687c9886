/// Lookups of candidates in a half-full filter, several hashes at once compared with one at a time,
/// the inspection of the largest filter, and whether a counting filter in front of a coin store is
/// worthwhile.
#include <SQLiteCpp/Database.h>
#include <SQLiteCpp/Statement.h>
#include <SQLiteCpp/Transaction.h>
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/counting_filter.h"
#include "bloom/measures/verdict.h"
#include "bloom/murmur3.h"
#include "chain/network_params.h"
#include "chain/transaction.h"
#include "cli/filter/filter_match.h"

namespace petal {
namespace {

using Element = std::array<chain::Byte, 20>;

constexpr std::size_t kCandidates = 100'000;

std::vector<Element> random_elements(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<Element> elements(count);
    for (auto& element : elements) {
        for (auto& byte : element) byte = static_cast<chain::Byte>(random());
    }
    return elements;
}

/// A filter of 36,000 bytes with as many elements as set half of its bits.
bloom::BloomFilter half_full(std::uint32_t functions) {
    bloom::BloomFilter filter({36'000, functions, false}, 12'345, bloom::UpdateMode::none);
    for (const auto& element : random_elements(288'000 * 693 / 1'000 / functions, 1)) {
        filter.insert(element);
    }
    return filter;
}

void count_items(benchmark::State& state, std::size_t per_iteration) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(per_iteration));
}

void match_from_memory(benchmark::State& state) {
    const auto filter = half_full(16);
    const auto candidates = random_elements(kCandidates, 2);
    std::size_t matches = 0;
    for (auto _ : state) {
        for (const auto& candidate : candidates) matches += filter.contains(candidate) ? 1U : 0U;
    }
    benchmark::DoNotOptimize(matches);
    count_items(state, kCandidates);
}
BENCHMARK(match_from_memory);

class CountingSink : public cli::MatchSink {
public:
    void answer(std::string_view, bool matches) override { matches_ += matches ? 1U : 0U; }
    void refuse(std::uint64_t, std::string_view, std::string_view) override { ++refused_; }
    std::size_t matches_ = 0;
    std::size_t refused_ = 0;
};

void match_lines(benchmark::State& state) {
    const auto half = half_full(16);
    const cli::AskedFilter filter{
        [&half](chain::ByteView element) { return half.contains(element); },
        half.false_positive_rate()};
    std::string text;
    for (const auto& candidate : random_elements(kCandidates, 2)) {
        text += chain::to_hex(candidate) + "\n";
    }
    CountingSink sink;
    for (auto _ : state) {
        cli::CandidateStream stream(filter, chain::all_networks()[0], sink);
        stream.take(text);
        stream.finish();
    }
    if (sink.refused_ > 0) state.SkipWithError("a line was refused");
    count_items(state, kCandidates);
}
BENCHMARK(match_lines);

/// BIP37's text as a loop: one seed after the other, with one modulo operation each.
bool plain_contains(const bloom::BloomFilter& filter, chain::ByteView element) {
    for (std::uint32_t i = 0; i < filter.hash_functions(); ++i) {
        const std::uint32_t hash = bloom::murmur3(i * 0xfba4c795U + filter.tweak(), element);
        const std::size_t bit = hash % filter.bit_count();
        if ((filter.bytes()[bit / 8] >> (bit % 8) & 1) == 0) return false;
    }
    return true;
}

void plain_insert(chain::Bytes& bits, std::uint32_t functions, std::uint32_t tweak,
                  chain::ByteView element) {
    for (std::uint32_t i = 0; i < functions; ++i) {
        const std::uint32_t hash = bloom::murmur3(i * 0xfba4c795U + tweak, element);
        const std::size_t bit = hash % (bits.size() * 8);
        bits[bit / 8] = static_cast<chain::Byte>(bits[bit / 8] | 1U << bit % 8);
    }
}

void contains_plain_loop(benchmark::State& state) {
    const auto filter = half_full(static_cast<std::uint32_t>(state.range(0)));
    const auto members = random_elements(5'000, 1);
    std::size_t matches = 0;
    for (auto _ : state) {
        for (const auto& member : members) matches += plain_contains(filter, member) ? 1U : 0U;
    }
    benchmark::DoNotOptimize(matches);
    count_items(state, members.size());
}
BENCHMARK(contains_plain_loop)->DenseRange(13, 20);

void contains_lanes(benchmark::State& state) {
    const auto filter = half_full(static_cast<std::uint32_t>(state.range(0)));
    const auto members = random_elements(5'000, 1);
    std::size_t matches = 0;
    for (auto _ : state) {
        for (const auto& member : members) matches += filter.contains(member) ? 1U : 0U;
    }
    benchmark::DoNotOptimize(matches);
    count_items(state, members.size());
}
BENCHMARK(contains_lanes)->DenseRange(13, 20);

void insert_plain_loop(benchmark::State& state) {
    const auto members = random_elements(5'000, 1);
    chain::Bytes bits(36'000);
    for (auto _ : state) {
        for (const auto& member : members) {
            plain_insert(bits, static_cast<std::uint32_t>(state.range(0)), 12'345, member);
        }
    }
    benchmark::DoNotOptimize(bits.data());
    count_items(state, members.size());
}
BENCHMARK(insert_plain_loop)->DenseRange(13, 20);

void insert_lanes(benchmark::State& state) {
    const auto members = random_elements(5'000, 1);
    bloom::BloomFilter filter({36'000, static_cast<std::uint32_t>(state.range(0)), false}, 12'345,
                              bloom::UpdateMode::none);
    for (auto _ : state) {
        for (const auto& member : members) filter.insert(member);
    }
    benchmark::DoNotOptimize(filter.bits_set());
    count_items(state, members.size());
}
BENCHMARK(insert_lanes)->DenseRange(13, 20);

void insert_list_lanes(benchmark::State& state) {
    const auto members = random_elements(5'000, 1);
    std::vector<chain::Bytes> list;
    for (const auto& member : members) list.emplace_back(member.begin(), member.end());
    bloom::BloomFilter filter({36'000, static_cast<std::uint32_t>(state.range(0)), false}, 12'345,
                              bloom::UpdateMode::none);
    for (auto _ : state) filter.insert_all(list);
    benchmark::DoNotOptimize(filter.bits_set());
    count_items(state, members.size());
}
BENCHMARK(insert_list_lanes)->DenseRange(13, 20);

void inspect_largest(benchmark::State& state) {
    const auto filter = half_full(16);
    for (auto _ : state) {
        auto verdict = bloom::judge(bloom::inspect(filter, {}));
        benchmark::DoNotOptimize(verdict.grade);
    }
}
BENCHMARK(inspect_largest)->Unit(benchmark::kMillisecond);

std::vector<chain::Outpoint> random_outpoints(std::size_t count, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    std::vector<chain::Outpoint> outpoints(count);
    for (auto& outpoint : outpoints) {
        for (auto& byte : outpoint.txid.bytes) byte = static_cast<chain::Byte>(random());
        outpoint.index = static_cast<std::uint32_t>(random() % 4);
    }
    return outpoints;
}

constexpr std::size_t kStrangers = 20'000;

// Three ways to find out that an input spends none of the wallet's coins.

/// The ledger's way: a table in memory.
void stranger_in_memory(benchmark::State& state) {
    std::unordered_set<chain::Outpoint> coins;
    for (const auto& coin : random_outpoints(static_cast<std::size_t>(state.range(0)), 3)) {
        coins.insert(coin);
    }
    const auto strangers = random_outpoints(kStrangers, 4);
    std::size_t found = 0;
    for (auto _ : state) {
        for (const auto& stranger : strangers) found += coins.contains(stranger) ? 1U : 0U;
    }
    if (found > 0) state.SkipWithError("a stranger was found");
    count_items(state, kStrangers);
}
BENCHMARK(stranger_in_memory)->Arg(10)->Arg(10'000)->Arg(1'000'000);

/// A counting filter of the largest size that BIP37 allows, in front of the table.
void stranger_by_counting_filter(benchmark::State& state) {
    bloom::CountingFilter guard({36'000, 4, false}, 1);
    for (const auto& coin : random_outpoints(static_cast<std::size_t>(state.range(0)), 3)) {
        guard.insert(coin.serialize());
    }
    const auto strangers = random_outpoints(kStrangers, 4);
    std::size_t passed = 0;
    std::size_t asked = 0;
    for (auto _ : state) {
        for (const auto& stranger : strangers) {
            passed += guard.contains(stranger.serialize()) ? 1U : 0U;
        }
        asked += kStrangers;
    }
    state.counters["passed_on"] = static_cast<double>(passed) / static_cast<double>(asked);
    count_items(state, kStrangers);
}
BENCHMARK(stranger_by_counting_filter)->Arg(10)->Arg(10'000)->Arg(1'000'000);

/// A lookup in an SQLite store for each input. The store is in memory, so this is the least that
/// SQLite takes.
void stranger_in_sqlite(benchmark::State& state) {
    SQLite::Database database(":memory:", SQLite::OPEN_READWRITE | SQLite::OPEN_CREATE);
    database.exec(
        "CREATE TABLE coin (txid BLOB, vout INTEGER, PRIMARY KEY (txid, vout)) "
        "WITHOUT ROWID");
    SQLite::Transaction transaction(database);
    SQLite::Statement insert(database, "INSERT INTO coin VALUES (?, ?)");
    for (const auto& coin : random_outpoints(static_cast<std::size_t>(state.range(0)), 3)) {
        insert.bind(1, coin.txid.bytes.data(), static_cast<int>(coin.txid.bytes.size()));
        insert.bind(2, coin.index);
        insert.exec();
        insert.reset();
    }
    transaction.commit();
    const auto strangers = random_outpoints(2'000, 4);
    SQLite::Statement find(database, "SELECT 1 FROM coin WHERE txid = ? AND vout = ?");
    std::size_t found = 0;
    for (auto _ : state) {
        for (const auto& stranger : strangers) {
            find.bindNoCopy(1, stranger.txid.bytes.data(),
                            static_cast<int>(stranger.txid.bytes.size()));
            find.bind(2, stranger.index);
            found += find.executeStep() ? 1U : 0U;
            find.reset();
        }
    }
    if (found > 0) state.SkipWithError("a stranger was found");
    count_items(state, strangers.size());
}
BENCHMARK(stranger_in_sqlite)->Arg(10)->Arg(10'000)->Arg(1'000'000);

}  // namespace
}  // namespace petal
