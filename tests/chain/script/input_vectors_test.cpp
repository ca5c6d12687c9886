// Bitcoin Core's tx_valid.json and tx_invalid.json, as far as they spend what verify_input judges.
#include <gtest/gtest.h>

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "chain/byte_writer.h"
#include "chain/script/input_verification.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

// The script that Bitcoin Core's assembler text spells, where it is one of those judged here;
// another is of no interest.
Bytes template_script(const std::string& text) {
    static const std::map<std::string, std::string> kOpcodes = {{"DUP", "76"},
                                                                {"HASH160", "a9"},
                                                                {"EQUALVERIFY", "88"},
                                                                {"EQUAL", "87"},
                                                                {"CHECKSIG", "ac"}};
    ByteWriter script;
    std::istringstream words{text};
    for (std::string word; words >> word;) {
        const auto opcode = kOpcodes.find(word);
        const bool is_raw = word.starts_with("0x");
        if (opcode == kOpcodes.end() && !is_raw) return {};
        script.bytes(test::bytes_from_hex(is_raw ? word.substr(2) : opcode->second));
    }
    return script.take();
}

using SpentOutputs = std::map<Outpoint, TxOutput>;

SpentOutputs read_spent(const nlohmann::json& rows) {
    SpentOutputs spent;
    for (const auto& row : rows) {
        const Outpoint outpoint{test::hash_from_hex<Txid>(row[0].get<std::string>()),
                                static_cast<std::uint32_t>(row[1].get<std::int64_t>())};
        const Satoshis value = row.size() > 3 ? row[3].get<Satoshis>() : 0;
        spent[outpoint] = {value, template_script(row[2])};
    }
    return spent;
}

// What verify_input says of the inputs that it judges, each answer once: no error, or which.
std::multiset<std::optional<InputError>> verdicts(const nlohmann::json& row) {
    const auto transaction = decode_transaction(test::bytes_from_hex(row[1].get<std::string>()));
    const SpentOutputs spent = read_spent(row[0]);
    std::multiset<std::optional<InputError>> result;
    if (!transaction) return result;
    const SighashCache cache{*transaction};
    for (std::size_t i = 0; i < transaction->inputs.size(); ++i) {
        const auto verdict = verify_input(cache, i, spent.at(transaction->inputs[i].prevout));
        if (verdict) {
            result.insert(std::nullopt);
        } else if (verdict.error() != InputError::unsupported) {
            result.insert(verdict.error());
        }
    }
    return result;
}

TEST(InputVectors, AreValidWhereBitcoinCoreSaysSo) {
    const auto rows = test::read_test_json("vectors/tx_valid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::size_t valid = 0;
    for (const auto& row : *rows) {
        // Rows that need a flag left out, such as LOW_S, are not standard.
        if (row.size() != 3 || row[2] != "NONE") continue;
        for (const auto& verdict : verdicts(row)) {
            EXPECT_EQ(verdict, std::nullopt) << describe(*verdict) << ": " << row[1];
            ++valid;
        }
    }
    EXPECT_EQ(valid, 33U);
}

TEST(InputVectors, AreNotStandardWhereBitcoinCoreLeavesAFlagOut) {
    const auto rows = test::read_test_json("vectors/tx_valid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::map<InputError, std::size_t> counts;
    for (const auto& row : *rows) {
        if (row.size() != 3 || row[2] == "NONE") continue;
        for (const auto& verdict : verdicts(row)) {
            if (verdict) ++counts[*verdict];
        }
    }
    // SIGPUSHONLY, DERSIG and LOW_S.
    EXPECT_EQ(counts, (std::map<InputError, std::size_t>{{InputError::unexpected_script_sig, 4},
                                                         {InputError::malformed_signature, 3},
                                                         {InputError::high_s, 2}}));
}

TEST(InputVectors, AreInvalidWhereBitcoinCoreSaysSo) {
    const auto rows = test::read_test_json("vectors/tx_invalid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::map<InputError, std::size_t> counts;
    for (const auto& row : *rows) {
        if (row.size() != 3 || row[2] == "BADTX") continue;
        for (const auto& verdict : verdicts(row)) {
            if (verdict) ++counts[*verdict];
        }
    }
    // CONST_SCRIPTCODE, DERSIG, and signatures that changes to the transaction broke.
    EXPECT_EQ(counts, (std::map<InputError, std::size_t>{{InputError::unexpected_script_sig, 4},
                                                         {InputError::malformed_signature, 1},
                                                         {InputError::wrong_signature, 3}}));
}

}  // namespace
}  // namespace petal::chain
