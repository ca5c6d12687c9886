#include "wallet/spending/sizes.h"

#include <gtest/gtest.h>

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
