#include "wallet/spending/sizes.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "chain/transaction_rules.h"
#include "wallet/spending/fee_rate.h"

namespace petal::wallet {
namespace {

// BIP141, with outpoint, sequence number and a signature of 71 bytes: 4 x (41 + 106), 4 x (41 + 23)
// + 107, 4 x 41 + 107, 4 x 41 + 66.
TEST(InputWeight, IsThatOfASignedInput) {
    EXPECT_EQ(input_weight(ScriptKind::pkh), 588U);
    EXPECT_EQ(input_weight(ScriptKind::sh_wpkh), 363U);
    EXPECT_EQ(input_weight(ScriptKind::wpkh), 271U);
    EXPECT_EQ(input_weight(ScriptKind::tr), 230U);
}

// A signature whose R may be high has up to 72 bytes.
TEST(InputWeight, IsThatOfAnInputWhichOthersSign) {
    const auto weight_of = [](ScriptKind kind) {
        return input_weight(SpendForm(kind, Signer::others));
    };
    EXPECT_EQ(weight_of(ScriptKind::pkh), 592U);
    EXPECT_EQ(weight_of(ScriptKind::sh_wpkh), 364U);
    EXPECT_EQ(weight_of(ScriptKind::wpkh), 272U);
    EXPECT_EQ(weight_of(ScriptKind::tr), 230U);
}

// The weights for two signatures of 72 bytes by three compressed keys, with a script of 105 bytes,
// and for seven of nine keys. The script of the latter has 309 bytes, so its length takes three
// bytes, like that of a scriptSig of 253 bytes or more.
TEST(InputWeight, IsThatOfSignedMultisig) {
    const auto weight_of = [](ScriptWrapping wrapping, std::size_t required, std::size_t bytes) {
        return input_weight(SpendForm(multisig_input_size(wrapping, required, bytes)));
    };
    constexpr std::size_t kTwo = 1 + 2 * 73;
    EXPECT_EQ(weight_of(ScriptWrapping::none, 2, 105), 4 * (41 + kTwo));
    EXPECT_EQ(weight_of(ScriptWrapping::sh, 2, 105), 4 * (41 + 2 + kTwo + 2 + 105));
    EXPECT_EQ(weight_of(ScriptWrapping::wsh, 2, 105), 4 * 41 + 1 + kTwo + 1 + 105);
    EXPECT_EQ(weight_of(ScriptWrapping::sh_wsh, 2, 105), 4 * (41 + 35) + 1 + kTwo + 1 + 105);
    constexpr std::size_t kSeven = 1 + 7 * 73;
    EXPECT_EQ(weight_of(ScriptWrapping::sh, 7, 309), 4 * (41 + 2 + kSeven + 3 + 309));
    EXPECT_EQ(weight_of(ScriptWrapping::wsh, 7, 309), 4 * 41 + 1 + kSeven + 3 + 309);
}

class UnconfirmedSize : public testing::Test {
protected:
    /// One input of P2WPKH with its witness, and one output: 10 + 41 + 31 bytes, and a witness of
    /// 107 + 2.
    UnconfirmedSize() {
        transaction.inputs.push_back({{chain::Txid{}, 0}, {}, 0, {}});
        transaction.inputs[0].witness.push_back(chain::Bytes(71));
        transaction.inputs[0].witness.push_back(chain::Bytes(33));
        transaction.outputs.push_back({1, chain::Bytes(22)});
    }
    std::size_t size_of(const std::vector<std::optional<SpendForm>>& forms) const {
        return unconfirmed_size(transaction, forms);
    }

    chain::Transaction transaction;
    const SpendForm own{ScriptKind::wpkh};
};

TEST_F(UnconfirmedSize, IsThatOnTheWire) {
    EXPECT_EQ(size_of({own}), 110U);
    EXPECT_EQ(size_of({std::nullopt}), 110U);
    transaction.inputs[0].witness.clear();
    EXPECT_EQ(size_of({std::nullopt}), 82U) << "a witness that was never there";
}

TEST_F(UnconfirmedSize, CountsAWitnessThatIsNotStored) {
    transaction.inputs[0].witness.clear();
    EXPECT_EQ(size_of({own}), 110U);
    transaction.inputs.push_back(transaction.inputs[0]);
    // 82 + 41 bytes, and two witnesses of 107 or 108, with 2.
    EXPECT_EQ(size_of({own, std::nullopt}), 178U);
    transaction.inputs[1].script_sig = chain::Bytes(106);
    EXPECT_EQ(size_of({own, SpendForm(ScriptKind::pkh)}), (4 * (123 + 106) + 2 + 107 + 1 + 3) / 4);
}

TEST_F(UnconfirmedSize, CountsAForeignWitnessOnlyToALimit) {
    transaction.inputs[0].witness.push_back(chain::Bytes(350'000));
    EXPECT_LE(size_of({std::nullopt}), 82U + 102);
    EXPECT_GT(size_of({own}), 80'000U);
}

TEST(FeeRate, RoundsFeesUp) {
    EXPECT_EQ(FeeRate{1'000}.fee(141), 141);
    EXPECT_EQ(FeeRate{1'001}.fee(141), 142);
    EXPECT_EQ(FeeRate{1'000}.fee_of_weight(561), 141);
    EXPECT_EQ(FeeRate{1'000}.fee_of_weight(564), 141);
    EXPECT_EQ(FeeRate{0}.fee(141), 0);
    EXPECT_EQ(FeeRate{FeeRate::kMaxSatPerKvb}.fee_of_weight(chain::kMaxRelayedWeight),
              100'000'000'000);
}

}  // namespace
}  // namespace petal::wallet
