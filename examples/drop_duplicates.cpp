// Drops duplicate lines from a stream, as a crawler drops the addresses that it has already seen.
//
//     drop_duplicates LINES RATE < lines > first_occurrences
//
// LINES is the number of different lines to expect, RATE the share of new lines that may be dropped
// by mistake. The filters take a few bytes a line, however long the lines are. Prints the measured
// error rate and the one that the formula predicts to standard error.
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <functional>
#include <iostream>
#include <string>
#include <string_view>
#include <vector>

#include "bloom/bloom_filter.h"
#include "bloom/sizing.h"
#include "chain/bytes.h"

namespace {

using namespace petal;

/// A set of lines of unlimited size. A BIP37 filter has at most 36,000 bytes, so the lines are
/// divided among as many filters as necessary.
class SeenLines {
public:
    SeenLines(std::size_t lines, double rate) {
        std::size_t filters = 1;
        while (bloom::filter_size(lines / filters + 1, rate).capped) ++filters;
        size_ = bloom::filter_size(lines / filters + 1, rate);
        filters_.assign(filters, {size_, /*tweak=*/0, bloom::UpdateMode::none});
        different_.assign(filters, 0);
    }

    bool contains(std::string_view line) const {
        return filters_[place_of(line)].contains(chain::as_bytes(line));
    }
    void insert(std::string_view line) {
        bloom::BloomFilter& filter = filters_[place_of(line)];
        // On average, so many different lines came for each that was inserted. The others were
        // dropped by mistake, and would have set no bit.
        different_[place_of(line)] += 1 / (1 - filter.false_positive_rate());
        filter.insert(chain::as_bytes(line));
    }

    std::size_t bytes() const { return filters_.size() * size_.bytes; }

    /// The expected rate of filters of this size with this number of different lines.
    double expected_rate() const {
        double sum = 0;
        for (const double lines : different_) {
            sum += bloom::expected_false_positive_rate(
                size_, static_cast<std::size_t>(std::llround(lines)));
        }
        return sum / static_cast<double>(filters_.size());
    }

    /// Asks for lines that cannot be in the stream, as they contain a line feed.
    double measured_rate() const {
        constexpr int kQuestions = 1'000'000;
        int mistaken = 0;
        for (int i = 0; i < kQuestions; ++i) mistaken += contains("\n" + std::to_string(i)) ? 1 : 0;
        return static_cast<double>(mistaken) / kQuestions;
    }

private:
    std::size_t place_of(std::string_view line) const {
        return std::hash<std::string_view>{}(line) % filters_.size();
    }

    bloom::FilterSize size_;
    std::vector<bloom::BloomFilter> filters_;
    std::vector<double> different_;  // lines that each filter was asked for
};

/// Whether the whole text is a number, which is stored.
template <typename Number>
bool read_number(std::string_view text, Number& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

constexpr std::size_t kMostLines = 1'000'000'000;
constexpr double kLowestRate = 1e-9;

}  // namespace

int main(int argc, char** argv) {
    std::size_t lines = 0;
    double rate = 0;
    const bool is_read = argc == 3 && read_number(argv[1], lines) && read_number(argv[2], rate);
    if (!is_read || lines < 1 || lines > kMostLines || !(rate >= kLowestRate && rate < 1)) {
        std::cerr << "usage: drop_duplicates LINES RATE < lines > first_occurrences\n"
                     "LINES is 1 to 1,000,000,000; RATE is below 1, and 1e-9 at least.\n";
        return 2;
    }

    SeenLines seen(lines, rate);
    std::size_t read = 0;
    std::size_t kept = 0;
    for (std::string line; std::getline(std::cin, line); ++read) {
        if (seen.contains(line)) continue;
        seen.insert(line);
        std::cout << line << '\n';
        ++kept;
    }
    if (std::ferror(stdin) != 0) {
        std::cerr << "cannot read the lines\n";
        return 1;
    }
    if (!std::cout.flush()) {
        std::cerr << "cannot write the lines\n";
        return 1;
    }
    std::cerr << read << " lines, " << kept << " kept, in filters of " << seen.bytes() << " bytes\n"
              << "error rate: " << seen.measured_rate() << " measured, " << seen.expected_rate()
              << " by the formula\n";
}
