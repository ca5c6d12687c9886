#include "cli/text/hex_text.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "chain/enum_table.h"

namespace petal::cli {
namespace {

bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

bool is_hex_digit(char c) {
    return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

}  // namespace

std::string_view describe(HexError error) {
    using enum HexError;
    static constexpr auto kTexts = chain::enum_table<HexError, std::string_view>({
        {empty, "it is empty"},
        {prefix, "it begins with 0x: leave that out"},
        {not_hex, "it is not hexadecimal"},
        {odd_digits, "it has an odd number of hexadecimal digits"},
    });
    return kTexts[error];
}

chain::Expected<chain::Bytes, HexError> parse_hex_text(std::string_view text) {
    std::string digits;
    digits.reserve(text.size());
    std::ranges::copy_if(text, std::back_inserter(digits), [](char c) { return !is_space(c); });
    if (digits.empty()) return chain::Unexpected(HexError::empty);
    if (digits.starts_with("0x") || digits.starts_with("0X")) {
        return chain::Unexpected(HexError::prefix);
    }
    if (!std::ranges::all_of(digits, is_hex_digit)) return chain::Unexpected(HexError::not_hex);
    const auto bytes = chain::from_hex(digits);
    if (!bytes) return chain::Unexpected(HexError::odd_digits);
    return *bytes;
}

bool is_hex_text(std::string_view content) {
    return std::ranges::all_of(content, [](char c) { return is_space(c) || is_hex_digit(c); });
}

}  // namespace petal::cli
