// Amounts, elements and dates as users write them: what is accepted keeps its bounds, and an amount
// reads back as what it was written as.
#include <cassert>
#include <cstdint>
#include <string_view>

#include "cli/amount.h"
#include "cli/filter/element.h"
#include "cli/options/option_values.h"
#include "cli/text.h"

namespace {

void check_amount(std::string_view text) {
    const auto amount = petal::cli::parse_amount(text);
    if (!amount) return;
    assert(*amount >= 0 && *amount <= petal::chain::kMaxMoney);
    assert(*petal::cli::parse_amount(petal::cli::format_btc(*amount)) == *amount);
    assert(*petal::cli::parse_amount(petal::cli::format_btc_short(*amount)) == *amount);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    check_amount(text);
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
