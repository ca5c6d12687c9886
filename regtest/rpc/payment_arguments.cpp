#include "regtest/rpc/payment_arguments.h"

#include <iterator>
#include <set>

#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/output_script.h"

namespace petal::regtest::rpc {
namespace {

RpcError wrong_fee_from(const std::string& message) {
    return {RpcCode::invalid_parameter, "Invalid parameter 'subtract fee from output', " + message};
}

/// The position of an output from which the fee is subtracted.
/// chosen   an address in `amounts`, or the position itself
std::int64_t position_of(const Json& amounts, const Json& chosen) {
    if (chosen.is_number()) return Arguments::whole_number(chosen);
    if (!chosen.is_string()) {
        throw wrong_fee_from("invalid value type: " + std::string(chosen.type_name()));
    }
    const auto& address = chosen.get_ref<const std::string&>();
    const auto found = amounts.find(address);
    if (found == amounts.end()) {
        throw wrong_fee_from("destination " + address + " not found in tx outputs");
    }
    return std::distance(amounts.begin(), found);
}

}  // namespace

std::vector<chain::TxOutput> parse_outputs(const Json& amounts) {
    std::vector<chain::TxOutput> outputs;
    std::set<chain::Bytes> scripts;
    for (const auto& [address, amount] : amounts.items()) {
        const chain::Satoshis value = parse_btc(amount);
        auto script = script_of_address(address, "Invalid Bitcoin address: " + address);
        if (!scripts.insert(script).second) {
            throw RpcError(RpcCode::invalid_parameter,
                           "Invalid parameter, duplicated address: " + address);
        }
        outputs.push_back({value, std::move(script)});
    }
    return outputs;
}

std::vector<std::size_t> parse_fee_from(const Json& amounts, const Json& chosen) {
    std::set<std::size_t> positions;
    for (const Json& one : chosen) {
        const std::int64_t position = position_of(amounts, one);
        const std::string text = std::to_string(position);
        if (position < 0) throw wrong_fee_from("negative position: " + text);
        if (position >= std::ssize(amounts)) {
            throw wrong_fee_from("position too large: " + text);
        }
        if (!positions.insert(static_cast<std::size_t>(position)).second) {
            throw wrong_fee_from("duplicated position: " + text);
        }
    }
    return {positions.begin(), positions.end()};
}

PaymentArguments parse_send_to_address(const Arguments& arguments) {
    PaymentArguments payment;
    payment.fee = parse_fee_choice(arguments, {5, 6, 7, 9});
    if (arguments.boolean(4, false)) payment.fee_from = {0};
    payment.outputs = parse_outputs(Json::object({{arguments.text(0), arguments.at(1)}}));
    payment.is_verbose = arguments.boolean(10, false);
    return payment;
}

PaymentArguments parse_send_many(const Arguments& arguments) {
    if (arguments.has(0) && !arguments.text(0).empty()) {
        throw RpcError(RpcCode::invalid_parameter, "Dummy value must be set to \"\"");
    }
    PaymentArguments payment;
    payment.fee = parse_fee_choice(arguments, {5, 6, 7, 8});
    payment.outputs = parse_outputs(arguments.at(1));
    if (arguments.has(4)) payment.fee_from = parse_fee_from(arguments.at(1), arguments.at(4));
    payment.is_verbose = arguments.boolean(9, false);
    return payment;
}

}  // namespace petal::regtest::rpc
