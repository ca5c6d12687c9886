#pragma once

#include <filesystem>
#include <fstream>
#include <string>

#include "chain/bytes.h"

namespace petal::test {

// What is in a file, read at once: a stream's iterators take a call for each byte, which under
// sanitizers takes most of a test's time. Throws std::filesystem::filesystem_error without a file.

template <typename Content>
Content read_whole(const std::filesystem::path& file) {
    Content content(std::filesystem::file_size(file), {});
    std::ifstream(file, std::ios::binary)
        .read(reinterpret_cast<char*>(content.data()),
              static_cast<std::streamsize>(content.size()));
    return content;
}

inline chain::Bytes file_content(const std::filesystem::path& file) {
    return read_whole<chain::Bytes>(file);
}

inline std::string file_text(const std::filesystem::path& file) {
    return read_whole<std::string>(file);
}

}  // namespace petal::test
