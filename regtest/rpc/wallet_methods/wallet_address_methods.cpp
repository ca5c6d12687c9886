#include "regtest/rpc/address_type.h"
#include "regtest/rpc/regtest_network.h"
#include "regtest/rpc/wallet_method.h"
#include "regtest/rpc/wallet_methods/own_scripts.h"
#include "regtest/rpc/wallet_methods/wallet_json.h"
#include "wallet/descriptors/address.h"
#include "wallet/spending/payment.h"

namespace petal::regtest::rpc {
namespace {

using wallet::ScriptKind;

/// Bitcoin Core: ParseOutputType.
ScriptKind address_type(const std::string& name) {
    const auto kind = find_address_type(name);
    if (kind) return *kind;
    throw RpcError(RpcCode::not_found, "Unknown address type '" + name + "'");
}

/// The descriptor of receive addresses of this type. Throws `no_new_address`.
wallet::DescriptorNumber descriptor_for(const wallet::Wallet& keys, ScriptKind kind) {
    const auto number = OwnScripts(keys).receive_descriptor(kind);
    if (number) return *number;
    throw RpcError(RpcCode::no_new_address,
                   "Error: No " + std::string(name_of(kind)) + " addresses available.");
}

wallet::Wallet& require_keys(wallets::NamedWallet& wallet) {
    if (wallet.keys() != nullptr) return *wallet.keys();
    throw RpcError(RpcCode::wallet_error, "Error: This wallet has no available keys");
}

Json get_new_address(const WalletCall& call, const Arguments& arguments) {
    wallet::Wallet& keys = require_keys(call.wallet());
    const std::string label = arguments.has(0) ? checked_label(arguments.text(0)) : "";
    const ScriptKind kind =
        arguments.has(1) ? address_type(arguments.text(1)) : call.wallets().options().address_type;
    const auto entry = keys.receive_address(/*hand_out=*/true, descriptor_for(keys, kind));
    if (!label.empty()) keys.set_label(keys.script_at(entry.path), label);
    return entry.address;
}

Json get_raw_change_address(const WalletCall& call, const Arguments& arguments) {
    wallet::Wallet& keys = require_keys(call.wallet());
    const ScriptKind kind =
        arguments.has(0) ? address_type(arguments.text(0)) : call.wallets().options().address_type;
    // Change has the type of the recipient's address.
    const wallet::Recipient like{keys.script_at({descriptor_for(keys, kind), 0}), 0, false};
    const auto change = keys.change_for({&like, 1});
    return wallet::address_of(keys.reserve_change(change.script_pubkey), regtest_network());
}

}  // namespace

std::vector<WalletMethod> wallet_address_methods() {
    using enum ArgumentKind;
    return {
        {"getnewaddress",
         {{"label", text, false}, {"address_type", text, false}},
         get_new_address,
         "a new address to receive with"},
        {"getrawchangeaddress",
         {{"address_type", text, false}},
         get_raw_change_address,
         "a new address for change"},
    };
}

}  // namespace petal::regtest::rpc
