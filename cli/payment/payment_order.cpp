#include "cli/payment/payment_order.h"

#include <algorithm>
#include <cctype>

#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/payment_uri.h"
#include "cli/text/text.h"
#include "cli/wallet/address_commands.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

CommandError bad_input(std::string_view code, std::string_view input, std::string_view reason) {
    return {ExitStatus::failed, code, printable(input, 120) + ": " + std::string(reason)};
}

void refuse_swapped(std::string_view address, std::string_view amount,
                    const GlobalOptions& global) {
    const bool is_swapped = (address == "all" || parse_amount(address)) &&
                            wallet::parse_address(amount, *global.network);
    if (!is_swapped) return;
    throw usage_error("the address comes first: " + printable(amount, 120) + " " +
                      printable(address, 40));
}

std::string lower_case(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text;
}

/// Some wallets have other words for `all`. The error names `all`.
void refuse_other_all(std::string_view amount) {
    const std::string word = lower_case(std::string(amount));
    const bool is_meant = word == "all" || word == "max" || word == "!";
    if (is_meant && amount != "all") {
        throw bad_input("bad-amount", amount, "to send all coins, write all");
    }
}

/// Refuses `ADDRESS` and `ADDRESS 0.1 BTC`.
void refuse_wrong_count(const std::vector<std::string>& words, const GlobalOptions& global) {
    if (words.size() == 1 && wallet::parse_address(given_address(words[0]), *global.network)) {
        throw usage_error(
            "the amount is missing: give ADDRESS AMOUNT, with bitcoin as 0.001, satoshi as "
            "100000sat, or all");
    }
    if (words.size() != 3) return;
    const std::string unit = lower_case(words[2]);
    const bool is_bitcoin = unit == "btc" || unit == "bitcoin";
    const bool is_satoshi = unit == "sat" || unit == "sats" || unit == "satoshi";
    const std::string amount = words[1] + (is_satoshi ? "sat" : "");
    if ((is_bitcoin || is_satoshi) && parse_amount(amount)) {
        throw usage_error("the amount is one word: write " + amount);
    }
}

wallet::Recipient read_recipient(std::string_view address, std::string_view amount,
                                 const GlobalOptions& global) {
    refuse_swapped(address, amount, global);
    wallet::Recipient recipient;
    recipient.script_pubkey = given_script(address, *global.network);
    recipient.takes_rest = amount == "all";
    if (recipient.takes_rest) return recipient;
    refuse_other_all(amount);
    const auto value = parse_amount(amount);
    if (!value) throw bad_input("bad-amount", amount, describe(value.error()));
    recipient.amount = *value;
    return recipient;
}

PaymentOrder order_of_uri(const std::vector<std::string>& words, const GlobalOptions& global) {
    const auto uri = parse_payment_uri(words.front());
    if (!uri) throw bad_input("bad-uri", words.front(), describe(uri.error()));
    if (uri->amount && words.size() > 1) {
        throw usage_error("the payment link has an amount already");
    }
    if (!uri->amount && words.size() != 2) {
        throw usage_error("the payment link has no amount: give one after it");
    }
    PaymentOrder order;
    order.label = uri->label;
    order.message = uri->message;
    if (uri->amount) {
        order.recipients.push_back(
            {given_script(uri->address, *global.network), *uri->amount, false});
    } else {
        order.recipients.push_back(read_recipient(uri->address, words.back(), global));
    }
    return order;
}

void refuse_repeated(const std::vector<wallet::Recipient>& recipients) {
    std::vector<chain::Bytes> scripts;
    scripts.reserve(recipients.size());
    for (const wallet::Recipient& recipient : recipients) {
        scripts.push_back(recipient.script_pubkey);
    }
    std::ranges::sort(scripts);
    if (std::ranges::adjacent_find(scripts) != scripts.end()) {
        throw usage_error("an address is given twice; give it once, with the sum");
    }
}

}  // namespace

PaymentOrder read_payment_order(const std::vector<std::string>& words,
                                const GlobalOptions& global) {
    if (!words.empty() && is_payment_uri(words.front())) return order_of_uri(words, global);
    PaymentOrder order;
    const auto is_pair = [](const std::string& word) { return word.find('=') != word.npos; };
    if (!words.empty() && std::ranges::all_of(words, is_pair)) {
        for (const std::string& word : words) {
            const std::size_t equals = word.find('=');
            order.recipients.push_back(
                read_recipient(word.substr(0, equals), word.substr(equals + 1), global));
        }
    } else if (words.size() == 2 && std::ranges::none_of(words, is_pair)) {
        order.recipients.push_back(read_recipient(words[0], words[1], global));
    } else {
        refuse_wrong_count(words, global);
        throw usage_error(
            "give ADDRESS AMOUNT, or pairs ADDRESS=AMOUNT, or a payment link (bitcoin:...)");
    }
    refuse_repeated(order.recipients);
    return order;
}

wallet::FeeRate read_fee_rate(std::string_view text) {
    constexpr std::size_t kDecimals = 3;
    const std::size_t point = text.find('.');
    std::string digits(text.substr(0, point));
    std::string decimals(point == text.npos ? "" : text.substr(point + 1));
    const bool is_plain = !digits.empty() && digits.size() <= 7 && decimals.size() <= kDecimals &&
                          !text.ends_with('.');
    decimals.resize(std::max(decimals.size(), kDecimals), '0');
    digits += decimals;
    const bool is_number = std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; });
    const std::int64_t rate = is_plain && is_number ? std::stoll(digits) : 0;
    if (is_plain && is_number && rate == 0) {
        throw usage_error(
            "--fee-rate: no node relays a payment without a fee; give a rate in "
            "sat/vB, as 1 or 1.5");
    }
    if (rate <= 0 || rate > wallet::FeeRate::kMaxSatPerKvb) {
        throw usage_error("--fee-rate: " + printable(text, 40) +
                          " is not a number of sat/vB, as 2 or 1.5, up to 1000000");
    }
    return wallet::FeeRate{rate};
}

}  // namespace petal::cli
