/// Valid spends of every template, with any hash types: each is accepted. After a change, exactly
/// those inputs are refused whose signatures cover the changed part by the BIPs; signed again, they
/// are accepted.
///
/// The fuzzer's input has, in this order: the transaction's version, lock time and counts, a
/// change, the transaction's inputs with the spent outputs, and its outputs. Only the last two may
/// be signed. Missing bytes count as zeros.
#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "chain/script/input_verification.h"
#include "tests/fuzz/plain_signature_hash.h"
#include "tests/fuzz/signed_case.h"
#include "tests/fuzz/signed_spend.h"

namespace petal::fuzz {

namespace {

using chain::kConsensusFlags;
using chain::kStandardFlags;
using chain::ScriptError;
using chain::ScriptFlags;

// The hash types that cover a part of the transaction.
enum class CoveredBy : std::uint8_t {
    none,
    all,
    without_anyone_can_pay,
    only_all_without_anyone_can_pay,
};

struct Coverage {
    CoveredBy legacy = CoveredBy::all;
    CoveredBy bip143 = CoveredBy::all;
    CoveredBy bip341 = CoveredBy::all;
};

// What a signature covers by BIP143, BIP341 and, before segwit, Bitcoin Core's SignatureHash, not
// by SighashCache. For parts that each input has, `is_own` says whether the part is of the signed
// input. Coverage of outputs depends on the input's position, too: see covers_outputs().
Coverage coverage_of(ChangeKind kind, bool is_own) {
    using enum CoveredBy;
    switch (kind) {
        case ChangeKind::version:
        case ChangeKind::lock_time:
            return {all, all, all};
        case ChangeKind::prevout_txid:
        case ChangeKind::prevout_index:
            if (is_own) return {all, all, all};
            return {without_anyone_can_pay, without_anyone_can_pay, without_anyone_can_pay};
        case ChangeKind::sequence:
            if (is_own) return {all, all, all};
            return {only_all_without_anyone_can_pay, only_all_without_anyone_can_pay,
                    without_anyone_can_pay};
        case ChangeKind::amount:
            if (is_own) return {none, all, all};
            return {none, none, without_anyone_can_pay};
        case ChangeKind::spent_script:
            if (is_own) return {all, all, all};
            return {none, none, without_anyone_can_pay};
        case ChangeKind::insert_input:
        case ChangeKind::remove_input:
        case ChangeKind::swap_inputs:
            return {without_anyone_can_pay, without_anyone_can_pay, without_anyone_can_pay};
        default:  // scriptSigs and witnesses
            return {none, none, none};
    }
}

bool is_covered(CoveredBy covered_by, HashType type) {
    switch (covered_by) {
        case CoveredBy::none:
            return false;
        case CoveredBy::all:
            return true;
        case CoveredBy::without_anyone_can_pay:
            return !type.anyone_can_pay();
        case CoveredBy::only_all_without_anyone_can_pay:
            return !type.anyone_can_pay() && type.is_all();
    }
    assert(false);
    return false;
}

CoveredBy coverage_by(SighashScheme scheme, const Coverage& coverage) {
    if (scheme == SighashScheme::legacy) return coverage.legacy;
    return scheme == SighashScheme::bip143 ? coverage.bip143 : coverage.bip341;
}

// Where an input was when it was signed, and where it is now.
struct ChangedPlace {
    const SignedCase& before;
    const SignedCase& after;
    std::size_t old_index;
    std::size_t new_index;
};

// Whether the outputs that the hash covers differ.
bool covers_outputs(const ChangedPlace& place, SighashScheme scheme, HashType type) {
    if (type.is_none()) return false;
    if (type.is_all()) {
        return place.before.transaction.outputs != place.after.transaction.outputs;
    }
    // Before segwit, the number of empty outputs before the input's tells its index.
    if (scheme == SighashScheme::legacy && place.old_index != place.new_index) return true;
    return place.before.output_at(place.old_index) != place.after.output_at(place.new_index);
}

bool is_hash_changed(const ChangedPlace& place, ChangeKind kind, bool is_own, SighashScheme scheme,
                     HashType type) {
    if (scheme == SighashScheme::legacy && type.is_single()) {
        // Without an output of this index, the signature signs the number 1.
        const bool was_one = !place.before.output_at(place.old_index);
        const bool is_one = !place.after.output_at(place.new_index);
        if (was_one || is_one) return was_one != is_one;
    }
    return covers_outputs(place, scheme, type) ||
           is_covered(coverage_by(scheme, coverage_of(kind, is_own)), type);
}

bool is_flaw(const SignedSpend& spend, ScriptError error) {
    return std::ranges::find(spend.flaws, error) != spend.flaws.end();
}

// With a wrong signature, multisig tries keys that a valid one does not reach.
bool may_fail_with(const SignedSpend& spend, ScriptError error) {
    const bool is_form_of_key =
        error == ScriptError::key_type || error == ScriptError::witness_key_type;
    return is_flaw(spend, error) || (spend.is_multisig && is_form_of_key);
}

class CaseCheck {
public:
    explicit CaseCheck(const SignedCase& signed_case)
        : case_(signed_case), cache_(signed_case.transaction, signed_case.spent) {}

    // A spend is valid in a block, and also standard if nothing about it is special.
    void check_accepted(std::size_t index, ScriptFlags rules) const {
        const SignedSpend& spend = *case_.spends[index];
        const auto accepted = verdict(index, rules);
        assert(accepted.has_value() == (rules == kConsensusFlags || spend.flaws.empty()));
        assert(accepted || is_flaw(spend, accepted.error()));
    }

    // The signature is wrong, or its hash type is none of BIP341.
    void check_refused(std::size_t index, ScriptFlags rules) const {
        const SignedSpend& spend = *case_.spends[index];
        const bool is_standard = rules == kStandardFlags;
        ScriptError expected = is_standard ? ScriptError::null_fail : ScriptError::eval_false;
        if (spend.scheme == SighashScheme::bip341) {
            expected = spend.can_be_signed(case_.transaction, index)
                           ? ScriptError::schnorr_signature
                           : ScriptError::schnorr_hash_type;
        }
        const auto refused = verdict(index, rules);
        assert(!refused);
        assert(refused.error() == expected ||
               (is_standard && may_fail_with(spend, refused.error())));
    }

    // Refused for any reason. Before taproot, a changed scriptSig or witness is invalid for
    // certain.
    // A scriptSig with operations may leave the items all the same.
    void check_not_accepted(std::size_t index, ScriptFlags rules, bool is_item) const {
        if (!chain::is_push_only(case_.transaction.inputs[index].script_sig)) return;
        const auto refused = verdict(index, rules);
        assert(!refused);
        const bool is_judged = is_item && case_.spends[index]->scheme != SighashScheme::bip341;
        assert(!is_judged || !is_inconclusive(refused.error()));
    }

private:
    chain::ScriptResult verdict(std::size_t index, ScriptFlags rules) const {
        return chain::verify_input(cache_, index, case_.spent[index], rules);
    }

    const SignedCase& case_;
    chain::SighashCache cache_;
};

// From the last input to the first by the consensus rules: SighashCache hashes what comes before
// an input once only if a later input follows.
void check_signed(const SignedCase& signed_case, ScriptFlags rules) {
    const CaseCheck check{signed_case};
    const std::size_t count = signed_case.input_count();
    for (std::size_t i = 0; i < count; ++i) {
        const std::size_t index = rules == kStandardFlags ? i : count - 1 - i;
        if (!signed_case.spends[index]) continue;
        if (signed_case.spends[index]->can_be_signed(signed_case.transaction, index)) {
            check.check_accepted(index, rules);
        } else {
            check.check_refused(index, rules);
        }
    }
}

// Whether the signatures remain valid if the hash type of one of them was changed: they do where
// the number 1 is signed both before and after.
bool signs_same(const SignedCase& before, const SignedCase& after, std::size_t index) {
    const SignedSpend& old = *before.spends[index];
    const auto& types = after.spends[index]->hash_types;
    const bool may_sign_one = old.scheme == SighashScheme::legacy && !before.output_at(index);
    return std::ranges::equal(old.hash_types, types, [&](HashType was, HashType is) {
        return was.byte == is.byte || (may_sign_one && was.is_single() && is.is_single());
    });
}

// The verdict on one input after the change.
void check_changed(const SignedCase& before, const Applied& applied, const Change& change,
                   std::size_t index, const CaseCheck& check) {
    const SignedSpend& spend = *applied.changed.spends[index];
    const bool is_own = applied.own == index;
    if (!before.spends[spend.signed_at]->can_be_signed(before.transaction, spend.signed_at)) {
        return check.check_not_accepted(index, change.rules, /*is_item=*/false);
    }
    if (is_own && applied.is_item) {
        if (applied.is_hash_type && signs_same(before, applied.changed, index)) {
            // The new hash type may be one without a name.
            return check.check_accepted(index, kConsensusFlags);
        }
        return check.check_not_accepted(index, change.rules, /*is_item=*/true);
    }
    // Another script may take any items.
    if (is_own && change.kind == ChangeKind::spent_script) return;
    const ChangedPlace place{before, applied.changed, spend.signed_at, index};
    const bool is_refused = std::ranges::any_of(spend.hash_types, [&](HashType type) {
        return is_hash_changed(place, change.kind, is_own, spend.scheme, type);
    });
    return is_refused ? check.check_refused(index, change.rules)
                      : check.check_accepted(index, change.rules);
}

// The whole transaction by the standard rules, if the outputs that unsigned inputs spend are not
// known.
void check_whole_transaction(const SignedCase& signed_case) {
    const std::size_t count = signed_case.input_count();
    const bool knows_all = std::ranges::all_of(signed_case.spends,
                                               [](const auto& spend) { return spend.has_value(); });
    std::vector<std::optional<chain::TxOutput>> known(count);
    std::vector<bool> is_accepted(count, true);
    bool is_any_invalid = false;
    for (std::size_t i = 0; i < count; ++i) {
        if (!signed_case.spends[i]) continue;
        known[i] = signed_case.spent[i];
        const SignedSpend& spend = *signed_case.spends[i];
        const bool can_be_signed = spend.can_be_signed(signed_case.transaction, i);
        const bool needs_all =
            spend.scheme == SighashScheme::bip341 && !spend.hash_types[0].anyone_can_pay();
        const bool is_known = knows_all || !needs_all;
        is_accepted[i] = spend.flaws.empty() && can_be_signed && is_known;
        is_any_invalid = is_any_invalid || !spend.flaws.empty() || !can_be_signed;
    }
    const auto found = chain::find_invalid_input(signed_case.transaction, known);
    assert(found.has_value() == (std::ranges::find(is_accepted, false) != is_accepted.end()));
    if (!found) return;
    assert(!is_accepted[found->index]);
    assert(is_inconclusive(found->error) == !is_any_invalid);
}

void check_signed_input(chain::ByteView data) {
    chain::ByteReader reader{data};
    Change change;
    SignedCase before = read_case(reader, change);
    before.sign();
    check_signed(before, change.rules);

    auto applied = apply_change(before, change);
    if (!applied) return;
    const CaseCheck check{applied->changed};
    for (std::size_t i = 0; i < applied->changed.input_count(); ++i) {
        if (applied->changed.spends[i]) check_changed(before, *applied, change, i, check);
    }
    if (applied->is_item) return;
    applied->changed.sign();
    check_whole_transaction(applied->changed);
}

}  // namespace

}  // namespace petal::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    petal::fuzz::check_signed_input({data, size});
    return 0;
}
