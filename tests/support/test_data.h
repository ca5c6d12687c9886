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

/// The content of a file, e.g. "vectors/bip32.json". Empty if PETAL_TEST_DATA is not set. Throws
/// std::runtime_error if PETAL_TEST_DATA is set but the file does not exist.
std::optional<std::string> read_test_data(std::string_view name);

/// The same content, parsed as JSON.
std::optional<nlohmann::json> read_test_json(std::string_view name);

}  // namespace petal::test
