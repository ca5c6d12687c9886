/// Outputs that pay a valid address, but may lose the money.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "chain/bytes.h"

namespace petal::chain {

enum class OutputRisk : std::uint8_t {
    unknown_witness_version,  ///< of a version or length that consensus has no rule for (BIP141)
    anchor,                   ///< pay-to-anchor (BIP433), which needs no signature
    invalid_taproot_key,      ///< P2TR (BIP341) whose key is no point of the curve
};

/// The risk of paying to this script; nothing for other scripts.
std::optional<OutputRisk> find_output_risk(ByteView script_pubkey);

/// A stable kebab-case word.
std::string_view code_of(OutputRisk risk);

/// A sentence without its full stop.
std::string_view describe(OutputRisk risk);

}  // namespace petal::chain
