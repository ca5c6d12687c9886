#include "regtest/rpc/coin_choice.h"

#include <algorithm>
#include <iterator>
#include <string>

#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/rpc_arguments.h"

namespace petal::regtest::rpc {
namespace {

constexpr std::string_view kCoinChoices[] = {"minimumAmount", "maximumAmount", "minimumSumAmount",
                                             "maximumCount", "include_immature_coinbase"};

}  // namespace

std::vector<std::string_view> coin_choice_names() {
    return {std::begin(kCoinChoices), std::end(kCoinChoices)};
}

void check_option(const Json& options, const char* name, std::string_view type) {
    const auto found = options.find(name);
    if (found == options.end() || found->is_null() || type_name(*found) == type) return;
    throw RpcError(RpcCode::wrong_type, "JSON value of type " + std::string(type_name(*found)) +
                                            " for field " + name + " is not of expected type " +
                                            std::string(type));
}

CoinChoice parse_coin_choice(const Json& options) {
    for (const auto& [name, value] : options.items()) {
        if (std::ranges::find(kCoinChoices, name) != std::end(kCoinChoices)) continue;
        throw RpcError(RpcCode::wrong_type, "Unexpected key " + name);
    }
    check_option(options, "maximumCount", "number");
    check_option(options, "include_immature_coinbase", "bool");
    CoinChoice choice;
    const auto value_of = [&options](const char* name) { return options.value(name, Json()); };
    const auto amount = [&](const char* name, chain::Satoshis otherwise) {
        return options.contains(name) ? parse_btc(options[name]) : otherwise;
    };
    choice.least_value = amount("minimumAmount", choice.least_value);
    choice.most_value = amount("maximumAmount", choice.most_value);
    choice.least_total = amount("minimumSumAmount", choice.least_total);
    const Json most_coins = value_of("maximumCount");
    if (!most_coins.is_null()) choice.most_coins = Arguments::whole_number(most_coins);
    choice.has_immature = value_of("include_immature_coinbase") == true;
    return choice;
}

}  // namespace petal::regtest::rpc
