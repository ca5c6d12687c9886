/// Filters: insertion, lookup of members and of other elements, and matching a transaction.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <random>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/transaction_match.h"
#include "chain/script/script.h"
#include "chain/transaction.h"

namespace petal {
namespace {

using Element = std::array<chain::Byte, 20>;

constexpr std::size_t kStrangers = 20'000;

std::vector<Element> random_elements(std::size_t count, std::uint32_t seed) {
    std::mt19937 random(seed);
    std::vector<Element> elements(count);
    for (auto& element : elements) {
        for (auto& byte : element) byte = static_cast<chain::Byte>(random());
    }
    return elements;
}

/// Arguments: bytes, hash functions, elements. They fill each filter to about one half.
void filters(benchmark::internal::Benchmark* bench) {
    bench->ArgNames({"bytes", "k", "n"});
    bench->Args({2'396, 13, 1'000});
    bench->Args({36'000, 9, 20'000});
    bench->Args({36'000, 19, 10'000});
    bench->Args({36'000, 49, 4'000});
}

bloom::BloomFilter empty_filter(const benchmark::State& state) {
    const bloom::FilterSize size{static_cast<std::size_t>(state.range(0)),
                                 static_cast<std::uint32_t>(state.range(1))};
    return {size, 12'345, bloom::UpdateMode::all};
}

std::vector<Element> members_of(const benchmark::State& state) {
    return random_elements(static_cast<std::size_t>(state.range(2)), 1);
}

bloom::BloomFilter full_filter(const benchmark::State& state) {
    bloom::BloomFilter filter = empty_filter(state);
    for (const auto& member : members_of(state)) filter.insert(member);
    return filter;
}

std::size_t count_contained(const bloom::BloomFilter& filter,
                            const std::vector<Element>& elements) {
    const auto contained = [&](const Element& element) { return filter.contains(element); };
    return static_cast<std::size_t>(std::count_if(elements.begin(), elements.end(), contained));
}

void count_items(benchmark::State& state, std::size_t per_iteration) {
    state.SetItemsProcessed(state.iterations() * static_cast<std::int64_t>(per_iteration));
    state.counters["each"] = benchmark::Counter(
        static_cast<double>(per_iteration),
        benchmark::Counter::kIsIterationInvariantRate | benchmark::Counter::kInvert);
}

void bloom_insert(benchmark::State& state) {
    const auto members = members_of(state);
    const bloom::BloomFilter expected = full_filter(state);
    bool as_expected = true;
    for (auto _ : state) {
        bloom::BloomFilter filter = empty_filter(state);
        for (const auto& member : members) filter.insert(member);
        as_expected = as_expected && filter.bits_set() == expected.bits_set();
    }
    if (!as_expected) state.SkipWithError("a bit is missing");
    count_items(state, members.size());
}
BENCHMARK(bloom_insert)->Apply(filters);

void bloom_contains_hit(benchmark::State& state) {
    const auto members = members_of(state);
    const bloom::BloomFilter filter = full_filter(state);
    std::size_t contained = 0;
    for (auto _ : state) contained = count_contained(filter, members);
    if (contained != members.size()) state.SkipWithError("a member was denied");
    count_items(state, members.size());
}
BENCHMARK(bloom_contains_hit)->Apply(filters);

void bloom_contains_miss(benchmark::State& state) {
    const auto strangers = random_elements(kStrangers, 2);
    const bloom::BloomFilter filter = full_filter(state);
    std::size_t contained = 0;
    for (auto _ : state) contained = count_contained(filter, strangers);
    const double expected = filter.false_positive_rate() * static_cast<double>(kStrangers);
    if (static_cast<double>(contained) > 2 * expected + 10) state.SkipWithError("too many matched");
    count_items(state, strangers.size());
}
BENCHMARK(bloom_contains_miss)->Apply(filters);

/// Two inputs and two outputs, like most payments from a segwit wallet: five elements to test.
chain::Transaction p2wpkh_payment(std::uint32_t seed) {
    const auto hashes = random_elements(6, seed);
    chain::Transaction transaction;
    for (std::size_t i = 0; i < 2; ++i) {
        chain::TxInput input;
        std::copy(hashes[i].begin(), hashes[i].end(), input.prevout.txid.bytes.begin());
        transaction.inputs.push_back(input);
        transaction.outputs.push_back({100'000, chain::p2wpkh_script(hashes[2 + i])});
    }
    return transaction;
}

/// The filter of a wallet that watches 1,000 elements.
bloom::BloomFilter wallet_filter() {
    bloom::BloomFilter filter({2'396, 13}, 12'345, bloom::UpdateMode::all);
    for (const auto& member : random_elements(1'000, 1)) filter.insert(member);
    return filter;
}

void match_foreign_payment(benchmark::State& state) {
    bloom::BloomFilter filter = wallet_filter();
    const chain::Transaction payment = p2wpkh_payment(3);
    const chain::Txid txid = payment.txid();
    bool matched = true;
    for (auto _ : state) {
        matched = bloom::match_and_update(filter, payment, txid).matched;
        benchmark::DoNotOptimize(matched);
    }
    if (matched || filter != wallet_filter()) state.SkipWithError("a foreign payment matched");
}
BENCHMARK(match_foreign_payment);

void match_own_payment(benchmark::State& state) {
    bloom::BloomFilter filter = wallet_filter();
    const chain::Transaction payment = p2wpkh_payment(3);
    const chain::Txid txid = payment.txid();
    filter.insert(chain::ByteView(payment.outputs[1].script_pubkey).subspan(2));
    std::size_t inserted = 0;
    for (auto _ : state) {
        inserted = bloom::match_and_update(filter, payment, txid).inserted.size();
        benchmark::DoNotOptimize(inserted);
    }
    if (inserted != 1) state.SkipWithError("one outpoint must be inserted each time");
    if (!filter.contains(chain::Outpoint{txid, 1}.serialize())) state.SkipWithError("not inserted");
}
BENCHMARK(match_own_payment);

}  // namespace
}  // namespace petal
