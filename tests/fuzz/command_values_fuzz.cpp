// Amounts, fee rates, elements, dates, peers, payments and corrections of a mnemonic as users and
// web pages write them: an accepted value keeps its bounds, and reads back as it was written.
#include <algorithm>
#include <cassert>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "cli/filter/input/element.h"
#include "cli/options/option_values.h"
#include "cli/payment/payment_order.h"
#include "cli/regtest/node_payments.h"
#include "cli/secrets/mnemonic_input.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/payment_uri.h"
#include "cli/text/text.h"
#include "client/data/data_folder.h"
#include "net/discovery/dns_seed_list.h"
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

void check_fee_rate(std::string_view text) {
    try {
        const auto rate = petal::cli::read_fee_rate(text).sat_per_kvb();
        assert(rate > 0 && rate <= petal::wallet::FeeRate::kMaxSatPerKvb);
    } catch (const petal::cli::CommandError&) {
    }
}

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream stream{std::string(text)};
    std::vector<std::string> words;
    for (std::string word; stream >> word;) words.push_back(word);
    return words;
}

void check_payments(std::string_view text) {
    using namespace petal;
    const std::vector<std::string> words = words_of(text);
    try {
        cli::GlobalOptions global;
        global.network = cli::table_network("regtest");
        for (const auto& recipient : cli::read_payment_order(words, global).recipients) {
            assert(!recipient.script_pubkey.empty());
            assert(recipient.amount >= 0 && recipient.amount <= chain::kMaxMoney);
        }
    } catch (const cli::CommandError&) {
    }
    try {
        for (const auto& payment : cli::parse_node_payments(words)) {
            assert(payment.amount > 0 && payment.amount <= chain::kMaxMoney);
        }
    } catch (const cli::CommandError&) {
    }
}

/// The first line has the words, the second line the changes to them.
void check_correction(std::string_view text) {
    using namespace petal::cli;
    const std::size_t end = std::min(text.find('\n'), text.size());
    const auto words = without_numbers(text.substr(0, end));
    const auto corrected =
        corrected_words(words, text.substr(std::min(end + 1, text.size())), 1 + text.size() % 25);
    assert(without_numbers(words) == words && without_numbers(corrected) == corrected);
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
    check_fee_rate(text);
    check_payments(text);
    check_correction(text);
    check_endpoint(text);
    (void)petal::cli::parse_chainwork(text);
    (void)petal::net::services_asked_of(text);
    for (const auto& network : petal::chain::all_networks()) {
        const auto element = petal::cli::parse_element(text, network);
        assert(!element || (!element->empty() && element->size() <= size));
    }
    const auto birthday = petal::cli::parse_birthday(text, 1'800'000'000);
    assert(!birthday || birthday->height == 0 || birthday->time == 0);
    assert(!petal::client::is_wallet_name(text) || text.find('/') == std::string_view::npos);
    const std::string shown = petal::cli::printable(text);
    for (const char c : shown) assert(static_cast<unsigned char>(c) >= 0x20 && c != 0x7f);
    return 0;
}
