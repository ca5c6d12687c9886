/// Any transaction as a spend of any output: each input gets an answer, the same each time, and the
/// answer to the whole transaction agrees with it, however few of the spent outputs are known. An
/// accepted spend has the form of its template, and is refused once it is changed.
///
/// The input is the spent output (amount, script with its size) and a transaction, all of whose
/// inputs are taken to spend that output.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/script/input_verification.h"
#include "chain/script/script.h"

using namespace petal::chain;

namespace {

bool accepts(const Transaction& transaction, std::size_t input_index, const TxOutput& spent) {
    const std::vector<TxOutput> all(transaction.inputs.size(), spent);
    return verify_input(SighashCache{transaction, all}, input_index, spent).has_value();
}

// How many witness items a script needs, including itself.
std::size_t items_of(ByteView script) {
    const ScriptType type = classify(script);
    if (type == ScriptType::p2pk) return 2;
    if (type == ScriptType::p2pkh) return 3;
    return parse_multisig(script).value().required + std::size_t{2};
}

// An accepted spend with a witness has a key or a script with the right hash, and its signature
// covers the amount and the lock time, whatever the hash type.
void check_accepted(const Transaction& transaction, std::size_t input_index,
                    const TxOutput& spent) {
    const TxInput& input = transaction.inputs[input_index];
    const ScriptType type = classify(spent.script_pubkey);
    if (type == ScriptType::anchor) {
        assert(input.script_sig.empty() && input.witness.empty());
        return;
    }
    assert(can_be_verified(type));
    const bool is_legacy =
        type == ScriptType::p2pk || type == ScriptType::p2pkh || type == ScriptType::bare_multisig;
    assert(type == ScriptType::p2sh || input.witness.empty() == is_legacy);
    if (input.witness.empty()) return;

    const ByteView last = input.witness[input.witness.size() - 1];
    const ByteView program = type == ScriptType::p2sh ? ByteView{input.script_sig}.subspan(1)
                                                      : ByteView{spent.script_pubkey};
    if (type == ScriptType::p2tr) {
        assert(input.witness.size() == 1);
    } else if (classify(program) == ScriptType::p2wsh) {
        assert(std::ranges::equal(sha256(last), watch_element(program)));
        assert(input.witness.size() == items_of(last));
    } else {
        assert(classify(program) == ScriptType::p2wpkh);
        assert(input.witness.size() == 2 && last.size() == 33);
        assert(std::ranges::equal(hash160(last), watch_element(program)));
    }

    TxOutput other_amount = spent;
    other_amount.value ^= 1;
    assert(!accepts(transaction, input_index, other_amount));
    Transaction changed = transaction;
    changed.lock_time ^= 1U;
    assert(!accepts(changed, input_index, spent));
    changed = transaction;
    changed.inputs[input_index].script_sig.push_back(0);
    assert(!accepts(changed, input_index, spent));
}

bool is_valid(const std::optional<InvalidInput>& invalid) {
    return !invalid || is_inconclusive(invalid->error);
}

// What is known of the other outputs must not make a valid input invalid.
void check_whole(const SighashCache& cache, const TxOutput& spent) {
    const Transaction& transaction = cache.transaction();
    std::vector<std::optional<TxOutput>> outputs(transaction.inputs.size(), spent);
    const auto invalid = find_invalid_input(transaction, outputs);
    bool all_accepted = true;
    bool all_valid = true;
    for (std::size_t i = 0; i < outputs.size(); ++i) {
        const auto verdict = verify_input(cache, i, spent);
        all_accepted = all_accepted && verdict;
        all_valid = all_valid && (verdict || is_inconclusive(verdict.error()));
    }
    assert(all_accepted == !invalid && all_valid == is_valid(invalid));
    const auto quick = find_invalid_input(transaction, outputs, IfInconclusive::return_at_once);
    assert(!quick == !invalid && (is_valid(quick) || !is_valid(invalid)));
    if (outputs.size() < 2) return;
    outputs.assign(outputs.size(), std::nullopt);
    assert(!find_invalid_input(transaction, outputs));
    outputs.front() = spent;
    const auto first = find_invalid_input(transaction, outputs);
    assert(!first || first->index == 0);
    assert(is_valid(first) || !is_valid(invalid));
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    ByteReader reader{{data, size}};
    TxOutput spent;
    spent.value = reader.read_i64();
    spent.script_pubkey = reader.read_var_bytes(size);
    if (!reader.ok()) return 0;
    const auto transaction = decode_transaction(reader.rest());
    if (!transaction) return 0;

    const std::vector<TxOutput> all(transaction->inputs.size(), spent);
    const SighashCache cache{*transaction, all};
    for (std::size_t i = 0; i < transaction->inputs.size(); ++i) {
        const auto verdict = verify_input(cache, i, spent);
        assert(verdict.has_value() == accepts(*transaction, i, spent));
        if (verdict) {
            assert(verify_input(cache, i, spent, ScriptRules::consensus));
            check_accepted(*transaction, i, spent);
        } else {
            assert(!describe(verdict.error()).empty());
        }
    }
    check_whole(cache, spent);
    return 0;
}
