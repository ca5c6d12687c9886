#include "regtest/rpc/wallet_methods/wallet_signing.h"

#include <array>
#include <string_view>
#include <utility>

#include "chain/script/script.h"
#include "wallet/keys/randomness.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt_wallet.h"

namespace petal::regtest::rpc {
namespace {

bool is_witness_program(chain::ByteView script_pubkey) {
    const auto type = chain::classify(script_pubkey);
    return type == chain::ScriptType::p2wpkh || type == chain::ScriptType::p2wsh ||
           type == chain::ScriptType::p2tr;
}

}  // namespace

std::uint32_t parse_hash_type(const std::string& name) {
    struct Named {
        std::string_view name;
        std::uint32_t type;
    };
    constexpr std::array<Named, 7> kTypes = {{{"DEFAULT", 0x00},
                                              {"ALL", 0x01},
                                              {"NONE", 0x02},
                                              {"SINGLE", 0x03},
                                              {"ALL|ANYONECANPAY", 0x81},
                                              {"NONE|ANYONECANPAY", 0x82},
                                              {"SINGLE|ANYONECANPAY", 0x83}}};
    for (const Named& one : kTypes) {
        if (one.name == name) return one.type;
    }
    throw RpcError(RpcCode::invalid_parameter, "'" + name + "' is not a valid sighash parameter.");
}

wallet::Psbt parse_psbt(const std::string& base64) {
    const auto bytes = chain::from_base64(base64);
    if (!bytes) throw RpcError(RpcCode::undecodable, "TX decode failed invalid base64");
    auto psbt = wallet::Psbt::parse(*bytes);
    if (psbt) return *std::move(psbt);
    throw RpcError(RpcCode::undecodable, "TX decode failed " + describe(psbt.error()));
}

wallet::Psbt complete_psbt(const wallets::NamedWallet& wallet, wallet::Psbt psbt) {
    if (wallet.keys() != nullptr) psbt = wallet::PsbtWallet(*wallet.keys()).update(std::move(psbt));
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (psbt.utxo(i)) continue;
        const auto spent = wallet.chain().find_output(psbt.transaction().inputs[i].prevout);
        if (spent && is_witness_program(spent->script_pubkey)) {
            psbt.set_utxo(i, *spent, /*in_witness_utxo=*/true, std::nullopt);
        }
    }
    return psbt;
}

wallet::Psbt sign_psbt(wallets::NamedWallet& wallet, wallet::Psbt psbt,
                       const std::optional<std::uint32_t>& hash_type) {
    if (wallet.keys() == nullptr || wallet.secret() == nullptr) return psbt;
    wallet::PsbtWallet signer(*wallet.keys());
    wallet::SecretArray<32> auxiliary;
    wallet::fill_random(auxiliary.writable());
    const wallet::PsbtTerms terms{hash_type, /*accepts_unproven_fee=*/true};
    for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
        if (wallet::is_final(psbt.inputs()[i])) continue;
        auto signed_psbt = signer.sign(psbt, {i}, *wallet.secret(), terms, auxiliary);
        if (signed_psbt) psbt = std::move(signed_psbt->psbt);
    }
    return psbt;
}

}  // namespace petal::regtest::rpc
