#include "cli/regtest/node_payments.h"

#include <stdexcept>

#include "chain/network_params.h"
#include "chain/script/dust.h"
#include "cli/text/amount.h"
#include "cli/text/command_error.h"
#include "cli/text/payment_uri.h"
#include "cli/text/text.h"
#include "cli/text/text_encoding.h"
#include "cli/wallet/address_commands.h"
#include "wallet/descriptors/address.h"

namespace petal::cli {
namespace {

constexpr chain::Satoshis kUsualPayment = 100'000'000;

CommandError bad_payment(const std::string& code, const std::string& text, std::string_view what) {
    return {ExitStatus::failed, code, "--pay: " + printable(text, 120) + ": " + std::string(what)};
}

/// Reads a payment link. A text ADDRESS[=AMOUNT] becomes the address of a link.
PaymentUri link_of(const std::string& word) {
    if (!is_payment_uri(word)) {
        PaymentUri uri;
        uri.address = without_outer_blanks(word);
        return uri;
    }
    auto uri = parse_payment_uri(word);
    if (!uri) throw bad_payment("bad-uri", word, describe(uri.error()));
    return *std::move(uri);
}

NodePayment parse_node_payment(const std::string& word) {
    const PaymentUri given = link_of(word);
    const std::size_t equals = given.address.find('=');
    NodePayment payment{
        given.address.substr(0, equals), {}, given.amount.value_or(kUsualPayment), {}, 0};
    auto script = wallet::parse_address(payment.address, *chain::find_network("regtest"));
    if (!script) {
        throw bad_payment(
            "bad-address", payment.address,
            describe_address_error(script.error(), payment.address, "this node is on regtest",
                                   /*takes_network=*/false));
    }
    payment.script = *std::move(script);
    if (equals != std::string::npos) {
        const std::string text = given.address.substr(equals + 1);
        const auto amount = parse_amount(text);
        if (!amount) throw bad_payment("bad-amount", text, describe(amount.error()));
        payment.amount = *amount;
    }
    if (payment.amount < chain::dust_threshold(payment.script)) {
        throw bad_payment("dust", word, "is so little that no node relays it");
    }
    return payment;
}

}  // namespace

std::vector<NodePayment> parse_node_payments(const std::vector<std::string>& words) {
    std::vector<NodePayment> payments;
    payments.reserve(words.size());
    for (const std::string& word : words) payments.push_back(parse_node_payment(word));
    return payments;
}

void make_node_payments(std::vector<NodePayment>& payments, regtest::RegtestChain& chain) {
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
