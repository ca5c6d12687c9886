// Bitcoin Core's vectors (test/functional/data/rpc_psbt.json), which include those of BIP174,
// BIP370, BIP371 and BIP373.
#include <gtest/gtest.h>

#include <optional>
#include <string>
#include <vector>

#include "chain/network_params.h"
#include "tests/support/test_data.h"
#include "tests/wallet/psbt/psbt_scene.h"
#include "wallet/keys/wif.h"
#include "wallet/psbt/combining.h"
#include "wallet/psbt/finalizing.h"
#include "wallet/psbt/psbt_signer.h"

namespace petal::wallet {
namespace {

using test::bytes_from_base64;
using test::psbt_from;
using test::sorted_records;

class PsbtVectors : public testing::Test {
protected:
    void SetUp() override {
        const auto read = test::read_test_json("vectors/psbt.json");
        if (!read) GTEST_SKIP() << test::kNoTestData;
        vectors = *read;
    }
    nlohmann::json vectors;
};

std::string text_of(const nlohmann::json& row, const char* key) {
    return row.at(key).get<std::string>();
}

TEST_F(PsbtVectors, WritesValidOnesBackByteForByte) {
    ASSERT_EQ(vectors.at("valid").size(), 48U);
    for (const auto& row : vectors.at("valid")) {
        const auto bytes = bytes_from_base64(row.get<std::string>());
        const auto psbt = Psbt::parse(bytes);
        ASSERT_TRUE(psbt) << row << ": " << describe(psbt.error());
        EXPECT_EQ(chain::to_base64(psbt->serialize()), row.get<std::string>());
    }
}

TEST_F(PsbtVectors, RefusesInvalidOnes) {
    ASSERT_EQ(vectors.at("invalid").size(), 63U);
    for (const auto& row : vectors.at("invalid")) {
        const auto bytes = chain::from_base64(row.get<std::string>());
        EXPECT_FALSE(bytes && Psbt::parse(*bytes)) << row;
    }
    ASSERT_EQ(vectors.at("invalid_with_msg").size(), 23U);
    for (const auto& row : vectors.at("invalid_with_msg")) {
        EXPECT_FALSE(Psbt::parse(bytes_from_base64(row.at(0).get<std::string>()))) << row;
    }
}

TEST_F(PsbtVectors, CreatesOfATransaction) {
    for (const auto& row : vectors.at("creator")) {
        const Psbt wanted = psbt_from(text_of(row, "result"));
        const Psbt created = Psbt::of_transaction(wanted.transaction());
        EXPECT_EQ(chain::to_base64(created.serialize()), text_of(row, "result"));
    }
}

TEST_F(PsbtVectors, Signs) {
    ASSERT_EQ(vectors.at("signer").size(), 6U);
    for (const auto& row : vectors.at("signer")) {
        Psbt psbt = psbt_from(text_of(row, "psbt"));
        PsbtSigner signer(psbt, {}, {});
        for (const auto& wif : row.at("privkeys")) {
            const auto key = parse_wif(wif.get<std::string>(), *chain::find_network("regtest"));
            ASSERT_TRUE(key);
            for (std::size_t i = 0; i < psbt.inputs().size(); ++i) {
                const auto spent = find_spent_script(psbt, i);
                const bool is_legacy = spent && spent->signature == SignatureKind::legacy;
                static_cast<void>(
                    signer.sign(i, key->key, is_legacy ? std::nullopt : psbt.utxo(i)));
            }
        }
        EXPECT_EQ(sorted_records(psbt), sorted_records(psbt_from(text_of(row, "result")))) << row;
    }
}

TEST_F(PsbtVectors, CombinesFinalizesAndExtracts) {
    for (const auto& row : vectors.at("combiner")) {
        std::vector<Psbt> psbts;
        for (const auto& text : row.at("combine")) {
            psbts.push_back(psbt_from(text.get<std::string>()));
        }
        const auto combined = combine(psbts);
        ASSERT_TRUE(combined);
        // Bitcoin Core sorts signatures by the hashes of their keys.
        EXPECT_EQ(sorted_records(*combined), sorted_records(psbt_from(text_of(row, "result"))));
    }
    for (const auto& row : vectors.at("finalizer")) {
        Psbt psbt = psbt_from(text_of(row, "finalize"));
        EXPECT_TRUE(finalize(psbt).empty());
        EXPECT_EQ(chain::to_base64(psbt.serialize()), text_of(row, "result"));
    }
    for (const auto& row : vectors.at("extractor")) {
        const auto extracted = extract(psbt_from(text_of(row, "extract")));
        ASSERT_TRUE(extracted);
        EXPECT_EQ(chain::to_hex(extracted->serialize()), text_of(row, "result"));
    }
}

}  // namespace
}  // namespace petal::wallet
