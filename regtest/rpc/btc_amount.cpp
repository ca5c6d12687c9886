#include "regtest/rpc/btc_amount.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

namespace petal::regtest::rpc {
namespace {

constexpr auto kSatoshisPerBitcoin = static_cast<double>(chain::kSatoshisPerBitcoin);
constexpr std::int64_t kDecimals = 8;
constexpr std::int64_t kDecimalsOfFeeRate = 3;
/// Numbers with more digits are refused.
constexpr std::int64_t kMaxDigits = 18;

bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/// Removes and returns the digits at the front of `rest`.
std::string_view take_digits(std::string_view& rest) {
    const auto end = std::find_if_not(rest.begin(), rest.end(), is_digit);
    const auto digits = rest.substr(0, static_cast<std::size_t>(end - rest.begin()));
    rest.remove_prefix(digits.size());
    return digits;
}

/// Removes the first character of `rest` if it is in `any_of`.
bool take(std::string_view& rest, std::string_view any_of) {
    if (rest.empty() || any_of.find(rest.front()) == std::string_view::npos) return false;
    rest.remove_prefix(1);
    return true;
}

/// An exponent such as `e+5`. 0 if there is none. Empty if it is malformed or too large for any
/// amount.
std::optional<std::int64_t> take_exponent(std::string_view& rest) {
    if (!take(rest, "eE")) return 0;
    const bool is_negative = rest.starts_with('-');
    take(rest, "+-");
    std::string_view digits = take_digits(rest);
    if (digits.empty()) return std::nullopt;
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    if (digits.size() > static_cast<std::size_t>(kMaxDigits)) return std::nullopt;
    std::int64_t exponent = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), exponent);
    return is_negative ? -exponent : exponent;
}

/// A number as digits and a power of ten.
struct Decimal {
    bool is_negative = false;
    std::string digits;         ///< no leading or trailing 0, empty for zero
    std::int64_t exponent = 0;  ///< of the last digit (for zero, as written)
};

/// Empty if the text is not a JSON number.
std::optional<Decimal> parse_decimal(std::string_view text) {
    Decimal number;
    number.is_negative = take(text, "-");
    const std::string_view whole = take_digits(text);
    if (whole.empty() || (whole.size() > 1 && whole.front() == '0')) return std::nullopt;
    std::string_view fraction;
    if (take(text, ".")) {
        fraction = take_digits(text);
        if (fraction.empty()) return std::nullopt;
    }
    const auto exponent = take_exponent(text);
    if (!exponent || !text.empty()) return std::nullopt;
    number.digits = std::string(whole) + std::string(fraction);
    number.exponent = *exponent - static_cast<std::int64_t>(fraction.size());
    while (number.digits.ends_with('0')) {
        number.digits.pop_back();
        ++number.exponent;
    }
    number.digits.erase(0, number.digits.find_first_not_of('0'));
    if (number.digits.empty()) number.exponent = *exponent;
    return number;
}

std::string text_of_number(const Json& number) {
    if (!number.is_number_float()) return number.dump();
    return btc_text(number.get<double>()).value_or("");
}

/// The number in units of 10^-decimals. Empty for text that is not a JSON number, is finer than a
/// unit, or has more than kMaxDigits.
std::optional<std::int64_t> parse_units(std::string_view text, std::int64_t decimals) {
    auto number = parse_decimal(text);
    if (!number) return std::nullopt;
    const std::int64_t zeros = number->exponent + decimals;
    const auto digits = static_cast<std::int64_t>(number->digits.size());
    if (zeros < 0 || zeros >= kMaxDigits || digits + zeros > kMaxDigits) return std::nullopt;
    if (digits == 0) return 0;
    number->digits.append(static_cast<std::size_t>(zeros), '0');
    const std::int64_t value = std::stoll(number->digits);
    return number->is_negative ? -value : value;
}

/// Bitcoin Core: AmountFromValue.
std::int64_t parse_amount(const Json& value, std::int64_t decimals) {
    if (!value.is_number() && !value.is_string()) {
        throw RpcError(RpcCode::wrong_type, "Amount is not a number or string");
    }
    const auto amount = parse_units(
        value.is_string() ? value.get_ref<const std::string&>() : text_of_number(value), decimals);
    if (!amount) throw RpcError(RpcCode::wrong_type, "Invalid amount");
    if (*amount < 0 || *amount > chain::kMaxMoney) {
        throw RpcError(RpcCode::wrong_type, "Amount out of range");
    }
    return *amount;
}

}  // namespace

Json btc_json(chain::Satoshis amount) {
    return static_cast<double>(amount) / kSatoshisPerBitcoin;
}

std::optional<chain::Satoshis> parse_btc_text(std::string_view text) {
    return parse_units(text, kDecimals);
}

std::optional<std::string> btc_text(double bitcoin) {
    constexpr double kTooMuch = 1e10;
    const bool is_amount = std::abs(bitcoin) < kTooMuch;  // false for NaN
    // Only the double nearest to an amount with eight decimals is unchanged by rounding.
    if (!is_amount || std::round(bitcoin * kSatoshisPerBitcoin) / kSatoshisPerBitcoin != bitcoin) {
        return std::nullopt;
    }
    std::array<char, 32> text{};
    const auto [end, error] = std::to_chars(text.data(), text.data() + text.size(), bitcoin,
                                            std::chars_format::fixed, int{kDecimals});
    return std::string(text.data(), end);
}

chain::Satoshis parse_btc(const Json& value) {
    return parse_amount(value, kDecimals);
}

chain::Satoshis parse_fee_rate(const Json& value) {
    return parse_amount(value, kDecimalsOfFeeRate);
}

}  // namespace petal::regtest::rpc
