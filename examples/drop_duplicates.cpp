// Drops duplicate lines from a stream, as a crawler drops the addresses that it has already seen.
//
//     drop_duplicates LINES RATE < lines > first_occurrences
//
// LINES is the number of different lines to expect, RATE the share of new lines that may be dropped
// by mistake. The filters take a few bytes a line, however long the lines are. Prints the measured
// error rate and the one that the formula predicts to standard error.
#include <cstddef>
#include <cstdlib>
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
        inserted_.assign(filters, 0);
    }

    bool contains(std::string_view line) const {
        return filters_[place_of(line)].contains(chain::as_bytes(line));
    }
    void insert(std::string_view line) {
        filters_[place_of(line)].insert(chain::as_bytes(line));
        ++inserted_[place_of(line)];
    }

    std::size_t bytes() const { return filters_.size() * size_.bytes; }

    /// The expected rate of filters of this size with this number of lines.
    double expected_rate() const {
        double sum = 0;
        for (const std::size_t lines : inserted_) {
            sum += bloom::expected_false_positive_rate(size_, lines);
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
    std::vector<std::size_t> inserted_;  // into each filter
};

}  // namespace

int main(int argc, char** argv) {
    const long long lines = argc == 3 ? std::atoll(argv[1]) : 0;
    const double rate = argc == 3 ? std::atof(argv[2]) : 0;
    if (lines <= 0 || rate <= 0 || rate >= 1) {
        std::cerr << "usage: drop_duplicates LINES RATE < lines > first_occurrences\n";
        return 2;
    }

    SeenLines seen(static_cast<std::size_t>(lines), rate);
    std::size_t read = 0;
    std::size_t kept = 0;
    for (std::string line; std::getline(std::cin, line); ++read) {
        if (seen.contains(line)) continue;
        seen.insert(line);
        std::cout << line << '\n';
        ++kept;
    }
    std::cerr << read << " lines, " << kept << " kept, in filters of " << seen.bytes() << " bytes\n"
              << "error rate: " << seen.measured_rate() << " measured, " << seen.expected_rate()
              << " by the formula\n";
}
