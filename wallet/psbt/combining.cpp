#include "wallet/psbt/combining.h"

#include <algorithm>
#include <cassert>
#include <initializer_list>
#include <set>
#include <utility>
#include <vector>

#include "chain/enum_table.h"
#include "wallet/psbt/fields.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/psbt_verifier.h"
#include "wallet/psbt/record_types.h"
#include "wallet/spending/coin_search.h"

namespace petal::wallet {

namespace {

using Combined = chain::Expected<Psbt, CombineError>;

chain::Unexpected<CombineError> combine_error(std::size_t psbt, CombineFault fault) {
    return chain::Unexpected{CombineError{psbt, fault}};
}

void merge_all(std::vector<PsbtMap>& maps, const std::vector<PsbtMap>& others) {
    for (std::size_t i = 0; i < maps.size(); ++i) maps[i].merge(others[i]);
}

/// Whether two PSBTs of one transaction have no contradicting UTXOs.
bool agree_on_utxos(const Psbt& a, const Psbt& b) {
    for (std::size_t i = 0; i < a.inputs().size(); ++i) {
        if (a.utxo(i) && b.utxo(i) && a.utxo(i) != b.utxo(i)) return false;
    }
    return true;
}

bool is_of_type(const PsbtRecord& record, std::initializer_list<chain::Byte> types) {
    return std::ranges::find(types, record.type()) != types.end();
}

/// Replaces the signatures of these keys by the signatures in `from`.
void take_signatures(PsbtMap& map, const PsbtMap& from, const std::vector<chain::Bytes>& keys) {
    for (const chain::Bytes& key : keys) {
        const chain::Bytes* partial = from.find(psbt_input::kPartialSignature, key);
        if (partial != nullptr) map.set(psbt_input::kPartialSignature, key, *partial);
    }
    const chain::Bytes* taproot = from.find(psbt_input::kTaprootKeySignature);
    if (taproot != nullptr) map.set(psbt_input::kTaprootKeySignature, *taproot);
}

/// Replaces wrong final scripts by the final scripts of `added`, or by the signatures of both.
void replace_final_scripts(PsbtMap& map, const PsbtMap& added) {
    using namespace psbt_input;
    const auto is_script = [](const PsbtRecord& record) {
        return is_of_type(record, {kFinalScriptSig, kFinalWitness});
    };
    const bool is_same = value_of(map, kFinalScriptSig) == value_of(added, kFinalScriptSig) &&
                         value_of(map, kFinalWitness) == value_of(added, kFinalWitness);
    PsbtMap other = map;
    other.keep_if([&](const PsbtRecord& record) { return !is_script(record); });
    if (!is_same) other.merge(added);
    if (is_final(other) || is_signed(other)) map = std::move(other);
}

/// Whether one of two inputs may be wrong: they have different signatures of one key or different
/// final scripts, or only one input is final.
bool are_rivals(const PsbtMap& first, const PsbtMap& added) {
    using namespace psbt_input;
    if (is_final(first) != is_final(added)) return true;
    return std::ranges::any_of(added.records(), [&](const PsbtRecord& record) {
        const chain::Bytes* value = first.find(record.type(), record.key_data());
        return value != nullptr && *value != record.value &&
               is_of_type(record, {kPartialSignature, kTaprootKeySignature, kFinalScriptSig,
                                   kFinalWitness});
    });
}

/// Where inputs are rivals, replaces a wrong signature or final script by the value of `added`.
/// combined   all records of `first`, and the records of `added` with keys that `first` lacks
void prefer_valid(Psbt& combined, const Psbt& first, const Psbt& added) {
    if (is_too_large(combined)) return;
    PsbtVerifier verifier(combined);
    for (std::size_t i = 0; i < combined.inputs().size(); ++i) {
        const PsbtMap& theirs = added.inputs()[i];
        if (!combined.utxo(i) || !are_rivals(first.inputs()[i], theirs)) continue;
        if (const auto spent = find_spent_script(combined, i)) {
            const auto checked = verifier.check_signatures(i, *spent);
            if (!checked.wrong.empty()) {
                take_signatures(combined.input(i), theirs, checked.wrong);
            }
        }
        if (!is_final(combined.inputs()[i])) continue;
        const auto checked = verifier.check_final_scripts(i);
        const bool is_wrong = !checked && is_known_wrong(checked.error());
        if (is_wrong) replace_final_scripts(combined.input(i), theirs);
    }
}

/// The collected parts of the PSBTs to join.
struct JoinedParts {
    std::vector<std::pair<chain::TxInput, PsbtMap>> inputs;
    std::vector<std::pair<chain::TxOutput, PsbtMap>> outputs;
    chain::Transaction transaction;
    PsbtMap global;
    std::size_t records = 0;
    std::size_t bytes = 0;

    explicit JoinedParts(const Psbt& first) : global(first.global()) {
        transaction.version = first.transaction().version;
        transaction.lock_time = first.transaction().lock_time;
    }

    void add(const Psbt& psbt) {
        const chain::Transaction& added = psbt.transaction();
        transaction.version = std::max(transaction.version, added.version);
        transaction.lock_time = std::min(transaction.lock_time, added.lock_time);
        global.merge(psbt.global());
        bytes += psbt.serialize().size();
        for (std::size_t i = 0; i < added.inputs.size(); ++i) {
            records += psbt.inputs()[i].records().size();
            inputs.emplace_back(added.inputs[i], psbt.inputs()[i]);
        }
        for (std::size_t i = 0; i < added.outputs.size(); ++i) {
            records += psbt.outputs()[i].records().size();
            outputs.emplace_back(added.outputs[i], psbt.outputs()[i]);
        }
    }

    chain::Expected<Psbt, PsbtError> assemble() && {
        std::vector<PsbtMap> input_maps;
        std::vector<PsbtMap> output_maps;
        for (auto& [input, map] : inputs) {
            transaction.inputs.push_back(std::move(input));
            input_maps.push_back(std::move(map));
        }
        for (auto& [output, map] : outputs) {
            transaction.outputs.push_back(std::move(output));
            output_maps.push_back(std::move(map));
        }
        global.set(psbt_global::kUnsignedTransaction, transaction.serialize_without_witness());
        return Psbt::assemble(std::move(global), std::move(input_maps), std::move(output_maps));
    }
};

}  // namespace

std::string describe(const CombineError& error) {
    using enum CombineFault;
    static constexpr auto kTexts = chain::enum_table<CombineFault, std::string_view>({
        {other_transaction, "it is of another transaction than the first"},
        {contradicting_utxo, "it contradicts another on what an input spends"},
        {wrong_version, "it is of version 2, which can't be joined"},
        {signed_already, "it is signed already, for its own inputs and outputs alone"},
        {repeated_input, "it spends an output that another spends, too"},
        {too_large, "with it, the result is too large"},
    });
    return "PSBT " + std::to_string(error.psbt + 1) + ": " + std::string(kTexts[error.fault]);
}

Combined combine(std::span<const Psbt> psbts) {
    assert(!psbts.empty());
    Psbt result = psbts.front();
    for (std::size_t i = 1; i < psbts.size(); ++i) {
        const Psbt& added = psbts[i];
        const bool is_same = added.version() == result.version() &&
                             added.transaction() == result.transaction() &&
                             added.inputs().size() == result.inputs().size();
        if (!is_same) return combine_error(i, CombineFault::other_transaction);
        if (!agree_on_utxos(result, added)) {
            return combine_error(i, CombineFault::contradicting_utxo);
        }
        PsbtMap global = result.global();
        std::vector<PsbtMap> inputs = result.inputs();
        std::vector<PsbtMap> outputs = result.outputs();
        global.merge(added.global());
        merge_all(inputs, added.inputs());
        merge_all(outputs, added.outputs());
        auto combined = Psbt::assemble(std::move(global), std::move(inputs), std::move(outputs));
        // Valid PSBTs of one transaction can contradict each other only in the lock times of
        // version 2. The transactions then differ.
        if (!combined || combined->transaction() != result.transaction()) {
            return combine_error(i, CombineFault::other_transaction);
        }
        prefer_valid(*combined, result, added);
        if (!combined->fits()) return combine_error(i, CombineFault::too_large);
        result = *std::move(combined);
    }
    for (std::size_t i = 0; i < result.inputs().size(); ++i) {
        if (is_final(result.inputs()[i])) keep_final_records(result.input(i));
    }
    return result;
}

Combined join(std::span<const Psbt> psbts, const RandomBits& random) {
    assert(!psbts.empty());
    JoinedParts parts(psbts.front());
    std::set<chain::Outpoint> spent;
    for (std::size_t i = 0; i < psbts.size(); ++i) {
        const Psbt& psbt = psbts[i];
        if (psbt.version() != 0) return combine_error(i, CombineFault::wrong_version);
        if (std::ranges::any_of(psbt.inputs(), is_signed)) {
            return combine_error(i, CombineFault::signed_already);
        }
        for (const chain::TxInput& input : psbt.transaction().inputs) {
            if (!spent.insert(input.prevout).second) {
                return combine_error(i, CombineFault::repeated_input);
            }
        }
        parts.add(psbt);
        // An early check, before more is copied. The joined PSBT is checked again, because the
        // PSBTs may share records.
        if (parts.records > kMaxPsbtRecords || parts.bytes > 2 * kMaxPsbtBytes) {
            return combine_error(i, CombineFault::too_large);
        }
    }
    shuffle(parts.inputs, random);
    shuffle(parts.outputs, random);
    auto joined = std::move(parts).assemble();
    if (!joined || !joined->fits()) {
        return combine_error(psbts.size() - 1, CombineFault::too_large);
    }
    return *std::move(joined);
}

}  // namespace petal::wallet
