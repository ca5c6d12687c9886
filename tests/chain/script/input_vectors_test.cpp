// Bitcoin Core's tx_valid.json, tx_invalid.json and script_tests.json, as far as they spend outputs
// that verify_input() judges: of a key or its hash, of taproot and of multisig, also in P2SH and
// P2WSH.
// Inputs that spend other outputs are left out (other scripts in P2SH and P2WSH, lone opcodes,
// scripts with CHECKLOCKTIMEVERIFY and CHECKSEQUENCEVERIFY), unless their scriptSig is wrong for
// any output: no script is executed here. From tx_invalid.json, the rows that Core refuses before
// it executes scripts (BADTX) are included, because check_transaction() refuses them. From
// script_tests.json, the rows whose items Core's test computes (#…#) are left out; they are script
// paths of taproot.
// A row that leaves out one of Core's flags is judged by all standard flags, and may fail then.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <string>

#include "chain/byte_writer.h"
#include "chain/script/input_verification.h"
#include "chain/transaction_rules.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

// The script of Bitcoin Core's assembler text if it is of a judged form; other scripts do not
// matter.
Bytes template_script(const std::string& text) {
    static const std::map<std::string, std::string> kOpcodes = {
        {"DUP", "76"},   {"HASH160", "a9"},  {"EQUALVERIFY", "88"},
        {"EQUAL", "87"}, {"CHECKSIG", "ac"}, {"CHECKMULTISIG", "ae"}};
    ByteWriter script;
    std::istringstream words{text};
    for (std::string word; words >> word;) {
        const auto opcode = kOpcodes.find(word);
        const bool is_raw = word.starts_with("0x");
        const bool is_number = word.find_first_not_of("0123456789") == std::string::npos;
        if (is_number) {
            script.bytes(push_number(std::stoll(word)));
            continue;
        }
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

// The answers of verify_input() for the judged inputs: no error, or the error.
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

TEST(InputVectors, AreValidIfBitcoinCoreSaysSo) {
    const auto rows = test::read_test_json("vectors/tx_valid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::size_t valid = 0;
    for (const auto& row : *rows) {
        // A row that needs a flag left out, such as LOW_S, is not standard.
        if (row.size() != 3 || row[2] != "NONE") continue;
        for (const auto& verdict : verdicts(row)) {
            EXPECT_EQ(verdict, std::nullopt) << describe(*verdict) << ": " << row[1];
            ++valid;
        }
    }
    EXPECT_EQ(valid, 42U);
}

TEST(InputVectors, AreNonstandardIfBitcoinCoreOmitsAFlag) {
    const auto rows = test::read_test_json("vectors/tx_valid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::map<InputError, std::size_t> counts;
    for (const auto& row : *rows) {
        if (row.size() != 3 || row[2] == "NONE") continue;
        for (const auto& verdict : verdicts(row)) {
            if (verdict) ++counts[*verdict];
        }
    }
    // The rows for SIGPUSHONLY, DERSIG and LOW_S.
    EXPECT_EQ(counts, (std::map<InputError, std::size_t>{{InputError::not_push_only, 4},
                                                         {InputError::malformed_signature, 3},
                                                         {InputError::high_s, 7}}));
}

TEST(InputVectors, OfMalformedTransactionsNeedNoScript) {
    const auto rows = test::read_test_json("vectors/tx_invalid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::size_t wrong = 0;
    for (const auto& row : *rows) {
        if (row.size() != 3 || row[2] != "BADTX") continue;
        const auto transaction =
            decode_transaction(test::bytes_from_hex(row[1].get<std::string>()));
        EXPECT_FALSE(transaction && check_transaction(*transaction)) << row[1];
        ++wrong;
    }
    EXPECT_EQ(wrong, 9U);
}

TEST(InputVectors, AreInvalidIfBitcoinCoreSaysSo) {
    const auto rows = test::read_test_json("vectors/tx_invalid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::map<InputError, std::size_t> counts;
    for (const auto& row : *rows) {
        if (row.size() != 3 || row[2] == "BADTX") continue;
        for (const auto& verdict : verdicts(row)) {
            if (verdict) ++counts[*verdict];
        }
    }
    // The rows for CONST_SCRIPTCODE, DERSIG, and signatures that were broken by changes to the
    // transaction. For outputs that are not judged, the scriptSigs that are wrong for any output.
    EXPECT_EQ(counts, (std::map<InputError, std::size_t>{{InputError::not_push_only, 4},
                                                         {InputError::push_too_large, 1},
                                                         {InputError::unexpected_script_sig, 1},
                                                         {InputError::longer_push, 1},
                                                         {InputError::malformed_signature, 1},
                                                         {InputError::high_s, 1},
                                                         {InputError::wrong_signature, 6}}));
}

// A row of script_tests.json whose scripts are judged here: the spending transaction and the spent
// output (Bitcoin Core: test/script_tests.cpp).
struct ScriptRow {
    Transaction transaction;
    TxOutput spent;
    std::string expected;
};

std::optional<ScriptRow> read_script_row(const nlohmann::json& row) {
    if (row.size() < 4) return std::nullopt;  // the row is a comment
    const bool has_witness = row[0].is_array();
    const std::size_t first = has_witness ? 1 : 0;
    if (row[first].get<std::string>().find('#') != std::string::npos) return std::nullopt;
    ScriptRow result;
    result.spent.script_pubkey = template_script(row[first + 1]);
    if (result.spent.script_pubkey.empty()) return std::nullopt;
    const std::string script_sig = row[first];
    TxInput input{{}, template_script(script_sig), 0xffffffff, {}};
    if (input.script_sig.empty() && !script_sig.empty()) return std::nullopt;
    if (has_witness) {
        const std::size_t items = row[0].size() - 1;
        for (std::size_t i = 0; i < items; ++i) {
            const std::string item = row[0][i];
            if (item.starts_with('#')) return std::nullopt;  // the row is a script path of taproot
            input.witness.push_back(test::bytes_from_hex(item));
        }
        result.spent.value = std::llround(row[0][items].get<double>() * 100'000'000);
    }
    Transaction credit{1, {{{Txid{}, 0xffffffff}, {0, 0}, 0xffffffff, {}}}, {result.spent}, 0};
    input.prevout = {credit.txid(), 0};
    result.transaction = {1, {input}, {{result.spent.value, {}}}, 0};
    result.expected = row[first + 3];
    return result;
}

TEST(InputVectors, AgreeWithBitcoinCoresScriptTests) {
    const auto rows = test::read_test_json("vectors/script_tests.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    std::size_t accepted = 0;
    std::map<std::string, std::size_t> refused;
    std::map<InputError, std::size_t> not_standard;
    for (const auto& json : *rows) {
        const auto row = read_script_row(json);
        if (!row) continue;
        const SighashCache cache{row->transaction, {&row->spent, 1}};
        const auto verdict = verify_input(cache, 0, row->spent);
        if (!verdict && verdict.error() == InputError::unsupported) continue;
        if (row->expected != "OK") {
            EXPECT_FALSE(verdict) << json;
            ++refused[row->expected];
        } else if (verdict) {
            ++accepted;
        } else {
            // The row is valid only because it leaves out a flag of relay policy.
            ++not_standard[verdict.error()];
        }
    }
    EXPECT_EQ(accepted, 23U);
    EXPECT_EQ(refused, (std::map<std::string, std::size_t>{{"BAD_OPCODE", 1},
                                                           {"CLEANSTACK", 2},
                                                           {"EQUALVERIFY", 2},
                                                           {"EVAL_FALSE", 19},
                                                           {"PUBKEYTYPE", 2},
                                                           {"SIG_DER", 10},
                                                           {"SIG_HASHTYPE", 1},
                                                           {"SIG_HIGH_S", 1},
                                                           {"SIG_NULLDUMMY", 1},
                                                           {"SIG_PUSHONLY", 1},
                                                           {"WITNESS_MALLEATED", 3},
                                                           {"WITNESS_MALLEATED_P2SH", 1},
                                                           {"WITNESS_PROGRAM_MISMATCH", 3},
                                                           {"WITNESS_PROGRAM_WITNESS_EMPTY", 1},
                                                           {"WITNESS_PUBKEYTYPE", 11},
                                                           {"WITNESS_UNEXPECTED", 1}}));
    EXPECT_EQ(not_standard,
              (std::map<InputError, std::size_t>{{InputError::not_push_only, 1},
                                                 {InputError::longer_push, 28},
                                                 {InputError::wrong_witness_script, 1},
                                                 {InputError::wrong_key, 1},
                                                 {InputError::uncompressed_key, 14},
                                                 {InputError::malformed_key, 1},
                                                 {InputError::malformed_signature, 6},
                                                 {InputError::high_s, 1},
                                                 {InputError::undefined_hash_type, 1},
                                                 {InputError::too_many_items, 2},
                                                 {InputError::nonzero_dummy, 1}}));
}

}  // namespace
}  // namespace petal::chain
