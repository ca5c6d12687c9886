// Bitcoin Core's script_tests.json, tx_valid.json and tx_invalid.json, with the rules that Core's
// own tests apply to the flags:
// - A valid script stays valid if a flag is removed.
// - An invalid script stays invalid if a flag is added.
// - Each flag that a row of tx_valid.json or tx_invalid.json names is needed.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <string>
#include <vector>

#include "chain/script/script.h"
#include "chain/script/script_verification.h"
#include "chain/transaction_rules.h"
#include "tests/chain/script/script_text.h"
#include "tests/support/hex.h"
#include "tests/support/script_path.h"
#include "tests/support/test_data.h"

namespace petal::chain {
namespace {

ScriptResult verify(const SighashCache& cache, std::size_t index, const TxOutput& spent,
                    ScriptFlags flags) {
    return verify_script(SignatureChecker{cache, index, spent, SignatureMode::verified}, flags);
}

// Removes the flags that need a flag that is not set.
ScriptFlags trimmed(ScriptFlags flags) {
    if (!flags.has(ScriptFlag::p2sh)) flags = flags.without({ScriptFlag::witness});
    if (!flags.has(ScriptFlag::witness)) flags = flags.without({ScriptFlag::clean_stack});
    return flags;
}

// Adds the flags that the set flags need.
ScriptFlags completed(ScriptFlags flags) {
    if (flags.has(ScriptFlag::clean_stack)) flags = flags | ScriptFlags{ScriptFlag::witness};
    if (flags.has(ScriptFlag::witness)) flags = flags | ScriptFlags{ScriptFlag::p2sh};
    return flags;
}

std::vector<ScriptFlags> random_flag_sets(std::size_t count) {
    std::mt19937 random{59};
    std::vector<ScriptFlags> sets(count);
    for (ScriptFlags& flags : sets) {
        for (const auto& row : test::named_flags()) {
            if (random() % 2 == 0) flags = flags | ScriptFlags{row.flag};
        }
    }
    return sets;
}

// Each flag alone, and random sets of flags.
std::vector<ScriptFlags> flag_sets(std::size_t random_sets) {
    std::vector<ScriptFlags> sets = random_flag_sets(random_sets);
    for (const auto& row : test::named_flags()) sets.push_back({row.flag});
    return sets;
}

// A row of script_tests.json: the spending transaction and the spent output.
struct ScriptVector {
    Transaction transaction;
    TxOutput spent;
    ScriptFlags flags;
    std::string expected;
};

ScriptVector read_script_vector(const nlohmann::json& row) {
    const std::size_t first = row[0].is_array() ? 1 : 0;
    ScriptVector result;
    TxInput input{{}, test::script_from_text(row[first]), 0xffffffff, {}};
    std::string script_pubkey = row[first + 1];
    Bytes last;
    for (std::size_t i = 0; first == 1 && i + 1 < row[0].size(); ++i) {
        const std::string item = row[0][i];
        if (item.starts_with("#SCRIPT#")) {
            last = test::script_from_text(item.substr(8));
        } else if (item == "#CONTROLBLOCK#") {
            // The internal key of Bitcoin Core's test is the generator, too.
            const test::ScriptPath path{last};
            script_pubkey = "0x" + to_hex(path.script_pubkey);
            last = path.control_block;
        } else {
            last = test::bytes_from_hex(item);
        }
        input.witness.push_back(last);
    }
    result.spent.script_pubkey = test::script_from_text(script_pubkey);
    if (first == 1) result.spent.value = std::llround(row[0].back().get<double>() * 100'000'000);
    const Transaction credit{
        1, {{{Txid{}, 0xffffffff}, {0, 0}, 0xffffffff, {}}}, {result.spent}, 0};
    input.prevout = {credit.txid(), 0};
    result.transaction = {1, {input}, {{result.spent.value, {}}}, 0};
    result.flags = completed(test::flags_from_text(row[first + 2]));
    result.expected = row[first + 3];
    return result;
}

TEST(ScriptVectors, GiveTheResultsOfBitcoinCoresScriptTests) {
    const auto rows = test::read_test_json("vectors/script_tests.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    const auto other_flags = flag_sets(64);
    std::map<std::string, std::size_t> counts;
    for (const auto& json : *rows) {
        if (json.size() < 4) continue;  // the row is a comment
        const ScriptVector row = read_script_vector(json);
        const SighashCache cache{row.transaction, {&row.spent, 1}};
        EXPECT_EQ(test::name_of(verify(cache, 0, row.spent, row.flags)), row.expected) << json;
        ++counts[row.expected];
        const bool is_valid = row.expected == "OK";
        for (const ScriptFlags& flags : other_flags) {
            const ScriptFlags changed =
                is_valid ? trimmed(row.flags.without(flags)) : completed(row.flags | flags);
            EXPECT_EQ(verify(cache, 0, row.spent, changed).has_value(), is_valid) << json;
        }
    }
    EXPECT_EQ(counts.size(), 42U) << "results of the vectors";
}

using OutputsByOutpoint = std::map<Outpoint, TxOutput>;

OutputsByOutpoint read_outputs(const nlohmann::json& rows) {
    OutputsByOutpoint spent;
    for (const auto& row : rows) {
        const Outpoint outpoint{test::hash_from_hex<Txid>(row[0].get<std::string>()),
                                static_cast<std::uint32_t>(row[1].get<std::int64_t>())};
        const Satoshis value = row.size() > 3 ? row[3].get<Satoshis>() : 0;
        spent[outpoint] = {value, test::script_from_text(row[2])};
    }
    return spent;
}

// A row of tx_valid.json or tx_invalid.json.
class TransactionRow {
public:
    explicit TransactionRow(const nlohmann::json& row)
        : transaction_(decode_transaction(test::bytes_from_hex(row[1].get<std::string>())).value()),
          spent_(read_outputs(row[0])),
          cache_(transaction_) {}

    const Transaction& transaction() const { return transaction_; }

    bool is_valid(ScriptFlags flags) const {
        for (std::size_t i = 0; i < transaction_.inputs.size(); ++i) {
            const TxOutput& spent = spent_.at(transaction_.inputs[i].prevout);
            if (!verify(cache_, i, spent, flags)) return false;
        }
        return true;
    }

private:
    Transaction transaction_;
    OutputsByOutpoint spent_;
    SighashCache cache_;
};

TEST(ScriptVectors, AreValidTransactionsIfBitcoinCoreSaysSo) {
    const auto rows = test::read_test_json("vectors/tx_valid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    const auto other_flags = flag_sets(64);
    std::size_t valid = 0;
    for (const auto& json : *rows) {
        if (json.size() != 3) continue;  // the row is a comment
        const TransactionRow row{json};
        EXPECT_TRUE(check_transaction(row.transaction())) << json;
        const ScriptFlags excluded = test::flags_from_text(json[2]);
        const ScriptFlags flags = test::all_flags().without(excluded);
        EXPECT_TRUE(row.is_valid(flags)) << json;
        for (const ScriptFlags& other : other_flags) {
            EXPECT_TRUE(row.is_valid(trimmed(flags.without(other)))) << json;
        }
        for (const auto& [name, flag] : test::named_flags()) {
            const ScriptFlags fewer = trimmed(excluded.without({flag}));
            if (fewer == excluded) continue;
            EXPECT_FALSE(row.is_valid(test::all_flags().without(fewer))) << name << " " << json;
        }
        ++valid;
    }
    EXPECT_EQ(valid, 121U);
}

TEST(ScriptVectors, AreInvalidTransactionsIfBitcoinCoreSaysSo) {
    const auto rows = test::read_test_json("vectors/tx_invalid.json");
    if (!rows) GTEST_SKIP() << test::kNoTestData;
    const auto other_flags = flag_sets(64);
    std::size_t malformed = 0;
    std::size_t invalid = 0;
    for (const auto& json : *rows) {
        if (json.size() != 3) continue;  // the row is a comment
        if (json[2] == "BADTX") {
            const auto transaction =
                decode_transaction(test::bytes_from_hex(json[1].get<std::string>()));
            EXPECT_FALSE(transaction && check_transaction(*transaction)) << json;
            ++malformed;
            continue;
        }
        const TransactionRow row{json};
        EXPECT_TRUE(check_transaction(row.transaction())) << json;
        const ScriptFlags flags = test::flags_from_text(json[2]);
        EXPECT_FALSE(row.is_valid(flags)) << json;
        for (const ScriptFlags& other : other_flags) {
            EXPECT_FALSE(row.is_valid(completed(flags | other))) << json;
        }
        for (const auto& [name, flag] : test::named_flags()) {
            const ScriptFlags fewer = trimmed(flags.without({flag}));
            if (fewer == flags) continue;
            EXPECT_TRUE(row.is_valid(fewer)) << name << " " << json;
        }
        ++invalid;
    }
    EXPECT_EQ(malformed, 9U);
    EXPECT_EQ(invalid, 84U);
}

}  // namespace
}  // namespace petal::chain
