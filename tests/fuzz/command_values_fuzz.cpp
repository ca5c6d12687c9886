// Amounts, elements, dates, peers and payment links as users and web pages write them: what is
// accepted keeps its bounds, and reads back as what it was written as.
#include <cassert>
#include <cstdint>
#include <string_view>

#include "cli/amount.h"
#include "cli/filter/element.h"
#include "cli/options/option_values.h"
#include "cli/text.h"
#include "cli/wallet/payment_uri.h"
#include "net/io/dial/endpoint.h"

namespace {

void check_amount(std::string_view text) {
    const auto amount = petal::cli::parse_amount(text);
    if (!amount) return;
    assert(*amount >= 0 && *amount <= petal::chain::kMaxMoney);
    assert(*petal::cli::parse_amount(petal::cli::format_btc(*amount)) == *amount);
    assert(*petal::cli::parse_amount(petal::cli::format_btc_short(*amount)) == *amount);
}

void check_payment_uri(std::string_view text) {
    const auto uri = petal::cli::parse_payment_uri(text);
    if (!uri) {
        assert(!petal::cli::describe(uri.error()).empty());
        return;
    }
    assert(petal::cli::is_payment_uri(text) && !uri->address.empty());
    const auto again = petal::cli::parse_payment_uri(
        petal::cli::payment_uri(uri->address, uri->amount, uri->label));
    assert(again && again->address == uri->address && again->label == uri->label);
    assert(again->amount == uri->amount);
}

void check_endpoint(std::string_view text) {
    const auto endpoint = petal::net::parse_endpoint(text, 8'333);
    if (!endpoint) {
        assert(!petal::net::describe(endpoint.error()).empty());
        return;
    }
    assert(!endpoint->host.empty() && endpoint->host.size() <= 253 && endpoint->port != 0);
    const auto again = petal::net::parse_endpoint(petal::net::to_string(*endpoint), 1);
    assert(again && *again == *endpoint);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_amount(text);
    check_payment_uri(text);
    check_endpoint(text);
    (void)petal::cli::parse_chainwork(text);
    for (const auto& network : petal::chain::all_networks()) {
        const auto element = petal::cli::parse_element(text, network);
        assert(!element || (!element->empty() && element->size() <= size));
    }
    const auto birthday = petal::cli::parse_birthday(text, 1'800'000'000);
    assert(!birthday || birthday->height == 0 || birthday->time == 0);
    assert(!petal::cli::is_wallet_name(text) || text.find('/') == std::string_view::npos);
    const std::string shown = petal::cli::printable(text);
    for (const char c : shown) assert(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    return 0;
}
