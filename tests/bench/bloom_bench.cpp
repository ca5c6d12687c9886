/// Filters as petal sends them: lookups and insertions beside Bitcoin Core's, and matching a
/// transaction.
#include <benchmark/benchmark.h>

#include <algorithm>
#include <array>
#include <bit>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/transaction_match.h"
#include "chain/byte_reader.h"
#include "chain/script/script.h"
#include "chain/transaction.h"
#include "chain/watcher.h"
#include "net/sync/filters/filter_policy.h"
#include "net/sync/filters/privacy.h"

namespace petal {
namespace {

using Elements = std::vector<chain::Bytes>;

Elements random_elements(std::size_t count, std::size_t size, std::uint32_t seed) {
    std::mt19937 random(seed);
    Elements elements(count, chain::Bytes(size));
    for (auto& element : elements) {
        for (auto& byte : element) byte = static_cast<chain::Byte>(random());
    }
    return elements;
}

/// MurmurHash3 as in Bitcoin Core's src/hash.cpp. Not inlined, since Core has it in another file.
[[gnu::noinline]] std::uint32_t core_murmur3(std::uint32_t seed, chain::ByteView data) {
    constexpr std::uint32_t kC1 = 0xcc9e2d51;
    constexpr std::uint32_t kC2 = 0x1b873593;
    std::uint32_t h1 = seed;
    const std::size_t blocks = data.size() / 4;
    for (std::size_t i = 0; i < blocks; ++i) {
        h1 ^= std::rotl(chain::get_u32(data.data() + i * 4) * kC1, 15) * kC2;
        h1 = std::rotl(h1, 13) * 5 + 0xe6546b64;
    }

    const chain::Byte* const tail = data.data() + blocks * 4;
    std::uint32_t k1 = 0;
    switch (data.size() & 3) {
        case 3:
            k1 ^= std::uint32_t{tail[2]} << 16;
            [[fallthrough]];
        case 2:
            k1 ^= std::uint32_t{tail[1]} << 8;
            [[fallthrough]];
        case 1:
            k1 ^= tail[0];
            h1 ^= std::rotl(k1 * kC1, 15) * kC2;
            break;
        default:
            break;
    }

    h1 ^= static_cast<std::uint32_t>(data.size());
    h1 ^= h1 >> 16;
    h1 *= 0x85ebca6b;
    h1 ^= h1 >> 13;
    h1 *= 0xc2b2ae35;
    h1 ^= h1 >> 16;
    return h1;
}

/// The loops of Bitcoin Core's CBloomFilter (src/common/bloom.cpp). Core calls them from other
/// files, so they are not inlined either.
class CoreFilter {
public:
    explicit CoreFilter(const bloom::BloomFilter& filter)
        : data_(filter.bytes().begin(), filter.bytes().end()),
          hash_funcs_(filter.hash_functions()),
          tweak_(filter.tweak()) {}

    [[gnu::noinline]] bool contains(chain::ByteView key) const {
        if (data_.empty()) return true;
        for (unsigned int i = 0; i < hash_funcs_; i++) {
            const unsigned int index = hash(i, key);
            if (!(data_[index >> 3] & (1 << (7 & index)))) return false;
        }
        return true;
    }

    [[gnu::noinline]] void insert(chain::ByteView key) {
        if (data_.empty()) return;
        for (unsigned int i = 0; i < hash_funcs_; i++) {
            const unsigned int index = hash(i, key);
            data_[index >> 3] = static_cast<chain::Byte>(data_[index >> 3] | (1 << (7 & index)));
        }
    }

    const chain::Bytes& bytes() const { return data_; }

private:
    unsigned int hash(unsigned int number, chain::ByteView key) const {
        return static_cast<unsigned int>(core_murmur3(number * 0xFBA4C795 + tweak_, key) %
                                         (data_.size() * 8));
    }

    chain::Bytes data_;
    unsigned int hash_funcs_;
    unsigned int tweak_;
};

double seconds_of(auto&& action) {
    const auto start = std::chrono::steady_clock::now();
    action();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median_of(std::vector<double> values) {
    std::ranges::sort(values);
    return values[values.size() / 2];
}

/// Runs both in turn, in one process, and reports the medians per element and their ratio.
void compare(benchmark::State& state, std::size_t elements, auto&& petal, auto&& core) {
    std::vector<double> petal_seconds;
    std::vector<double> core_seconds;
    for (auto _ : state) {
        petal_seconds.push_back(seconds_of(petal));
        core_seconds.push_back(seconds_of(core));
    }
    const double each = 1e9 / static_cast<double>(elements);
    state.counters["petal_ns"] = median_of(petal_seconds) * each;
    state.counters["core_ns"] = median_of(core_seconds) * each;
    state.counters["ratio"] = median_of(petal_seconds) / median_of(core_seconds);
}

constexpr std::size_t kLookups = 20'000;

/// The filter that a wallet of 1,000 scripts sends at a profile of privacy, padded with decoys, and
/// `added`.
bloom::BloomFilter filter_of(net::Privacy privacy, const Elements& added) {
    const Elements scripts = random_elements(1'000, 20, 1);
    const chain::FilterPadding padding{{}, scripts.size()};
    bloom::BloomFilter filter = net::FilterBase(scripts, padding, net::rate_of(privacy)).filter();
    filter.insert_all(added);
    return filter;
}

template <typename Filter>
std::size_t count_contained(const Filter& filter, const Elements& elements) {
    const auto contained = [&](const chain::Bytes& element) { return filter.contains(element); };
    return static_cast<std::size_t>(std::ranges::count_if(elements, contained));
}

void lookup(benchmark::State& state, const bloom::BloomFilter& filter, const Elements& elements) {
    const CoreFilter core(filter);
    std::size_t by_petal = 0;
    std::size_t by_core = 0;
    compare(
        state, elements.size(), [&] { by_petal += count_contained(filter, elements); },
        [&] { by_core += count_contained(core, elements); });
    if (by_petal != by_core) state.SkipWithError("the two disagree");
    state.counters["fill"] =
        static_cast<double>(filter.bits_set()) / static_cast<double>(filter.bit_count());
}

// Almost all elements that a wallet looks up in its mirror of a server's filter are foreign.
void lookup_of_foreign(benchmark::State& state, net::Privacy privacy, std::size_t size) {
    lookup(state, filter_of(privacy, {}), random_elements(kLookups, size, 2));
}

void lookup_of_own(benchmark::State& state, net::Privacy privacy, std::size_t size) {
    const Elements own = random_elements(1'000, size, 3);
    lookup(state, filter_of(privacy, own), own);
}

void insertion(benchmark::State& state, net::Privacy privacy, std::size_t size) {
    const Elements added = random_elements(1'000, size, 4);
    bloom::BloomFilter petal = filter_of(privacy, {});
    CoreFilter core(petal);
    compare(
        state, added.size(),
        [&] {
            for (const auto& element : added) petal.insert(element);
        },
        [&] {
            for (const auto& element : added) core.insert(element);
        });
    if (!std::ranges::equal(petal.bytes(), core.bytes())) state.SkipWithError("the two disagree");
}

/// Hashes of keys, txids and output keys, public keys, outpoints.
constexpr std::array<std::size_t, 4> kElementSizes{20, 32, 33, 36};

[[maybe_unused]] const bool kRegistered = [] {
    using enum net::Privacy;
    for (const net::Privacy privacy : {fast, balanced, private_}) {
        for (const std::size_t size : kElementSizes) {
            const std::string suffix =
                "/" + std::string(key_of(privacy)) + "/" + std::to_string(size);
            const auto add = [&](const std::string& name, auto* function) {
                benchmark::RegisterBenchmark((name + suffix).c_str(), function, privacy, size);
            };
            add("lookup_of_foreign", lookup_of_foreign);
            add("lookup_of_own", lookup_of_own);
            add("insertion", insertion);
        }
    }
    return true;
}();

/// Two inputs and two outputs, like most payments from a segwit wallet: five elements to test.
chain::Transaction p2wpkh_payment(std::uint32_t seed) {
    const Elements hashes = random_elements(4, 20, seed);
    chain::Transaction transaction;
    for (std::size_t i = 0; i < 2; ++i) {
        chain::TxInput input;
        std::copy(hashes[i].begin(), hashes[i].end(), input.prevout.txid.bytes.begin());
        transaction.inputs.push_back(input);
        chain::Hash160 key_hash;
        std::copy(hashes[2 + i].begin(), hashes[2 + i].end(), key_hash.begin());
        transaction.outputs.push_back({100'000, chain::p2wpkh_script(key_hash)});
    }
    return transaction;
}

void match_foreign_payment(benchmark::State& state) {
    bloom::BloomFilter filter = filter_of(net::Privacy::balanced, {});
    const chain::Transaction payment = p2wpkh_payment(3);
    const chain::Txid txid = payment.txid();
    bool matched = true;
    for (auto _ : state) {
        matched = bloom::match_and_update(filter, payment, txid).matched;
        benchmark::DoNotOptimize(matched);
    }
    if (matched || filter != filter_of(net::Privacy::balanced, {}))
        state.SkipWithError("a foreign payment matched");
}
BENCHMARK(match_foreign_payment);

void match_own_payment(benchmark::State& state) {
    bloom::BloomFilter filter = filter_of(net::Privacy::balanced, {});
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
