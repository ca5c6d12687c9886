#include <gtest/gtest.h>

#include <string>
#include <tuple>

#include "tests/support/hex.h"
#include "tests/support/test_data.h"
#include "tests/support/type_name.h"
#include "tests/wallet/spending/spending_scene.h"
#include "wallet/spending/sizes.h"

namespace petal::wallet {
namespace {

using chain::to_hex;
using test::coin_of;

InputCoin bip143_coin(const nlohmann::json& row, const chain::Transaction& transaction,
                      ScriptKind kind) {
    InputCoin coin;
    coin.outpoint = transaction.inputs.at(row.at("input_index").get<std::size_t>()).prevout;
    coin.output = {row.at("amount_sat").get<chain::Satoshis>(),
                   test::bytes_from_hex(row.at("input_script").get<std::string>())};
    coin.form = kind;
    return coin;
}

PrivateKey bip143_key(const nlohmann::json& row) {
    return PrivateKey::parse(test::bytes_from_hex(row.at("private_key").get<std::string>()))
        .value();
}

TEST(SignTransaction, SignsAsBip143sNestedExample) {
    const auto vectors = test::read_test_json("vectors/bip143.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    const auto& row = vectors->at("p2sh_p2wpkh");
    auto transaction =
        chain::decode_transaction(test::bytes_from_hex(row.at("unsigned_tx").get<std::string>()))
            .value();
    const InputCoin coin = bip143_coin(row, transaction, ScriptKind::sh_wpkh);
    ASSERT_TRUE(sign_transaction(transaction, {&coin, 1},
                                 [&](const InputCoin&) { return bip143_key(row); }, {}));
    EXPECT_EQ(to_hex(transaction.serialize()), row.at("signed_tx").get<std::string>());
}

class SigningOfType : public testing::TestWithParam<ScriptKind> {};

INSTANTIATE_TEST_SUITE_P(Types, SigningOfType, testing::ValuesIn(kScriptKinds), test::TypeName());

// sign_transaction() verifies each input itself, by chain/script.
TEST_P(SigningOfType, SpendsCoinsOfBothChainsWithinTheirWeight) {
    PaymentRequest request = test::request_of(0);
    request.recipients.front().takes_rest = true;
    std::vector<InputCoin> coins;
    for (std::uint32_t i = 0; i < 5; ++i) coins.push_back(coin_of(i, 50'000, GetParam()));
    coins.back().path.descriptor = KeyChain::change;
    coins.back().output.script_pubkey = test::own_script(GetParam(), coins.back().path);
    auto payment = build_payment(request, coins, test::random_bits(1)).value();
    const std::size_t expected = signed_weight(payment.transaction, payment.coins);
    ASSERT_TRUE(test::sign_payment(payment));
    std::size_t missing = 0;  // the bytes by which signatures are shorter than estimated
    for (const chain::TxInput& input : payment.transaction.inputs) {
        if (GetParam() == ScriptKind::tr) continue;
        if (GetParam() == ScriptKind::pkh) {
            missing += 4 * (71 - std::size_t{input.script_sig.at(0)});
        } else {
            missing += 71 - input.witness[0].size();
        }
    }
    EXPECT_EQ(payment.transaction.weight() + missing, expected);
}

TEST(SignTransaction, SignsAMixOfAllTypes) {
    PaymentRequest request = test::request_of(0);
    request.recipients.front().takes_rest = true;
    std::vector<InputCoin> coins;
    for (const ScriptKind kind : kScriptKinds) {
        coins.push_back(coin_of(static_cast<std::uint32_t>(kind), 50'000, kind));
    }
    auto payment = build_payment(request, coins, test::random_bits(1)).value();
    const std::size_t expected = signed_weight(payment.transaction, payment.coins);
    ASSERT_TRUE(test::sign_payment(payment));
    // Each of the three signatures may be a byte or two shorter. In the P2PKH input, each byte
    // counts four times.
    EXPECT_LE(payment.transaction.weight(), expected);
    EXPECT_GE(payment.transaction.weight(), expected - 12);
}

TEST_P(SigningOfType, RefusesAKeyThatDoesNotOwnTheCoin) {
    PaymentRequest request = test::request_of(20'000);
    std::vector<InputCoin> coins{coin_of(1, 50'000, GetParam())};
    auto payment = build_payment(request, coins, test::random_bits(1)).value();
    payment.coins.front().path.index += 1;
    const auto before = payment.transaction;
    const auto result = test::sign_payment(payment);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), SigningError::wrong_key);
    EXPECT_EQ(payment.transaction, before);
}

}  // namespace
}  // namespace petal::wallet
