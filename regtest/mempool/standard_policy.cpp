#include "regtest/mempool/standard_policy.h"

#include <algorithm>

#include "chain/byte_writer.h"
#include "chain/script/dust.h"
#include "chain/script/script.h"
#include "chain/script/taproot.h"
#include "chain/transaction_rules.h"

namespace petal::regtest {
namespace {

using chain::ByteView;
using chain::ScriptType;

constexpr std::int32_t kMinVersion = 1;
constexpr std::int32_t kMaxVersion = 3;
constexpr std::size_t kMaxScriptSig = 1'650;
constexpr std::size_t kMinStrippedBytes = 65;
constexpr std::size_t kMaxMultisigKeys = 3;
constexpr std::ptrdiff_t kMaxDustOutputs = 1;
constexpr std::size_t kWitnessScale = 4;
constexpr std::size_t kSigopBytes = 20;
constexpr std::size_t kMaxP2shSigops = 15;
constexpr std::size_t kMaxLegacySigops = 2'500;  // BIP54

constexpr std::size_t kMaxWitnessScript = 3'600;
constexpr std::size_t kMaxWitnessItems = 100;
constexpr std::size_t kMaxWitnessItem = 80;

bool is_standard_output(ByteView script, ScriptType type) {
    if (type == ScriptType::other) return false;
    return type != ScriptType::bare_multisig ||
           chain::parse_multisig(script)->keys.size() <= kMaxMultisigKeys;
}

std::optional<RejectReason> find_nonstandard_output(const chain::Transaction& transaction) {
    for (const auto& output : transaction.outputs) {
        const ScriptType type = chain::classify(output.script_pubkey);
        if (!is_standard_output(output.script_pubkey, type)) {
            return RejectReason::nonstandard_output;
        }
    }
    if (std::ranges::count_if(transaction.outputs, is_dust) > kMaxDustOutputs) {
        return RejectReason::dust;
    }
    return std::nullopt;
}

/// The number of signature operations that a script can run. Operations with many keys count as 20.
/// If `accurate`, they count as the number that the script pushes before.
std::size_t count_sigops(ByteView script, bool accurate) {
    std::size_t count = 0;
    std::uint8_t last = 0;
    chain::ScriptWalker walker{script};
    while (const auto operation = walker.next()) {
        const std::uint8_t opcode = operation->opcode;
        if (opcode == chain::kOpCheckSig || opcode == chain::kOpCheckSigVerify) ++count;
        if (opcode == chain::kOpCheckMultisig || opcode == chain::kOpCheckMultisigVerify) {
            const bool is_counted = accurate && last >= chain::kOp1 && last <= chain::kOp16;
            count += is_counted ? last - chain::kOp1 + std::size_t{1} : std::size_t{20};
        }
        last = opcode;
    }
    return count;
}

/// The redeem script in the scriptSig of a P2SH input. Empty if there is none.
std::optional<ByteView> redeem_script_of(const chain::TxInput& input) {
    std::optional<ByteView> last;
    chain::ScriptWalker walker{input.script_sig};
    while (const auto operation = walker.next()) {
        if (operation->opcode > chain::kOp16 || operation->data.size() > chain::kMaxPushBytes) {
            return std::nullopt;
        }
        last = operation->data;
    }
    return walker.malformed() ? std::nullopt : last;
}

/// The script that determines the witness rules: the redeem script of P2SH, otherwise the output's
/// own script.
ByteView witness_program_of(const chain::TxInput& input, const chain::TxOutput& spent) {
    if (chain::classify(spent.script_pubkey) != ScriptType::p2sh) return spent.script_pubkey;
    return redeem_script_of(input).value_or(ByteView{});
}

/// Why the input may not spend the output, in Bitcoin Core's words. Empty if it may.
std::optional<std::string> find_spend_fault(const chain::TxInput& input,
                                            const chain::TxOutput& spent, std::size_t index) {
    const std::string name = "input " + std::to_string(index);
    const ScriptType type = chain::classify(spent.script_pubkey);
    if (type == ScriptType::other) return name + " script unknown";
    if (type == ScriptType::witness_unknown) return name + " witness program is undefined";
    if (type != ScriptType::p2sh) return std::nullopt;
    const auto redeem_script = redeem_script_of(input);
    if (input.script_sig.empty()) return name + " P2SH redeemscript missing";
    if (!redeem_script) {  // find_nonstandard() allows only pushes
        return "p2sh scriptsig malformed (" + name + ": Push value size limit exceeded)";
    }
    const std::size_t sigops = count_sigops(*redeem_script, true);
    if (sigops <= kMaxP2shSigops) return std::nullopt;
    return "p2sh redeemscript sigops exceed limit (" + name + ": " + std::to_string(sigops) +
           " > " + std::to_string(kMaxP2shSigops) + ")";
}

bool is_standard_p2wsh(const chain::Witness& witness) {
    const auto items = witness.items();
    return items.back().size() <= kMaxWitnessScript && items.size() - 1 <= kMaxWitnessItems &&
           std::all_of(items.begin(), items.end() - 1,
                       [](ByteView item) { return item.size() <= kMaxWitnessItem; });
}

/// Allows a key path without an annex, and a script path whose tapscript has small witness items.
bool is_standard_p2tr(const chain::Witness& witness) {
    if (witness.size() < 2) return true;
    const auto items = witness.items();
    if (items.back().empty() || chain::has_annex(items)) return false;
    if (chain::leaf_version(items.back()) != chain::kTapscriptVersion) return true;
    return std::all_of(items.begin(), items.end() - 2,
                       [](ByteView item) { return item.size() <= kMaxWitnessItem; });
}

bool is_standard_witness(const chain::TxInput& input, const chain::TxOutput& spent) {
    if (input.witness.empty()) return true;
    const bool is_nested = chain::classify(spent.script_pubkey) == ScriptType::p2sh;
    switch (chain::classify(witness_program_of(input, spent))) {
        case ScriptType::p2wsh:
            return is_standard_p2wsh(input.witness);
        case ScriptType::p2tr:
            return is_nested || is_standard_p2tr(input.witness);
        case ScriptType::p2wpkh:
        case ScriptType::witness_unknown:
            return true;
        default:
            return false;
    }
}

std::size_t witness_sigops(const chain::TxInput& input, const chain::TxOutput& spent) {
    switch (chain::classify(witness_program_of(input, spent))) {
        case ScriptType::p2wpkh:
            return 1;
        case ScriptType::p2wsh:
            return input.witness.empty() ? 0 : count_sigops(input.witness.items().back(), true);
        default:
            return 0;
    }
}

/// The signature operations in the scripts of the inputs and of the outputs that they spend,
/// counted by BIP54.
std::size_t legacy_input_sigops(const chain::Transaction& transaction,
                                std::span<const chain::TxOutput> spent) {
    std::size_t count = 0;
    for (std::size_t i = 0; i < spent.size(); ++i) {
        const auto& input = transaction.inputs[i];
        const bool is_p2sh = chain::classify(spent[i].script_pubkey) == ScriptType::p2sh;
        count += count_sigops(input.script_sig, true);
        count += count_sigops(is_p2sh ? redeem_script_of(input).value_or(ByteView{})
                                      : ByteView{spent[i].script_pubkey},
                              true);
    }
    return count;
}

}  // namespace

std::optional<RejectReason> find_nonstandard(const chain::Transaction& transaction) {
    if (transaction.version < kMinVersion || transaction.version > kMaxVersion) {
        return RejectReason::version;
    }
    if (transaction.weight() > chain::kMaxRelayedWeight) return RejectReason::weight;
    for (const auto& input : transaction.inputs) {
        if (input.script_sig.size() > kMaxScriptSig) return RejectReason::script_sig_size;
        if (!chain::is_push_only(input.script_sig)) return RejectReason::script_sig_not_pushes;
    }
    if (const auto reason = find_nonstandard_output(transaction)) return reason;
    if (transaction.stripped_size() < kMinStrippedBytes) {
        return RejectReason::too_small;
    }
    return std::nullopt;
}

std::optional<std::string> find_nonstandard_spend(const chain::Transaction& transaction,
                                                  std::span<const chain::TxOutput> spent) {
    if (legacy_input_sigops(transaction, spent) > kMaxLegacySigops) {
        return "non-witness sigops exceed bip54 limit";
    }
    for (std::size_t i = 0; i < spent.size(); ++i) {
        if (auto fault = find_spend_fault(transaction.inputs[i], spent[i], i)) return fault;
    }
    return std::nullopt;
}

std::optional<RejectReason> find_nonstandard_input(const chain::Transaction& transaction,
                                                   std::span<const chain::TxOutput> spent) {
    if (find_nonstandard_spend(transaction, spent)) return RejectReason::nonstandard_input;
    for (std::size_t i = 0; i < spent.size(); ++i) {
        if (!is_standard_witness(transaction.inputs[i], spent[i])) {
            return RejectReason::nonstandard_witness;
        }
    }
    return std::nullopt;
}

bool is_dust(const chain::TxOutput& output) {
    return output.value < chain::dust_threshold(output.script_pubkey);
}

std::size_t sigop_cost(const chain::Transaction& transaction,
                       std::span<const chain::TxOutput> spent) {
    std::size_t legacy = 0;
    std::size_t witness = 0;
    for (const auto& output : transaction.outputs) {
        legacy += count_sigops(output.script_pubkey, false);
    }
    for (const auto& input : transaction.inputs) legacy += count_sigops(input.script_sig, false);
    for (std::size_t i = 0; i < spent.size(); ++i) {
        const auto& input = transaction.inputs[i];
        if (chain::classify(spent[i].script_pubkey) == ScriptType::p2sh) {
            legacy += count_sigops(redeem_script_of(input).value_or(ByteView{}), true);
        }
        witness += witness_sigops(input, spent[i]);
    }
    return legacy * kWitnessScale + witness;
}

std::size_t relayed_weight(const chain::Transaction& transaction, std::size_t sigop_cost) {
    return std::max(transaction.weight(), sigop_cost * kSigopBytes);
}

std::size_t relayed_size(const chain::Transaction& transaction, std::size_t sigop_cost) {
    return (relayed_weight(transaction, sigop_cost) + 3) / kWitnessScale;
}

}  // namespace petal::regtest
