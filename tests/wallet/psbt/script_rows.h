/// PSBTs that spend an output of each script type, and the keys that sign them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ostream>
#include <stdexcept>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "chain/hash.h"
#include "chain/script/script.h"
#include "chain/transaction.h"
#include "wallet/keys/secp256k1.h"
#include "wallet/psbt/psbt.h"
#include "wallet/psbt/psbt_signer.h"
#include "wallet/psbt/record_types.h"

namespace petal::test {

inline constexpr chain::Satoshis kFunds = 50'000;
inline constexpr chain::Satoshis kFee = 10'000;

inline wallet::PrivateKey psbt_key(chain::Byte number) {
    return wallet::PrivateKey::parse(chain::Bytes(32, number)).value();
}

inline chain::Bytes public_key(chain::Byte number) {
    const auto key = psbt_key(number).public_key();
    return {key.compressed().begin(), key.compressed().end()};
}

/// A 2-of-3 multisig script of the keys 1, 2 and 3.
inline chain::Bytes two_of_three() {
    chain::Bytes script{0x52};
    for (const int number : {1, 2, 3}) {
        const chain::Bytes push = chain::push_data(public_key(static_cast<chain::Byte>(number)));
        script.insert(script.end(), push.begin(), push.end());
    }
    script.insert(script.end(), {0x53, 0xae});
    return script;
}

struct ScriptRow {
    const char* name;
    chain::Bytes script_pubkey;
    chain::Bytes redeem_script = {};
    chain::Bytes witness_script = {};
    std::size_t signatures = 1;
    bool needs_proof = true;  ///< whether the amount needs the full transaction as proof
};

inline void PrintTo(const ScriptRow& row, std::ostream* out) {
    *out << row.name;
}

inline chain::Bytes in_p2sh(const chain::Bytes& script) {
    return chain::p2sh_script(chain::hash160(script));
}
inline chain::Bytes in_p2wsh(const chain::Bytes& script) {
    return chain::witness_program_script(0, chain::sha256(script));
}

inline std::vector<ScriptRow> script_rows() {
    const chain::Bytes p2wpkh = chain::p2wpkh_script(chain::hash160(public_key(1)));
    const chain::Bytes multisig = two_of_three();
    return {
        {"P2pk", chain::p2pk_script(public_key(1))},
        {"P2pkh", chain::p2pkh_script(chain::hash160(public_key(1)))},
        {"P2wpkh", p2wpkh},
        {"P2shP2wpkh", in_p2sh(p2wpkh), p2wpkh},
        {"P2tr",
         chain::witness_program_script(1, psbt_key(1).public_key().taproot_output_key()),
         {},
         {},
         1,
         false},
        {"BareMultisig", multisig, {}, {}, 2},
        {"P2shMultisig", in_p2sh(multisig), multisig, {}, 2},
        {"P2wshMultisig", in_p2wsh(multisig), {}, multisig, 2},
        {"P2shP2wshMultisig", in_p2sh(in_p2wsh(multisig)), in_p2wsh(multisig), multisig, 2},
    };
}

/// A transaction that pays this script. A different `salt` makes a different transaction.
inline chain::Transaction paying(const chain::Bytes& script, std::uint32_t salt = 0) {
    chain::Transaction transaction;
    transaction.inputs.push_back({{chain::Txid{{1}}, salt}, {}, 0, {}});
    transaction.outputs.push_back({kFunds, script});
    return transaction;
}

enum class Utxo { full, witness };

/// A PSBT that spends an output of this script.
inline wallet::Psbt psbt_of(const ScriptRow& row, Utxo utxo = Utxo::full, std::uint32_t salt = 0) {
    const chain::Transaction full = paying(row.script_pubkey, salt);
    chain::Transaction transaction;
    transaction.inputs.push_back({{full.txid(), 0}, {}, 0xfffffffd, {}});
    transaction.outputs.push_back({kFunds - kFee, chain::Bytes(22, 0x51)});
    wallet::Psbt psbt = wallet::Psbt::of_transaction(transaction);
    psbt.set_utxo(0, full.outputs[0], utxo == Utxo::witness,
                  utxo == Utxo::full ? std::optional(full) : std::nullopt);
    if (!row.redeem_script.empty()) {
        psbt.input(0).set(wallet::psbt_input::kRedeemScript, row.redeem_script);
    }
    if (!row.witness_script.empty()) {
        psbt.input(0).set(wallet::psbt_input::kWitnessScript, row.witness_script);
    }
    return psbt;
}

inline auto sign_by(wallet::Psbt& psbt, chain::Byte number, std::optional<std::uint32_t> type = {},
                    const std::optional<chain::TxOutput>& known = {}) {
    return wallet::PsbtSigner(psbt, type, {}).sign(0, psbt_key(number), known);
}

inline ScriptRow row_named(const std::string& name) {
    for (const ScriptRow& row : script_rows()) {
        if (row.name == name) return row;
    }
    throw std::invalid_argument(name);
}

}  // namespace petal::test
