/// The options of listunspent that choose coins.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "chain/transaction.h"
#include "chain/transaction_rules.h"
#include "regtest/rpc/rpc_json.h"

namespace petal::regtest::rpc {

/// Which coins to list, apart from the number of confirmations.
struct CoinChoice {
    chain::Satoshis least_value = 0;
    chain::Satoshis most_value = chain::kMaxMoney;
    chain::Satoshis least_total = chain::kMaxMoney;  ///< the list ends once it has this sum
    std::int64_t most_coins = 0;                     ///< 0: no limit
    bool has_immature = false;
};

/// The names of the options.
std::vector<std::string_view> coin_choice_names();

/// Throws `wrong_type`.
CoinChoice parse_coin_choice(const Json& options);

/// Throws `wrong_type` unless the option is null, missing or of this type.
void check_option(const Json& options, const char* name, std::string_view type);

}  // namespace petal::regtest::rpc
