// Drops duplicate lines from a stream, as a crawler drops the addresses that it has already seen.
//
//     drop_duplicates LINES RATE < lines > first_occurrences
//
// LINES is the number of different lines to expect, RATE the share of new lines that may be dropped
// by mistake. The filter takes a few bytes a line, however long the lines are. Prints the measured
// error rate, and the one of the formula (bits set / bits)^functions, to standard error.
#include <charconv>
#include <cstddef>
#include <cstdio>
#include <iostream>
#include <string>
#include <string_view>

#include <petal/bloom/large_filter.h>
#include <petal/bloom/sizing.h>
#include <petal/chain/bytes.h>

namespace {

using namespace petal;

/// A set of lines. A BIP37 filter has room for some 20,000 lines at most, a large filter for any
/// number.
class SeenLines {
public:
    SeenLines(std::size_t lines, double rate)
        : size_(bloom::general_size(lines, rate)),
          bytes_(static_cast<std::size_t>(size_.bits / 8)),
          filter_(bytes_, size_.hash_functions) {}

    /// Returns false if the line came before, and rarely for a line that did not.
    bool insert(std::string_view line) { return filter_.insert(chain::as_bytes(line)); }

    std::size_t bytes() const { return bytes_.size(); }
    /// Of the filter as it is, by the bits that are set.
    double expected_rate() const { return filter_.false_positive_rate(); }

    /// Asks for lines that cannot be in the stream, as they contain a line feed.
    double measured_rate() const {
        constexpr int kQuestions = 1'000'000;
        int mistaken = 0;
        for (int i = 0; i < kQuestions; ++i) {
            mistaken += filter_.contains(chain::as_bytes("\n" + std::to_string(i))) ? 1 : 0;
        }
        return static_cast<double>(mistaken) / kQuestions;
    }

private:
    bloom::GeneralSize size_;
    chain::Bytes bytes_;
    bloom::LargeFilter filter_;
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
        if (!seen.insert(line)) continue;
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
    std::cerr << read << " lines, " << kept << " kept, in a filter of " << seen.bytes()
              << " bytes\n"
              << "error rate: " << seen.measured_rate() << " measured, " << seen.expected_rate()
              << " by the formula\n";
}
