// Measures a large filter in a file: how long insertion and look-ups take, and its rate beside the
// formula's. The elements are numbers, as eight bytes.
//
// usage: petal_bench_large_filter FILE EXPECTED RATE [INSERTED [LOOKUPS]]
//
// FILE is made for EXPECTED insertions at RATE, and removed at the end. INSERTED elements (default:
// EXPECTED) are inserted, then LOOKUPS (default: 20,000,000) elements looked up that were not.
#include <algorithm>
#include <array>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>

#include "bloom/large_filter_file.h"

namespace {

using namespace petal;
using Clock = std::chrono::steady_clock;

class NumberElement {
public:
    explicit NumberElement(std::uint64_t number) {
        for (chain::Byte& byte : bytes_) {
            byte = static_cast<chain::Byte>(number);
            number >>= 8;
        }
    }
    chain::ByteView view() const { return bytes_; }

private:
    std::array<chain::Byte, 8> bytes_;
};

double nanoseconds_each(Clock::time_point start, std::uint64_t count) {
    const std::chrono::duration<double, std::nano> taken = Clock::now() - start;
    return taken.count() / static_cast<double>(count);
}

std::uint64_t insert_all(bloom::LargeFilterFile& file, std::uint64_t count) {
    std::uint64_t surely_new = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        surely_new += file.insert(NumberElement(i).view()) ? 1U : 0U;
        if (i % 100'000'000 == 99'999'999) {
            std::fprintf(stderr, "%llu inserted\n", static_cast<unsigned long long>(i + 1));
        }
    }
    return surely_new;
}

std::uint64_t count_matches(const bloom::LargeFilter& filter, std::uint64_t first,
                            std::uint64_t count) {
    std::uint64_t matches = 0;
    for (std::uint64_t i = 0; i < count; ++i) {
        matches += filter.contains(NumberElement(first + i).view()) ? 1U : 0U;
    }
    return matches;
}

template <typename Number>
Number argument(int argc, char** argv, int index, Number otherwise) {
    if (index >= argc) return otherwise;
    const auto number = chain::parse_number<Number>(argv[index]);
    if (!number) throw std::runtime_error(std::string(argv[index]) + " is no number");
    return *number;
}

void measure(int argc, char** argv) {
    const std::filesystem::path path = argv[1];
    const auto expected = argument<std::uint64_t>(argc, argv, 2, 1);
    const auto rate = argument<double>(argc, argv, 3, bloom::kGeneralRate);
    const auto inserted = argument<std::uint64_t>(argc, argv, 4, expected);
    const auto lookups =
        std::max<std::uint64_t>(1, argument<std::uint64_t>(argc, argv, 5, 20'000'000));

    auto file = bloom::LargeFilterFile::create(path, expected, rate);
    const bloom::LargeFilter& filter = file.filter();
    const auto start = Clock::now();
    const std::uint64_t surely_new = insert_all(file, inserted);
    const double insertion_ns = nanoseconds_each(start, std::max<std::uint64_t>(1, inserted));
    const auto asked = Clock::now();
    const std::uint64_t matches = count_matches(filter, inserted, lookups);
    const double lookup_ns = nanoseconds_each(asked, lookups);
    std::uint64_t denied = 0;
    const std::uint64_t step = std::max<std::uint64_t>(1, inserted / 1'000'000);
    for (std::uint64_t i = 0; i < inserted; i += step) {
        denied += filter.contains(NumberElement(i).view()) ? 0U : 1U;
    }
    std::printf(
        "{\"bytes\":%llu,\"hash_functions\":%u,\"inserted\":%llu,\"surely_new\":%llu,"
        "\"insertion_ns\":%.1f,\"lookup_ns\":%.1f,\"fill\":%.6f,\"rate_measured\":%.4g,"
        "\"rate_by_bits\":%.4g,\"rate_by_formula\":%.4g,\"denied\":%llu}\n",
        static_cast<unsigned long long>(filter.size().bits / 8), filter.size().hash_functions,
        static_cast<unsigned long long>(inserted), static_cast<unsigned long long>(surely_new),
        insertion_ns, lookup_ns, filter.fill(),
        static_cast<double>(matches) / static_cast<double>(lookups), filter.false_positive_rate(),
        filter.size().expected_rate(inserted), static_cast<unsigned long long>(denied));
    std::filesystem::remove(path);
    if (denied != 0) throw std::runtime_error("elements are denied that were inserted");
}

}  // namespace

int main(int argc, char** argv) {
    if (argc < 4 || argc > 6) {
        std::fputs("usage: petal_bench_large_filter FILE EXPECTED RATE [INSERTED [LOOKUPS]]\n",
                   stderr);
        return 2;
    }
    try {
        measure(argc, argv);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "%s\n", error.what());
        return 1;
    }
}
