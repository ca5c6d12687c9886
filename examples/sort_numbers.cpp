// Sorts numbers without comparing them, and finds duplicates, in a quarter of a byte a number.
//
//     sort_numbers LIMIT < numbers > sorted
//
// LIMIT is above every number. A map has two bits for each number below it: 00 for a number that
// did not come, 01 for once, 10 for twice, 11 for more often. Prints the different numbers in
// ascending order, one a line. Behind a number that came several times stands "twice" or "often".
// If the numbers are distinct, one bit for each suffices (bloom::Bitmap).
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <iostream>
#include <string>
#include <string_view>

#include <petal/bloom/packed_counters.h>

namespace {

using namespace petal;

constexpr std::size_t kMostNumbers = std::size_t{1} << 32;  // in a gigabyte

/// Whether the whole text is a number, which is stored.
bool read_number(std::string_view text, std::size_t& number) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc{} && end == text.data() + text.size();
}

std::string_view how_often(std::uint8_t count) {
    if (count == 1) return "";
    return count == 2 ? " twice" : " often";
}

}  // namespace

int main(int argc, char** argv) {
    std::size_t limit = 0;
    if (argc != 2 || !read_number(argv[1], limit) || limit < 1 || limit > kMostNumbers) {
        std::cerr << "usage: sort_numbers LIMIT < numbers > sorted\n"
                     "LIMIT is 1 to 2^32, above every number.\n";
        return 2;
    }

    bloom::TwoBitMap numbers(limit);
    std::size_t read = 0;
    std::size_t repeated = 0;
    for (std::string line; std::getline(std::cin, line); ++read) {
        std::size_t number = 0;
        if (!read_number(line, number) || number >= limit) {
            std::cerr << "line " << read + 1 << " is no number below " << limit << '\n';
            return 1;
        }
        if (numbers.add(number) == 1) ++repeated;
    }
    std::size_t different = 0;
    numbers.visit_counted([&different](std::size_t number, std::uint8_t count) {
        std::cout << number << how_often(count) << '\n';
        ++different;
    });
    if (!std::cout.flush()) {
        std::cerr << "cannot write the numbers\n";
        return 1;
    }
    std::cerr << read << " numbers, " << different << " different, " << repeated
              << " several times, in " << numbers.bytes() << " bytes\n";
}
