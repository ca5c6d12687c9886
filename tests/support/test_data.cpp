/// Test vectors and recorded chains from the folder that PETAL_TEST_DATA names.
#include "tests/support/test_data.h"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <stdexcept>

namespace petal::test {

std::optional<std::string> read_test_data(std::string_view name) {
    const char* const folder = std::getenv("PETAL_TEST_DATA");
    if (folder == nullptr) return std::nullopt;
    const std::filesystem::path path = std::filesystem::path{folder} / name;
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::runtime_error("PETAL_TEST_DATA has no " + path.string());
    return std::string{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

std::optional<nlohmann::json> read_test_json(std::string_view name) {
    const auto text = read_test_data(name);
    if (!text) return std::nullopt;
    return nlohmann::json::parse(*text);
}

}  // namespace petal::test
