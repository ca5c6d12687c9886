#include "chain/script/script_number.h"

#include <algorithm>

namespace petal::chain {

namespace {

constexpr unsigned kSignBit = 0x80;  // of the last byte
constexpr unsigned kMagnitudeBits = 0x7f;

// The last byte is needed if it has more than the sign, or if the sign has no room below it.
bool is_shortest(ByteView item) {
    if (item.empty() || (item.back() & kMagnitudeBits) != 0) return true;
    return item.size() > 1 && (item[item.size() - 2] & kSignBit) != 0;
}

}  // namespace

std::optional<std::int64_t> read_script_number(ByteView item, bool minimal, std::size_t max_bytes) {
    if (item.size() > max_bytes || (minimal && !is_shortest(item))) return std::nullopt;
    if (item.empty()) return 0;
    std::uint64_t magnitude = 0;
    for (std::size_t i = 0; i < item.size(); ++i) {
        const bool is_last = i + 1 == item.size();
        magnitude |= std::uint64_t{is_last ? item[i] & kMagnitudeBits : item[i]} << (8 * i);
    }
    const auto number = static_cast<std::int64_t>(magnitude);
    return (item.back() & kSignBit) != 0 ? -number : number;
}

Bytes write_script_number(std::int64_t number) {
    const auto pattern = static_cast<std::uint64_t>(number);
    Bytes digits;
    for (std::uint64_t rest = number < 0 ? 0 - pattern : pattern; rest != 0; rest >>= 8U) {
        digits.push_back(static_cast<Byte>(rest & 0xffU));
    }
    // The top bit is the sign, so a magnitude with the top bit set needs one more byte.
    if (!digits.empty() && (digits.back() & kSignBit) != 0) digits.push_back(0);
    if (number < 0) digits.back() = static_cast<Byte>(digits.back() | kSignBit);
    return digits;
}

bool is_true(ByteView item) {
    if (item.empty()) return false;
    const auto is_zero = [](Byte byte) { return byte == 0; };
    const bool rest_is_zero = std::ranges::all_of(item.first(item.size() - 1), is_zero);
    return !rest_is_zero || (item.back() & kMagnitudeBits) != 0;
}

}  // namespace petal::chain
