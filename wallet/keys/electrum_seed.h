/// Electrum's seeds, which are not BIP39 mnemonics.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace petal::wallet {

/// The kind of wallet that Electrum creates from a seed.
enum class ElectrumSeed : std::uint8_t {
    standard,
    segwit,
    two_factor,
    two_factor_segwit,
};

/// Electrum's name of the kind, e.g. "Segwit".
std::string_view describe(ElectrumSeed kind);

/// The kind of a seed of Electrum 2.0 or later: the first digits of HMAC-SHA512 with the key "Seed
/// version" (Electrum: docs, "Electrum Seed Version System"). Empty for any other text. One random
/// text in 218 is a valid seed.
std::optional<ElectrumSeed> electrum_seed(std::string_view text);

}  // namespace petal::wallet
