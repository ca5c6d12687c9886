#include "cli/options/fee_terms.h"

#include <CLI/CLI.hpp>
#include <string>

#include "cli/options/option_values.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"

namespace petal::cli {

namespace {

std::string text_above(chain::Satoshis limit, const FeeToCheck& checked,
                       const wallet::FeeTerms& terms) {
    const std::string above = "the fee of " + format_btc(checked.fee) + " BTC is above ";
    if (terms.highest_fee) return above + "--max-fee, " + format_btc(limit) + " BTC";
    return above + "the limit of " + format_btc(limit) +
           " BTC for this payment; --max-fee AMOUNT sets another limit" +
           (checked.paid ? ", --accept-fee accepts any fee" : "");
}

std::optional<chain::Satoshis> exceeded_limit(const FeeToCheck& checked,
                                              const wallet::FeeTerms& terms) {
    return wallet::exceeded_limit(checked.fee, checked.virtual_size, checked.paid, terms);
}

}  // namespace

void add_max_fee(CLI::App* app, wallet::FeeTerms& terms, const char* description) {
    app->add_option_function<std::string>(
           "--max-fee",
           [&terms](const std::string& text) { terms.highest_fee = *parse_amount(text); },
           description)
        ->type_name("AMOUNT")
        ->check(positive_amount());
}

void add_fee_terms(CLI::App* app, wallet::FeeTerms& terms) {
    add_max_fee(app, terms,
                "refuse a fee above AMOUNT (default: above 10,000 sat and a tenth of the "
                "payment, 10,000 sat/vB, or 0.1 BTC)");
    app->add_flag("--accept-fee", terms.accepts_any_fee, "accept any fee")->excludes("--max-fee");
}

std::optional<std::string> absurd_fee_text(const FeeToCheck& checked,
                                           const wallet::FeeTerms& terms) {
    const auto limit = exceeded_limit(checked, terms);
    return limit ? std::optional(text_above(*limit, checked, terms)) : std::nullopt;
}

void check_fee(const FeeToCheck& checked, const wallet::FeeTerms& terms) {
    const auto limit = exceeded_limit(checked, terms);
    if (!limit) return;
    CommandError error(ExitStatus::failed, "absurd-fee",
                       text_above(*limit, checked, terms) + "; nothing was sent or signed");
    error.set_details({{"fee_sat", checked.fee}, {"max_fee_sat", *limit}});
    throw error;
}

}  // namespace petal::cli
