// Replays a wallet's receipts and payments, and compares the waste of petal's coin selection with
// that of single random draw and of largest first.
//
// usage: petal_bench_selection SCENARIO.csv [OPERATIONS]
//
// Each line of the scenario is an amount in bitcoin, which is received or (below 0) paid, a comma,
// and a fee rate in bitcoin per 1,000 vB.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <fstream>
#include <functional>
#include <random>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "chain/script/script.h"
#include "wallet/spending/coin_search.h"
#include "wallet/spending/coin_selection.h"
#include "wallet/spending/payment.h"
#include "wallet/spending/sizes.h"

namespace petal::wallet {
namespace {

using chain::Satoshis;

struct Operation {
    Satoshis amount = 0;  ///< a payment if below 0
    FeeRate rate{1'000};
};

std::vector<Operation> read_scenario(const std::string& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(file + ": can't be read");
    std::vector<Operation> operations;
    const auto satoshis = [](const std::string& btc) { return std::llround(std::stod(btc) * 1e8); };
    for (std::string line; std::getline(in, line);) {
        const std::size_t comma = line.find(',');
        if (comma == line.npos) throw std::runtime_error("no fee rate in: " + line);
        operations.push_back(
            {satoshis(line.substr(0, comma)), FeeRate{satoshis(line.substr(comma + 1))}});
    }
    return operations;
}

/// A P2WPKH script, a different one for each number.
chain::Bytes script_of(std::uint32_t number) {
    chain::Hash160 hash{};
    for (std::size_t i = 0; i < 4; ++i) hash[i] = static_cast<chain::Byte>(number >> (8 * i));
    return chain::p2wpkh_script(hash);
}

using Result = chain::Expected<Payment, PaymentFailure>;
using Strategy =
    std::function<Result(PaymentRequest, const std::vector<InputCoin>&, const RandomBits&)>;

/// Pays with the first coins in this order, and leaves this much for change if all coins allow it.
Result pay_in_order(PaymentRequest request, const std::vector<InputCoin>& order,
                    Satoshis wanted_change) {
    request.spends_all_given = true;
    const auto no_choice = [] { return std::uint64_t{0}; };
    std::vector<InputCoin> coins;
    Result result = chain::Unexpected(PaymentFailure{PaymentError::insufficient_funds});
    Satoshis effective = 0;
    for (const InputCoin& coin : order) {
        const Satoshis fee = request.fee_rate.fee_of_weight(input_weight(coin.form));
        if (coin.output.value <= fee) continue;
        effective += coin.output.value - fee;
        coins.push_back(coin);
        if (effective < request.recipients[0].amount) continue;
        result = build_payment(request, coins, no_choice);
        if (!result) continue;
        const auto& change = result->change_index;
        if (change && result->transaction.outputs[*change].value >= wanted_change) return result;
        if (wanted_change == 0) return result;
    }
    return result;
}

Result pay_by_random_draw(const PaymentRequest& request, std::vector<InputCoin> coins,
                          const RandomBits& random) {
    for (std::size_t left = coins.size(); left > 1; --left) {
        std::swap(coins[left - 1], coins[random_below(left, random)]);
    }
    return pay_in_order(request, coins, kLeastWantedChange);
}

Result pay_by_largest_first(const PaymentRequest& request, std::vector<InputCoin> coins,
                            const RandomBits& /*random*/) {
    std::ranges::stable_sort(coins, std::greater{},
                             [](const InputCoin& coin) { return coin.output.value; });
    return pay_in_order(request, coins, 0);
}

Satoshis spending_fee(const SpendForm& form, FeeRate rate) {
    return rate.fee_of_weight(input_weight(form));
}

/// See waste_of().
Satoshis waste_in(const Payment& payment, const PaymentRequest& request) {
    Satoshis waste = 0;
    for (const InputCoin& coin : payment.coins) {
        waste +=
            spending_fee(coin.form, request.fee_rate) - spending_fee(coin.form, kLongTermFeeRate);
    }
    if (!payment.change_index) {
        return waste + payment.fee - request.fee_rate.fee(payment.virtual_size);
    }
    return waste + request.fee_rate.fee_of_weight(output_weight(request.change.script_pubkey)) +
           spending_fee(request.change.form, kLongTermFeeRate);
}

/// A wallet that selects coins by one strategy.
class SimulatedWallet {
public:
    SimulatedWallet(const char* name, Strategy pay) : name_(name), pay_(std::move(pay)) {}

    void carry_out(const Operation& operation) {
        coins_seen_ += coins_.size();
        ++operations_;
        if (operation.amount < 0) return pay(operation);
        add({operation.amount, script_of(++scripts_)});
    }

    void print() const {
        Satoshis to_empty = 0;
        for (const InputCoin& coin : coins_) to_empty += spending_fee(coin.form, kLongTermFeeRate);
        const auto mean = [](auto sum, std::size_t count) {
            return static_cast<double>(sum) / static_cast<double>(std::max<std::size_t>(count, 1));
        };
        std::printf("%-20s %8zu %7zu %8.3f %9.1f %11zu %10lld %11lld %9.1f %6zu\n", name_,
                    payments_, refused_, mean(inputs_, payments_), mean(waste_, payments_),
                    changeless_, static_cast<long long>(fees_),
                    static_cast<long long>(fees_ + to_empty), mean(coins_seen_, operations_),
                    coins_.size());
    }

private:
    void add(chain::TxOutput output) {
        InputCoin& coin = coins_.emplace_back();
        coin.outpoint.index = ++outpoints_;
        coin.output = std::move(output);
    }

    void pay(const Operation& operation) {
        PaymentRequest request;
        request.recipients = {{script_of(0), -operation.amount}};
        request.fee_rate = operation.rate;
        request.change.script_pubkey = script_of(++scripts_);
        const auto payment = pay_(request, coins_, [this] { return random_(); });
        if (!payment) {
            ++refused_;
            return;
        }
        ++payments_;
        inputs_ += payment->coins.size();
        waste_ += waste_in(*payment, request);
        fees_ += payment->fee;
        for (const InputCoin& spent : payment->coins) std::erase(coins_, spent);
        if (!payment->change_index) {
            ++changeless_;
            return;
        }
        add(payment->transaction.outputs[*payment->change_index]);
    }

    const char* name_;
    Strategy pay_;
    std::mt19937_64 random_{1};
    std::vector<InputCoin> coins_;
    std::uint32_t scripts_ = 0;
    std::uint32_t outpoints_ = 0;
    std::size_t operations_ = 0;
    std::size_t coins_seen_ = 0;
    std::size_t payments_ = 0;
    std::size_t refused_ = 0;
    std::size_t inputs_ = 0;
    std::size_t changeless_ = 0;
    Satoshis waste_ = 0;
    Satoshis fees_ = 0;
};

void simulate(std::vector<Operation> operations, std::size_t most) {
    operations.resize(std::min(operations.size(), most));
    std::vector<SimulatedWallet> wallets{{"petal", build_payment},
                                         {"single random draw", pay_by_random_draw},
                                         {"largest first", pay_by_largest_first}};
    for (const Operation& operation : operations) {
        for (SimulatedWallet& wallet : wallets) wallet.carry_out(operation);
    }
    std::printf("%-20s %8s %7s %8s %9s %11s %10s %11s %9s %6s\n", "", "payments", "refused",
                "inputs", "waste_sat", "changeless", "fees_sat", "to_end_sat", "coins", "left");
    for (const SimulatedWallet& wallet : wallets) wallet.print();
}

}  // namespace
}  // namespace petal::wallet

int main(int count, char** arguments) {
    if (count != 2 && count != 3) {
        std::fputs("usage: petal_bench_selection SCENARIO.csv [OPERATIONS]\n", stderr);
        return 2;
    }
    try {
        const std::size_t most = count == 3 ? std::stoul(arguments[2]) : SIZE_MAX;
        petal::wallet::simulate(petal::wallet::read_scenario(arguments[1]), most);
    } catch (const std::exception& error) {
        std::fprintf(stderr, "error: %s\n", error.what());
        return 1;
    }
    return 0;
}
