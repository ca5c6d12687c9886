#include "cli/wallet/payment_uri.h"

#include "cli/amount.h"

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

}  // namespace

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
