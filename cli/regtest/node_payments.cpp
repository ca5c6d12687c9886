#include "cli/regtest/node_payments.h"

#include <stdexcept>

#include "chain/network_params.h"
#include "chain/script/dust.h"
#include "cli/amount.h"
#include "cli/command_error.h"
#include "cli/text.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

constexpr chain::Satoshis kUsualPayment = 100'000'000;

CommandError bad_payment(const std::string& code, const std::string& text, std::string_view what) {
    return {ExitStatus::failed, code, "--pay: " + printable(text, 120) + ": " + std::string(what)};
}

NodePayment parse_node_payment(const std::string& word) {
    const std::size_t equals = word.find('=');
    NodePayment payment{word.substr(0, equals), {}, kUsualPayment, {}, 0};
    auto script = wallet::parse_address(payment.address, *chain::find_network("regtest"));
    if (!script) {
        throw bad_payment("bad-address", payment.address, wallet::describe(script.error()));
    }
    payment.script = *std::move(script);
    if (equals == std::string::npos) return payment;
    const std::string text = word.substr(equals + 1);
    const auto amount = parse_amount(text);
    if (!amount) throw bad_payment("bad-amount", text, describe(amount.error()));
    if (*amount < chain::dust_threshold(payment.script)) {
        throw bad_payment("dust", text, "is so little that no node relays it");
    }
    payment.amount = *amount;
    return payment;
}

}  // namespace

std::vector<NodePayment> parse_node_payments(const std::vector<std::string>& words) {
    std::vector<NodePayment> payments;
    payments.reserve(words.size());
    for (const std::string& word : words) payments.push_back(parse_node_payment(word));
    return payments;
}

void make_node_payments(std::vector<NodePayment>& payments, net::RegtestChain& chain) {
    for (NodePayment& payment : payments) {
        try {
            payment.txid = chain.pay(payment.script, payment.amount);
        } catch (const std::invalid_argument& error) {
            throw bad_payment("insufficient-funds", payment.address, error.what());
        }
        chain.mine();
        payment.height = chain.height();
    }
}

Json to_json(const std::vector<NodePayment>& payments) {
    Json json = Json::array();
    for (const NodePayment& payment : payments) {
        json.push_back({{"address", payment.address},
                        {"amount_sat", payment.amount},
                        {"txid", payment.txid.to_hex()},
                        {"height", payment.height}});
    }
    return json;
}

}  // namespace petal::cli
