/// Outputs that pay a valid address, but whose coins may be lost.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "chain/bytes.h"

namespace petal::chain {

enum class OutputRisk : std::uint8_t {
    unknown_witness_version,  ///< version or length without a consensus rule (BIP141)
    anchor,                   ///< pay-to-anchor (BIP433), which needs no signature
    invalid_taproot_key,      ///< P2TR key that is not a point of the curve (BIP341)
};

/// The risk of paying to this script. Empty if there is none.
std::optional<OutputRisk> find_output_risk(ByteView script_pubkey);

/// A stable kebab-case identifier.
std::string_view code_of(OutputRisk risk);

/// A sentence without its full stop.
std::string_view describe(OutputRisk risk);

}  // namespace petal::chain
