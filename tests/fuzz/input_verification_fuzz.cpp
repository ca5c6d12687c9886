/// Any transaction as a spend of any output: each input gets an answer, the same each time, and the
/// answer to the whole transaction agrees with it, however few of the spent outputs are known.
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

using namespace petal::chain;

namespace {

bool accepts(const Transaction& transaction, std::size_t input_index, const TxOutput& spent) {
    const std::vector<TxOutput> all(transaction.inputs.size(), spent);
    return verify_input(SighashCache{transaction, all}, input_index, spent).has_value();
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
            assert(verify_input(cache, i, spent, kConsensusFlags));
        } else {
            assert(!describe(verdict.error()).empty());
        }
    }
    check_whole(cache, spent);
    return 0;
}
