#include "cli/text/amount.h"

#include <algorithm>
#include <array>
#include <cstdio>

#include "chain/enum_table.h"
#include "cli/text/text.h"

namespace petal::cli {
namespace {

constexpr std::size_t kDecimals = 8;

bool is_digits(std::string_view text) {
    return std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// Reads digits as a number. The number times `unit` must be at most kMaxMoney.
chain::Expected<chain::Satoshis, AmountError> parse_whole(std::string_view digits,
                                                          chain::Satoshis unit) {
    chain::Satoshis value = 0;
    for (const char digit : digits) {
        value = value * 10 + (digit - '0');
        if (value > chain::kMaxMoney / unit) return chain::Unexpected(AmountError::too_large);
    }
    return value * unit;
}

}  // namespace

std::string_view describe(AmountError error) {
    static constexpr auto kTexts = chain::enum_table<AmountError, std::string_view>({
        {AmountError::not_a_number,
         "not an amount: write bitcoin as 0.001, or satoshi as 100000sat"},
        {AmountError::too_many_decimals, "finer than one satoshi (eight decimals of a bitcoin)"},
        {AmountError::too_large, "more than 21 million bitcoin"},
    });
    return kTexts[error];
}

chain::Expected<chain::Satoshis, AmountError> parse_amount(std::string_view text) {
    constexpr std::string_view kSuffix = "sat";
    const bool in_satoshis = text.ends_with(kSuffix);
    if (in_satoshis) text.remove_suffix(kSuffix.size());
    while (in_satoshis && text.ends_with(' ')) text.remove_suffix(1);

    const std::size_t point = text.find('.');
    const std::string_view whole = text.substr(0, point);
    const std::string_view decimals =
        point == std::string_view::npos ? std::string_view{} : text.substr(point + 1);
    if (whole.empty() || !is_digits(whole) || !is_digits(decimals) || text.ends_with('.')) {
        return chain::Unexpected(AmountError::not_a_number);
    }
    if (in_satoshis) {
        if (!decimals.empty()) return chain::Unexpected(AmountError::too_many_decimals);
        return parse_whole(whole, 1);
    }
    if (decimals.size() > kDecimals) return chain::Unexpected(AmountError::too_many_decimals);
    const auto bitcoins = parse_whole(whole, chain::kSatoshisPerBitcoin);
    if (!bitcoins) return bitcoins;
    std::string fraction(decimals);
    fraction.resize(kDecimals, '0');
    const chain::Satoshis sum = *bitcoins + *parse_whole(fraction, 1);
    if (sum > chain::kMaxMoney) return chain::Unexpected(AmountError::too_large);
    return sum;
}

std::string format_btc(chain::Satoshis amount) {
    const bool negative = amount < 0;
    const chain::Satoshis magnitude = negative ? -amount : amount;
    char text[40];
    std::snprintf(text, sizeof text, "%s%lld.%08lld", negative ? "-" : "",
                  static_cast<long long>(magnitude / chain::kSatoshisPerBitcoin),
                  static_cast<long long>(magnitude % chain::kSatoshisPerBitcoin));
    return text;
}

std::string format_btc_short(chain::Satoshis amount) {
    std::string text = format_btc(amount);
    text.erase(text.find_last_not_of('0') + 1);
    if (text.ends_with('.')) text.pop_back();
    return text;
}

std::string fee_in_sat(chain::Satoshis fee) {
    const auto bits = static_cast<std::uint64_t>(fee);
    return (fee < 0 ? "-" + format_count(0 - bits) : format_count(bits)) + " sat";
}

double fee_rate_of(chain::Satoshis fee, std::size_t virtual_size) {
    return static_cast<double>(fee) / static_cast<double>(virtual_size);
}

std::string format_fee_rate(double sat_per_vb) {
    std::array<char, 340> text{};  // the longest double has 309 digits before the point
    std::snprintf(text.data(), text.size(), "%.2f sat/vB", sat_per_vb);
    return text.data();
}

}  // namespace petal::cli
