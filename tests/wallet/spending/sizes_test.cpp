#include "wallet/spending/sizes.h"

#include <gtest/gtest.h>

#include <vector>

#include "chain/script/script.h"
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

struct DustRow {
    const char* name;
    chain::Bytes script;
    chain::Satoshis least;
};

// Bitcoin Core, policy/policy.cpp: GetDustThreshold at 3 sat/vB.
TEST(DustThreshold, IsBitcoinCores) {
    const std::vector<DustRow> rows{
        {"P2PKH", chain::p2pkh_script({}), 546},
        {"P2SH", chain::p2sh_script({}), 540},
        {"P2WPKH", chain::p2wpkh_script({}), 294},
        {"P2WSH", chain::witness_program_script(0, chain::Bytes(32)), 330},
        {"P2TR", chain::witness_program_script(1, chain::Bytes(32, 2)), 330},
        {"P2A", {0x51, 0x02, 0x4e, 0x73}, 240},
        {"version 16", chain::witness_program_script(16, chain::Bytes(40)), 354},
        {"P2PK", chain::p2pk_script(chain::Bytes(33, 2)), 576},
        {"OP_RETURN", {0x6a, 0x01, 0x01}, 0},
    };
    for (const DustRow& row : rows) EXPECT_EQ(dust_threshold(row.script), row.least) << row.name;
}

TEST(FeeRate, RoundsFeesUp) {
    EXPECT_EQ(FeeRate{1'000}.fee(141), 141);
    EXPECT_EQ(FeeRate{1'001}.fee(141), 142);
    EXPECT_EQ(FeeRate{1'000}.fee_of_weight(561), 141);
    EXPECT_EQ(FeeRate{1'000}.fee_of_weight(564), 141);
    EXPECT_EQ(FeeRate{0}.fee(141), 0);
    EXPECT_EQ(FeeRate{FeeRate::kMaxSatPerKvb}.fee_of_weight(kMaxStandardWeight), 100'000'000'000);
}

}  // namespace
}  // namespace petal::wallet
