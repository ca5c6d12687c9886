#include "wallet/keys/electrum_seed.h"

#include <gtest/gtest.h>

#include <optional>
#include <string>

#include "wallet/keys/mnemonic.h"

namespace petal::wallet {
namespace {

struct ElectrumCase {
    std::string name;
    std::string words;
    std::optional<ElectrumSeed> kind;
    bool is_bip39 = false;
};

void PrintTo(const ElectrumCase& c, std::ostream* out) {
    *out << c.name;
}

class ElectrumWords : public testing::TestWithParam<ElectrumCase> {};

TEST_P(ElectrumWords, AreRecognised) {
    EXPECT_EQ(electrum_seed(GetParam().words), GetParam().kind);
    EXPECT_EQ(Mnemonic::parse(GetParam().words).has_value(), GetParam().is_bip39);
}

// Seeds whose HMAC-SHA512 was computed with Python's hmac.
// clang-format off
INSTANTIATE_TEST_SUITE_P(Seeds, ElectrumWords, testing::Values(
    ElectrumCase{"Standard",        "cycle rocket west magnet parrot shuffle foot correct salt library feed song",          ElectrumSeed::standard},
    ElectrumCase{"Segwit",          "bitter grass shiver impose acquire brush forget axis eager alone wine silver",         ElectrumSeed::segwit},
    ElectrumCase{"TwoFactor",       "kiss live scene rude gate step hip quarter bunker oxygen motor glove",                 ElectrumSeed::two_factor},
    ElectrumCase{"TwoFactorSegwit", "universe topic remind silver february ranch shine worth innocent cattle enhance wise", ElectrumSeed::two_factor_segwit},
    ElectrumCase{"InCapitals",      " BITTER grass\tshiver impose acquire brush forget\naxis eager alone wine\u00a0silver ", ElectrumSeed::segwit},
    ElectrumCase{"Both",            "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon mass", ElectrumSeed::standard, true},
    ElectrumCase{"Bip39",           "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about", std::nullopt, true},
    ElectrumCase{"OtherOrder",      "grass bitter shiver impose acquire brush forget axis eager alone wine silver",         std::nullopt},
    ElectrumCase{"Empty",           " ",                                                                                    std::nullopt}
), [](const auto& row) { return row.param.name; });
// clang-format on

}  // namespace
}  // namespace petal::wallet
