#include <utility>

#include "regtest/rpc/btc_amount.h"
#include "regtest/rpc/payment_arguments.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "regtest/rpc/wallet_methods/wallet_payment.h"

namespace petal::regtest::rpc {
namespace {

Json send(const WalletCall& call, wallets::NamedWallet& wallet, const PaymentOrder& order) {
    require_private_keys(wallet);
    const ChosenRate rate = choose_rate(call.wallets().options(), wallet.chain(), order.fee.rate);
    const chain::Txid txid = send_payment(call.wallets(), wallet, build_order(wallet, order, rate));
    if (!order.comment.empty()) wallet.keys()->set_label(txid, order.comment);
    if (!order.is_verbose) return txid.to_hex();
    return {{"txid", txid.to_hex()}, {"fee_reason", rate.reason}};
}

std::string optional_text(const Arguments& arguments, std::size_t position) {
    return arguments.has(position) ? arguments.text(position) : "";
}

Json send_to_address(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    const bool avoids_reuse = avoid_reuse(wallet, arguments, 8);
    return send(call, wallet,
                {parse_send_to_address(arguments), avoids_reuse, optional_text(arguments, 2)});
}

Json send_many(const WalletCall& call, const Arguments& arguments) {
    wallets::NamedWallet& wallet = call.wallet();
    return send(
        call, wallet,
        {parse_send_many(arguments), wallet.flags().avoids_reuse, optional_text(arguments, 3)});
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
