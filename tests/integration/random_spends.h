/// Transactions of Bitcoin Core's wallet, to be judged by the regtest node and by Core.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "chain/transaction.h"

namespace petal::test {

/// A 1-of-2 multisig script of the public keys of the private keys 1 and 2.
inline constexpr std::string_view kBareMultisig =
    "51210279be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798"
    "2102c6047f9441ed7d6d3045406e95c07cd85c778e4b8cef3ca7abac09b95c709ee552ae";

class RandomSpends {
public:
    using Call =
        std::function<nlohmann::json(const std::string& method, const nlohmann::json& arguments)>;

    /// pick          returns a random number below the argument
    /// new_address   returns an address of the wallet
    RandomSpends(Call core, std::function<unsigned(unsigned)> pick,
                 std::function<std::string()> new_address)
        : core_(std::move(core)), pick_(std::move(pick)), new_address_(std::move(new_address)) {}

    /// A transaction signed by the wallet. Often invalid, because the coins may be spent already.
    /// Nothing if the wallet has no coins.
    std::optional<chain::Transaction> make();

private:
    struct Coin {
        nlohmann::json input;  ///< an input of createrawtransaction
        std::int64_t value = 0;
    };

    std::vector<Coin> unspent_coins();
    /// The coins that the wallet's unconfirmed transactions spend.
    std::vector<Coin> spent_coins();
    std::optional<nlohmann::json> draft();
    void change_before_signing(chain::Transaction& transaction);
    chain::Transaction signed_by_core(const chain::Transaction& transaction);
    void spoil(chain::Transaction& transaction);
    void spoil_amounts(chain::Transaction& transaction);
    void spoil_witness(chain::TxInput& input);
    std::size_t place_in(std::size_t size) { return pick_(static_cast<unsigned>(size)); }

    Call core_;
    std::function<unsigned(unsigned)> pick_;
    std::function<std::string()> new_address_;
};

}  // namespace petal::test
