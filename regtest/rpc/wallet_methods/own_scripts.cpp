#include "regtest/rpc/wallet_methods/own_scripts.h"

#include <algorithm>
#include <utility>

#include "chain/script/script.h"
#include "regtest/rpc/regtest_network.h"
#include "wallet/descriptors/descriptor_checksum.h"
#include "wallet/descriptors/key_expression.h"

namespace petal::regtest::rpc {
namespace {

using wallet::ScriptFunction;
using wallet::ScriptWrapping;

/// The descriptor of one script (Bitcoin Core: InferDescriptor).
std::string descriptor_of_script(const wallet::Descriptor& descriptor,
                                 const wallet::Derivation& derivation) {
    if (derivation.keys.empty()) {
        return wallet::Descriptor::of_script(derivation.scripts.front().script_pubkey,
                                             regtest_network())
            .to_string(regtest_network());
    }
    auto keys = derivation.keys;
    ScriptFunction function = descriptor.function();
    if (function == ScriptFunction::sortedmulti) {
        std::ranges::sort(keys, {}, [](const wallet::DerivedKey& key) {
            return wallet::serialize(key.key, key.form);
        });
        function = ScriptFunction::multi;
    }
    std::string text(name_of(function));
    text += '(';
    if (is_multisig(function)) text += std::to_string(descriptor.threshold()) + ",";
    for (std::size_t i = 0; i < keys.size(); ++i) {
        const wallet::DerivedKey& key = keys[i];
        const wallet::KeyExpression expression{wallet::ConstantPublicKey{key.key, key.form},
                                               key.origin};
        if (i > 0) text += ',';
        text += to_string(expression, regtest_network());
    }
    text += ')';
    const ScriptWrapping wrapping = descriptor.wrapping();
    if (wrapping == ScriptWrapping::wsh || wrapping == ScriptWrapping::sh_wsh) {
        text = "wsh(" + text + ")";
    }
    if (wrapping == ScriptWrapping::sh || wrapping == ScriptWrapping::sh_wsh) {
        text = "sh(" + text + ")";
    }
    return text + "#" + wallet::descriptor_checksum(text).value();
}

}  // namespace

OwnScripts::OwnScripts(const wallet::Wallet& wallet) : wallet_(wallet) {
    const wallet::WalletInfo info = wallet.info();
    for (std::size_t i = 0; i < info.descriptors.size(); ++i) {
        texts_.emplace(info.descriptor_numbers[i], info.descriptors[i]);
    }
}

const std::string& OwnScripts::parent_of(wallet::KeyPath path) const {
    return texts_.at(path.descriptor);
}

OwnScripts::Source& OwnScripts::source_of(wallet::DescriptorNumber number) {
    const auto known = sources_.find(number);
    if (known != sources_.end()) return known->second;
    // The wallet has parsed its descriptors before.
    auto descriptor = wallet::Descriptor::parse(texts_.at(number), regtest_network());
    auto deriver = wallet::ScriptDeriver::create(*descriptor);
    return sources_.emplace(number, Source{*std::move(descriptor), *std::move(deriver)})
        .first->second;
}

OwnScripts::Known OwnScripts::describe(wallet::KeyPath path) {
    Source& source = source_of(path.descriptor);
    Known known;
    known.derivation = *source.deriver.derive(path.index);
    known.is_solvable = !known.derivation.keys.empty();
    known.descriptor = descriptor_of_script(source.descriptor, known.derivation);
    known.parent = parent_of(path);
    return known;
}

std::optional<wallet::DescriptorNumber> OwnScripts::receive_descriptor(
    wallet::ScriptKind kind) const {
    for (const auto& [number, text] : texts_) {
        const bool is_ranged = text.find('*') != std::string::npos;
        if (!is_ranged || wallet_.chain_of(number) != wallet::KeyChain::receive) continue;
        const auto type = chain::classify(wallet_.script_at({number, 0}));
        if (type == wallet::script_type(kind)) return number;
        // As in Bitcoin Core, multisig in P2WSH counts as bech32.
        const bool is_wsh = type == chain::ScriptType::p2wsh && kind == wallet::ScriptKind::wpkh;
        if (is_wsh) return number;
    }
    return std::nullopt;
}

}  // namespace petal::regtest::rpc
