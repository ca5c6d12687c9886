/// Test vectors and recorded chains that are too big to be constants, from the folder that the
/// environment variable PETAL_TEST_DATA names.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

namespace petal::test {

/// Why a test that needs the folder is skipped.
inline constexpr std::string_view kNoTestData =
    "PETAL_TEST_DATA does not name a folder with vectors/ and chains/ in it";

/// The whole of a file, as in "vectors/bip32.json"; nothing where PETAL_TEST_DATA is unset. Throws
/// std::runtime_error where it is set, but has no such file.
std::optional<std::string> read_test_data(std::string_view name);

/// The same, parsed.
std::optional<nlohmann::json> read_test_json(std::string_view name);

}  // namespace petal::test
