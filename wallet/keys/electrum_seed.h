/// Seeds of Electrum, whose words are no BIP39 mnemonic.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace petal::wallet {

/// What kind of wallet Electrum makes of a seed.
enum class ElectrumSeed : std::uint8_t {
    standard,
    segwit,
    two_factor,
    two_factor_segwit,
};

/// As Electrum calls it: "Segwit".
std::string_view describe(ElectrumSeed kind);

/// The kind of a seed of Electrum 2.0 or later: the first digits of HMAC-SHA512 with the key "Seed
/// version" (Electrum: docs, "Electrum Seed Version System"). Empty for other texts; one text in
/// 218 is taken for a seed by chance.
std::optional<ElectrumSeed> electrum_seed(std::string_view text);

}  // namespace petal::wallet
