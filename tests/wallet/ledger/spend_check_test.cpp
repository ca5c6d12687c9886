#include "wallet/ledger/spend_check.h"

#include <gtest/gtest.h>

#include <functional>
#include <initializer_list>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "chain/script/script.h"
#include "tests/support/signing.h"
#include "tests/support/wallet_scene.h"

namespace petal::wallet {
namespace {

using chain::Bytes;
using chain::ScriptType;
using chain::Transaction;

/// A transaction that spends output 0 of its parent, and a coin of another transaction.
class Spends {
public:
    explicit Spends(ScriptType type = ScriptType::p2wpkh)
        : parent_(test::spend({test::foreign_coin(1)},
                              {{5'000, test::script_of(type, test::private_key())}})),
          transaction(test::spend({test::output_of(parent_), test::foreign_coin(2)},
                                  {{4'000, test::foreign_script()}})),
          spent(2) {
        spent[0] = KnownOutput{parent_.outputs[0], false};
        test::sign_input(transaction, 0, test::private_key(), parent_.outputs[0]);
    }

    chain::Txid parent() const { return parent_.txid(); }
    bool is_child() const { return is_verified_child(transaction, spent, parent()); }

private:
    Transaction parent_;

public:
    Transaction transaction;
    std::vector<std::optional<KnownOutput>> spent;
};

/// Signs all inputs, so that the wallet must know both outputs to verify the taproot one.
Spends taproot_spends_of_all() {
    Spends spends(ScriptType::p2tr);
    const std::vector<chain::TxOutput> all{*spends.spent[0]->output,
                                           {7'000, test::foreign_script(9)}};
    test::sign_input(spends.transaction, 0, test::private_key(), all[0], all);
    return spends;
}

// A witness program of a version without rules.
Bytes reserved_script() {
    return chain::witness_program_script(2, Bytes(32, 1));
}

struct SpendCase {
    std::string name;
    std::function<Spends()> make;
    bool is_refused_of_others;
    bool is_refused_of_own;
    bool is_child;
};
void PrintTo(const SpendCase& row, std::ostream* out) {
    *out << row.name;
}

template <typename Change>
std::function<Spends()> changed(Change change, ScriptType type = ScriptType::p2wpkh) {
    return [=] {
        Spends spends(type);
        change(spends);
        return spends;
    };
}

class KnownSpend : public testing::TestWithParam<SpendCase> {};

TEST_P(KnownSpend, IsRefusedUnlessItMayBeValid) {
    for (const bool is_own : {false, true}) {
        Spends spends = GetParam().make();
        if (spends.spent[0]) spends.spent[0]->is_own = is_own;
        const auto refused = find_refused_spend(spends.transaction, spends.spent);
        EXPECT_EQ(refused.has_value(),
                  is_own ? GetParam().is_refused_of_own : GetParam().is_refused_of_others);
        if (refused) {
            EXPECT_EQ(refused->index, 0U);
            EXPECT_FALSE(refused->reason.empty());
        }
        EXPECT_EQ(spends.is_child(), GetParam().is_child);
    }
}

// clang-format off
INSTANTIATE_TEST_SUITE_P(Spends, KnownSpend, testing::ValuesIn(std::initializer_list<SpendCase>{
    {"Signed", changed([](Spends&) {}), false, false, true},
    {"SignedTaproot", changed([](Spends&) {}, ScriptType::p2tr), false, false, true},
    {"SignedForAnotherAmount", changed([](Spends& of) { ++of.spent[0]->output->value; }), true, true, false},
    {"WithoutWitness", changed([](Spends& of) { of.transaction.inputs[0].witness.clear(); }), true, true, false},
    {"OfAnOutputThatDoesNotExist", changed([](Spends& of) { of.spent[0]->output.reset(); }), true, true, false},
    {"TaprootThatSignsUnknownOutputs", taproot_spends_of_all, false, true, false},
    {"OfAReservedWitnessVersion", [] {
        Spends of;
        of.spent[0]->output->script_pubkey = reserved_script();
        of.transaction.inputs[0].witness.clear();
        of.transaction.inputs[1].witness = {Bytes(1, 1)};  // else its witness would be missing
        return of; }, false, true, false},
    {"OfAnUnknownOutput", changed([](Spends& of) { of.spent[0].reset(); }), false, false, false},
}), [](const auto& row) { return row.param.name; });
// clang-format on

TEST(SpendCheck, ForeignDoubtHidesNoFaultOfTheWalletsOwn) {
    for (const bool is_own_signed : {false, true}) {
        Spends spends = taproot_spends_of_all();
        const Transaction funding =
            test::spend({test::foreign_coin(3)},
                        {{600, test::script_of(ScriptType::p2tr, test::private_key(2))}});
        spends.transaction.inputs.push_back({test::output_of(funding), {}, 0xfffffffd, {}});
        spends.spent.emplace_back(KnownOutput{funding.outputs[0], true});
        // The signature of all inputs covers the unknown output, too.
        const auto own = is_own_signed
                             ? std::vector<chain::TxOutput>{}
                             : std::vector<chain::TxOutput>{
                                   *spends.spent[0]->output, {7'000, {0x51}}, funding.outputs[0]};
        test::sign_input(spends.transaction, 2, test::private_key(2), funding.outputs[0], own);
        const auto refused = find_refused_spend(spends.transaction, spends.spent);
        ASSERT_EQ(refused.has_value(), !is_own_signed);
        if (refused) {
            EXPECT_EQ(refused->index, 2U);
            EXPECT_TRUE(refused->may_be_valid);
        }
    }
}

TEST(SpendCheck, OneVerifiedInputOfTheParentIsEnoughForAChild) {
    Spends spends;
    EXPECT_FALSE(is_verified_child(spends.transaction, spends.spent, chain::Txid{}));
    // Another output of the parent, whose witness version has no rules yet.
    spends.transaction.inputs[1].prevout = {spends.parent(), 1};
    spends.spent[1] = KnownOutput{chain::TxOutput{1'000, reserved_script()}, false};
    test::sign_input(spends.transaction, 0, test::private_key(), *spends.spent[0]->output);
    EXPECT_TRUE(spends.is_child());
    spends.transaction.inputs[0].witness.clear();
    EXPECT_FALSE(spends.is_child());
}

}  // namespace
}  // namespace petal::wallet
