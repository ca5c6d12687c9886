#include "cli/text/payment_uri.h"

#include <algorithm>
#include <set>

#include "chain/enum_table.h"
#include "cli/text/amount.h"
#include "cli/text/text_encoding.h"

namespace petal::cli {
namespace {

bool is_unreserved(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '.' || c == '_' || c == '~';
}

std::string percent_encode(std::string_view text) {
    constexpr std::string_view kDigits = "0123456789ABCDEF";
    std::string encoded;
    for (const char c : text) {
        if (is_unreserved(c)) {
            encoded += c;
            continue;
        }
        const auto byte = static_cast<unsigned char>(c);
        encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
    }
    return encoded;
}

constexpr std::string_view kScheme = "bitcoin:";

char lower(char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

std::string lower(std::string text) {
    for (char& c : text) c = lower(c);
    return text;
}

std::optional<int> hex_digit(char c) {
    if (c >= '0' && c <= '9') return c - '0';
    if (lower(c) >= 'a' && lower(c) <= 'f') return lower(c) - 'a' + 10;
    return std::nullopt;
}

std::optional<std::string> percent_decode(std::string_view text) {
    std::string decoded;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (text[i] != '%') {
            decoded += text[i];
            continue;
        }
        if (text.size() - i < 3) return std::nullopt;
        const auto high = hex_digit(text[i + 1]);
        const auto low = hex_digit(text[i + 2]);
        if (!high || !low) return std::nullopt;
        decoded += static_cast<char>(*high * 16 + *low);
        i += 2;
    }
    return decoded;
}

/// Returns the text before the first `separator`. Removes that part and the separator.
std::string_view take_until(std::string_view& text, char separator) {
    const std::string_view part = text.substr(0, text.find(separator));
    text.remove_prefix(std::min(part.size() + 1, text.size()));
    return part;
}

/// An amount by BIP21's grammar. Digits may be missing before or behind the point.
std::optional<chain::Satoshis> amount_of_link(std::string text) {
    const bool has_several_points = std::ranges::count(text, '.') > 1;
    if (text.ends_with("sat") || text == "." || has_several_points) return std::nullopt;
    if (text.starts_with('.')) text.insert(0, 1, '0');
    if (text.ends_with('.')) text.pop_back();
    const auto amount = parse_amount(text);
    return amount ? std::optional(*amount) : std::nullopt;
}

/// Reads one parameter into the link.
///
/// name   decoded, in lower case
std::optional<PaymentUriError> read_parameter(std::string_view name, std::string_view value,
                                              PaymentUri& uri) {
    const auto decoded = percent_decode(value);
    if (!decoded) return PaymentUriError::bad_encoding;
    if (name == "amount") {
        uri.amount = amount_of_link(*decoded);
        if (!uri.amount) return PaymentUriError::bad_amount;
    } else if (name == "label") {
        uri.label = *decoded;
    } else if (name == "message") {
        uri.message = *decoded;
    } else if (name.starts_with("req-")) {
        return PaymentUriError::unknown_required;
    }
    return std::nullopt;
}

}  // namespace

std::string_view describe(PaymentUriError error) {
    using enum PaymentUriError;
    static constexpr auto kTexts = chain::enum_table<PaymentUriError, std::string_view>({
        {not_a_uri, "not a payment link (bitcoin:ADDRESS?amount=0.001)"},
        {bad_amount, "its amount is not bitcoin as a plain decimal, as 0.001"},
        {bad_encoding, "a percent sign without two hexadecimal digits"},
        {repeated, "a parameter is there twice"},
        {unknown_required, "it requires something that petal does not know (req-)"},
    });
    return kTexts[error];
}

bool is_payment_uri(std::string_view text) {
    text = without_outer_blanks(text);
    return text.size() >= kScheme.size() &&
           std::equal(kScheme.begin(), kScheme.end(), text.begin(),
                      [](char a, char b) { return a == lower(b); });
}

chain::Expected<PaymentUri, PaymentUriError> parse_payment_uri(std::string_view text) {
    if (!is_payment_uri(text)) return chain::Unexpected(PaymentUriError::not_a_uri);
    text = without_outer_blanks(text);
    text.remove_prefix(kScheme.size());
    PaymentUri uri;
    uri.address = without_outer_blanks(take_until(text, '?'));
    if (uri.address.empty()) return chain::Unexpected(PaymentUriError::not_a_uri);
    std::set<std::string> names;
    while (!text.empty()) {
        std::string_view value = take_until(text, '&');
        // Names may be in capitals: a link in capitals makes a smaller QR code.
        const auto decoded = percent_decode(take_until(value, '='));
        if (!decoded) return chain::Unexpected(PaymentUriError::bad_encoding);
        const std::string name = lower(*decoded);
        if (!names.insert(name).second) return chain::Unexpected(PaymentUriError::repeated);
        if (const auto error = read_parameter(name, value, uri)) return chain::Unexpected(*error);
    }
    return uri;
}

std::string payment_uri(std::string_view address, std::optional<chain::Satoshis> amount,
                        std::string_view label) {
    std::string uri = "bitcoin:" + std::string(address);
    char separator = '?';
    if (amount) {
        uri += separator + ("amount=" + format_btc_short(*amount));
        separator = '&';
    }
    if (!label.empty()) uri += separator + ("label=" + percent_encode(label));
    return uri;
}

}  // namespace petal::cli
