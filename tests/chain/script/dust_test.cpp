#include "chain/script/dust.h"

#include <gtest/gtest.h>

#include <vector>

#include "chain/script/script.h"

namespace petal::chain {
namespace {

struct DustRow {
    const char* name;
    Bytes script;
    Satoshis least;
};

// Bitcoin Core, policy/policy.cpp: GetDustThreshold at 3 sat/vB.
TEST(DustThreshold, IsBitcoinCores) {
    const std::vector<DustRow> rows{
        {"P2PKH", p2pkh_script({}), 546},
        {"P2SH", p2sh_script({}), 540},
        {"P2WPKH", p2wpkh_script({}), 294},
        {"P2WSH", witness_program_script(0, Bytes(32)), 330},
        {"P2TR", witness_program_script(1, Bytes(32, 2)), 330},
        {"P2A", {0x51, 0x02, 0x4e, 0x73}, 240},
        {"version 16", witness_program_script(16, Bytes(40)), 354},
        {"P2PK", p2pk_script(Bytes(33, 2)), 576},
        {"OP_RETURN", {0x6a, 0x01, 0x01}, 0},
        {"too long to be spent", Bytes(10'001), 0},
    };
    for (const DustRow& row : rows) EXPECT_EQ(dust_threshold(row.script), row.least) << row.name;
}

}  // namespace
}  // namespace petal::chain
