/// Lookups of candidates in a half-full filter, and the inspection of the largest filter.
#include <benchmark/benchmark.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/measures/verdict.h"
#include "chain/network_params.h"
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

void inspect_largest(benchmark::State& state) {
    const auto filter = half_full(16);
    for (auto _ : state) {
        auto verdict = bloom::judge(bloom::inspect(filter, {}));
        benchmark::DoNotOptimize(verdict.grade);
    }
}
BENCHMARK(inspect_largest)->Unit(benchmark::kMillisecond);

}  // namespace
}  // namespace petal
