#include "chain/script/output_risk.h"

#include <secp256k1_extrakeys.h>

#include "chain/enum_table.h"
#include "chain/script/script.h"
#include "chain/script/signature_encoding.h"

namespace petal::chain {

namespace {

struct RiskTexts {
    std::string_view code;
    std::string_view sentence;
};

constexpr auto kRiskTexts = enum_table<OutputRisk, RiskTexts>({
    {OutputRisk::unknown_witness_version,
     {"unknown-witness-version",
      "this witness version has no rule yet, so that any miner can spend what is paid to it"}},
    {OutputRisk::anchor,
     {"anchor", "this is pay-to-anchor (BIP433), so that anyone can spend what is paid to it"}},
    {OutputRisk::invalid_taproot_key,
     {"invalid-taproot-key",
      "its taproot key is no point of the curve, so that what is paid to it can never be spent"}},
});

}  // namespace

std::optional<OutputRisk> find_output_risk(ByteView script_pubkey) {
    switch (classify(script_pubkey)) {
        case ScriptType::witness_unknown:
            return OutputRisk::unknown_witness_version;
        case ScriptType::anchor:
            return OutputRisk::anchor;
        case ScriptType::p2tr: {
            secp256k1_xonly_pubkey key;
            const ByteView program = witness_program(script_pubkey);
            const bool is_point =
                secp256k1_xonly_pubkey_parse(verification_context(), &key, program.data()) == 1;
            if (!is_point) return OutputRisk::invalid_taproot_key;
            return std::nullopt;
        }
        default:
            return std::nullopt;
    }
}

std::string_view code_of(OutputRisk risk) {
    return kRiskTexts[risk].code;
}

std::string_view describe(OutputRisk risk) {
    return kRiskTexts[risk].sentence;
}

}  // namespace petal::chain
