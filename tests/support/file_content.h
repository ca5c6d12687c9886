#pragma once

#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "chain/bytes.h"

namespace petal::test {

/// Reads a whole file in one call. A stream's iterators take a call for each byte, which is most of
/// a test's time under sanitizers. Throws std::runtime_error if the file does not exist or cannot
/// be read completely.
template <typename Content>
Content read_whole(const std::filesystem::path& file) {
    Content content(std::filesystem::file_size(file), typename Content::value_type{});
    std::ifstream stream(file, std::ios::binary);
    stream.read(reinterpret_cast<char*>(content.data()),
                static_cast<std::streamsize>(content.size()));
    if (!stream) throw std::runtime_error("cannot read " + file.string());
    return content;
}

/// As read_whole().
inline chain::Bytes file_content(const std::filesystem::path& file) {
    return read_whole<chain::Bytes>(file);
}

/// As read_whole().
inline std::string file_text(const std::filesystem::path& file) {
    return read_whole<std::string>(file);
}

}  // namespace petal::test
