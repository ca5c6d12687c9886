#include "chain/block_filters/filter_check.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "chain/block_filters/block_filter.h"
#include "tests/support/hex.h"
#include "tests/support/test_data.h"

namespace petal::chain {

std::ostream& operator<<(std::ostream& out, FilterFault fault) {
    return out << describe(fault);
}

namespace {

using namespace petal::test::literals;

Bytes script(Byte number) {
    return {0x51, number};
}

TxOutput output(const Bytes& script_pubkey) {
    return {1'000, script_pubkey};
}

Transaction coinbase(const std::vector<TxOutput>& outputs) {
    Transaction transaction;
    transaction.inputs.resize(1);
    transaction.inputs[0].prevout.index = 0xffffffff;
    transaction.outputs = outputs;
    return transaction;
}

Transaction spend(const std::vector<Txid>& spent, const std::vector<TxOutput>& outputs) {
    Transaction transaction;
    for (const Txid& txid : spent) transaction.inputs.push_back({{txid, 0}, {}, 0xffffffff, {}});
    transaction.outputs = outputs;
    return transaction;
}

Txid earlier(Byte number) {
    Txid txid;
    txid.bytes[0] = number;
    return txid;
}

/// A block with five distinct scripts of its own, and two inputs that spend earlier blocks. A
/// script is repeated, and the third input spends an output of this block.
Block make_block() {
    const Transaction first =
        spend({earlier(1), earlier(2)}, {output(script(1)), output(script(2)), output(script(1))});
    const Transaction second = spend({first.txid()}, {output(script(3)), output("6a01ff"_hex)});
    return {{}, {coinbase({output(script(4)), output({}), output(script(5))}), first, second}};
}

std::optional<FilterFault> fault_of(const Block& block, const std::vector<Bytes>& elements) {
    return find_filter_fault(block, {basic_filter_parameters(block.header.hash()), elements});
}

TEST(FilterFaults, AreFoundByTheOutputsAndTheNumberOfInputs) {
    const Bytes spent = script(101);
    const Bytes other = script(102);
    struct Case {
        const char* name;
        std::vector<Bytes> elements;
        std::optional<FilterFault> fault;
    };
    const std::vector<Bytes> own{script(1), script(2), script(3), script(4), script(5)};
    const auto own_and = [&](const std::vector<Bytes>& more) {
        std::vector<Bytes> elements = own;
        elements.insert(elements.end(), more.begin(), more.end());
        return elements;
    };
    using enum FilterFault;
    const std::vector<Case> cases{
        {"two distinct scripts are spent", own_and({spent, other}), std::nullopt},
        {"both inputs spend one script", own_and({spent}), std::nullopt},
        {"the inputs spend scripts of this block's outputs", own, std::nullopt},
        {"one element too many", own_and({spent, other, script(103)}), wrong_size},
        {"an OP_RETURN output", own_and({spent, other, "6a01ff"_hex}), wrong_size},
        {"without a script", {script(1), script(3), script(4), script(5), spent}, lacks_script},
        {"without the coinbase's", {script(1), script(2), script(3), spent, other}, lacks_script},
        {"empty", {}, lacks_script},
    };
    for (const auto& [name, elements, fault] : cases) {
        EXPECT_EQ(fault_of(make_block(), elements), fault) << name;
    }
}

TEST(FilterFaults, AreFoundWithoutInputsByEachChange) {
    const Block block{{}, {coinbase({output(script(1)), output(script(2))})}};
    EXPECT_EQ(fault_of(block, {script(1), script(2)}), std::nullopt);
    EXPECT_EQ(fault_of(block, {script(1), script(2), script(3)}), FilterFault::wrong_size);
    EXPECT_EQ(fault_of(block, {script(1), script(3)}), FilterFault::lacks_script);
    EXPECT_EQ(fault_of(block, {script(1)}), FilterFault::lacks_script);
    EXPECT_EQ(fault_of({{}, {coinbase({output({})})}}, {}), std::nullopt);
}

// A set of one element with hash 0 contains every script that its key maps to 0. With so few
// elements, a hash has a range of 784,931.
TEST(FilterFaults, AreFoundInSetsThatAreTooSmallToHaveAllScripts) {
    const GolombParameters parameters = basic_filter_parameters(BlockHeader{}.hash());
    const auto zero = GolombSet::decode(parameters, "01000000"_hex).value();
    std::vector<TxOutput> matching;
    for (std::uint32_t i = 0; matching.size() < 2; ++i) {
        Bytes candidate{0x51, static_cast<Byte>(i), static_cast<Byte>(i >> 8U),
                        static_cast<Byte>(i >> 16U)};
        if (zero.has_any_of({&candidate, 1})) matching.push_back(output(candidate));
    }
    EXPECT_EQ(find_filter_fault({{}, {coinbase({matching[0]})}}, zero), std::nullopt);
    EXPECT_EQ(find_filter_fault({{}, {coinbase(matching)}}, zero), FilterFault::wrong_size);
}

// An input of the form of P2WPKH may spend a P2WSH output whose script has 33 bytes, or one of a
// later witness version.
TEST(FilterFaults, AreNotFoundByTheFormOfAnInput) {
    Transaction transaction = spend({earlier(1)}, {output(script(1))});
    transaction.inputs[0].witness = Witness{Bytes(71, 0x30), Bytes(33, 0x02)};
    const Block block{{}, {coinbase({output(script(2))}), transaction}};
    EXPECT_EQ(fault_of(block, {script(1), script(2), script(101)}), std::nullopt);
}

TEST(FilterFaults, AreFoundInNoFilterOfTheBip) {
    const auto vectors = test::read_test_json("vectors/blockfilters.json");
    if (!vectors) GTEST_SKIP() << test::kNoTestData;
    for (const auto& row : *vectors) {
        if (row[0].is_string()) continue;  // the titles of the columns
        SCOPED_TRACE(row[7].get<std::string>());
        const Block block = decode_block(from_hex(row[2].get<std::string>()).value()).value();
        const Bytes encoded = from_hex(row[5].get<std::string>()).value();
        const auto filter = decode_basic_filter(block.header.hash(), encoded);
        ASSERT_TRUE(filter);
        EXPECT_EQ(find_filter_fault(block, *filter), std::nullopt);

        std::vector<Bytes> elements = output_elements(block);
        for (const auto& spent : row[3]) {
            elements.push_back(from_hex(spent.get<std::string>()).value());
        }
        for (const Bytes& hidden : output_elements(block)) {
            std::vector<Bytes> others = elements;
            std::erase(others, hidden);
            EXPECT_EQ(fault_of(block, others), FilterFault::lacks_script);
        }
    }
}

}  // namespace
}  // namespace petal::chain
