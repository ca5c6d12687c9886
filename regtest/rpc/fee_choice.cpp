#include "regtest/rpc/fee_choice.h"

#include <algorithm>
#include <iterator>
#include <string>
#include <string_view>

#include "regtest/rpc/btc_amount.h"

namespace petal::regtest::rpc {
namespace {

constexpr std::int32_t kMaxTarget = 1'008;

std::string lower(std::string text) {
    for (char& c : text) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return text;
}

RpcError wrong_fee(const std::string& message) {
    return {RpcCode::invalid_parameter, message};
}

}  // namespace

void check_confirmation_target(const Arguments& arguments, std::size_t position) {
    const std::int32_t target = arguments.number(position);
    if (target >= 1 && target <= kMaxTarget) return;
    throw wrong_fee("Invalid conf_target, must be between 1 and 1008");
}

void check_estimate_mode(const Arguments& arguments, std::size_t position) {
    constexpr std::string_view kModes[] = {"unset", "economical", "conservative"};
    if (std::ranges::find(kModes, lower(arguments.text(position))) != std::end(kModes)) return;
    throw wrong_fee(
        "Invalid estimate_mode parameter, must be one of: \"unset\", \"economical\", "
        "\"conservative\"");
}

FeeChoice parse_fee_choice(const Arguments& arguments, const FeeParameters& places) {
    FeeChoice choice;
    choice.is_replaceable = arguments.boolean(places.replaceable, true);
    const bool has_target = arguments.has(places.target);
    const bool has_mode = arguments.has(places.mode);
    if (!arguments.has(places.rate)) {
        if (has_mode) check_estimate_mode(arguments, places.mode);
        if (has_target) check_confirmation_target(arguments, places.target);
        return choice;
    }
    if (has_target) {
        throw wrong_fee(
            "Cannot specify both conf_target and fee_rate. Please provide either a confirmation "
            "target in blocks for automatic fee estimation, or an explicit fee rate.");
    }
    if (has_mode && arguments.text(places.mode) != "unset") {
        throw wrong_fee("Cannot specify both estimate_mode and fee_rate");
    }
    choice.rate = parse_fee_rate(arguments.at(places.rate));
    return choice;
}

}  // namespace petal::regtest::rpc
