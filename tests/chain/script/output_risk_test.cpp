#include "chain/script/output_risk.h"

#include <gtest/gtest.h>

#include <optional>
#include <ostream>
#include <string>
#include <vector>

#include "chain/bytes.h"
#include "chain/script/script.h"

namespace petal::chain {
namespace {

struct RiskRow {
    std::string name;
    Bytes script;
    std::optional<OutputRisk> risk = std::nullopt;
};

void PrintTo(const RiskRow& row, std::ostream* out) {
    *out << row.name;
}

Bytes bytes_of(const char* hex) {
    return from_hex(hex).value();
}

std::vector<RiskRow> risk_rows() {
    using enum OutputRisk;
    // BIP341's field size: the coordinate of no point, and BIP340's test vector 5 is of none, too.
    const Bytes field_size =
        bytes_of("fffffffffffffffffffffffffffffffffffffffffffffffffffffffefffffc2f");
    const Bytes no_point =
        bytes_of("eefdea4cdb677750a420fee807eacf21eb9898ae79b9768766e4faa04a2d4a34");
    const Bytes generator =
        bytes_of("79be667ef9dcbbac55a06295ce870b07029bfcdb2dce28d959f2815b16f81798");
    std::vector<RiskRow> rows{
        {"P2pkh", p2pkh_script({})},
        {"P2sh", p2sh_script({})},
        {"P2wpkh", p2wpkh_script({})},
        {"P2wsh", witness_program_script(0, Bytes(32))},
        {"P2tr", witness_program_script(1, generator)},
        {"P2trOfNoPoint", witness_program_script(1, no_point), invalid_taproot_key},
        {"P2trOfTheFieldSize", witness_program_script(1, field_size), invalid_taproot_key},
        {"P2trOfZero", witness_program_script(1, Bytes(32)), invalid_taproot_key},
        {"Anchor", bytes_of("51024e73"), anchor},
        {"AnchorsNeighbour", bytes_of("51024e74"), unknown_witness_version},
        {"Version1Short", witness_program_script(1, Bytes(31)), unknown_witness_version},
        {"Version1Long", witness_program_script(1, Bytes(33)), unknown_witness_version},
        {"NullData", Bytes{kOpReturn}},
    };
    for (std::uint8_t version = 2; version <= 16; ++version) {
        rows.push_back({"Version" + std::to_string(version),
                        witness_program_script(version, generator), unknown_witness_version});
    }
    return rows;
}

class OutputRiskOf : public testing::TestWithParam<RiskRow> {};

INSTANTIATE_TEST_SUITE_P(Scripts, OutputRiskOf, testing::ValuesIn(risk_rows()),
                         [](const auto& row) { return row.param.name; });

TEST_P(OutputRiskOf, IsFound) {
    EXPECT_EQ(find_output_risk(GetParam().script), GetParam().risk);
}

}  // namespace
}  // namespace petal::chain
