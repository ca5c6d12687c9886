#include <utility>

#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/payment_arguments.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "regtest/rpc/wallet_methods/wallet_payment.h"

namespace petal::regtest::rpc {
namespace {

Json send(const WalletCall& call, wallets::NamedWallet& wallet, const PaymentOrder& order,
          bool is_verbose) {
    require_private_keys(wallet);
    const ChosenRate rate = choose_rate(call.wallets().options(), wallet.chain(), order.fee.rate);
    const chain::Txid txid = send_payment(call.wallets(), wallet, build_order(wallet, order, rate));
    if (!order.comment.empty()) wallet.keys()->set_label(txid, order.comment);
    if (!is_verbose) return txid.to_hex();
    return {{"txid", txid.to_hex()}, {"fee_reason", rate.reason}};
}

std::string optional_text(const Arguments& arguments, std::size_t position) {
    return arguments.has(position) ? arguments.text(position) : "";
}

Json send_to_address(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    PaymentOrder order;
    order.comment = optional_text(arguments, 2);
    order.avoids_reuse = avoid_reuse(wallet, arguments, 8);
    order.fee = parse_fee_choice(arguments, {5, 6, 7, 9});
    if (arguments.boolean(4, false)) order.fee_from = {0};
    order.outputs = parse_outputs(Json::object({{arguments.text(0), arguments.at(1)}}));
    return send(call, wallet, order, arguments.boolean(10, false));
}

Json send_many(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    if (arguments.has(0) && !arguments.text(0).empty()) {
        throw RpcError(RpcCode::invalid_parameter, "Dummy value must be set to \"\"");
    }
    PaymentOrder order;
    order.comment = optional_text(arguments, 3);
    order.avoids_reuse = wallet.flags().avoids_reuse;
    order.fee = parse_fee_choice(arguments, {5, 6, 7, 8});
    order.outputs = parse_outputs(arguments.at(1));
    if (arguments.has(4)) order.fee_from = parse_fee_from(arguments.at(1), arguments.at(4));
    return send(call, wallet, order, arguments.boolean(9, false));
}

}  // namespace

std::vector<WalletMethod> wallet_payment_methods() {
    using enum ArgumentKind;
    return {
        {"sendtoaddress",
         {{"address", text},
          {"amount", amount},
          {"comment", text, false},
          {"comment_to", text, false},
          {"subtractfeefromamount", boolean, false},
          {"replaceable", boolean, false},
          {"conf_target", number, false},
          {"estimate_mode", text, false},
          {"avoid_reuse", boolean, false},
          {"fee_rate", amount, false},
          {"verbose", boolean, false}},
         send_to_address,
         "pays an address"},
        {"sendmany",
         {{"dummy", text, false},
          {"amounts", object},
          {"minconf", number, false},
          {"comment", text, false},
          {"subtractfeefrom", array, false},
          {"replaceable", boolean, false},
          {"conf_target", number, false},
          {"estimate_mode", text, false},
          {"fee_rate", amount, false},
          {"verbose", boolean, false}},
         send_many,
         "pays several addresses at once"},
    };
}

}  // namespace petal::regtest::rpc
