#pragma once

namespace petal::test {

/// The first vector of BIP39, and the example of BIP84.
inline constexpr const char* kMnemonic =
    "abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon abandon about";

}  // namespace petal::test
