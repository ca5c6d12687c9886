#pragma once

#include <filesystem>
#include <fstream>

#include "chain/bytes.h"

namespace petal::test {

/// What is in a file, read at once: a stream's iterators take a call for each byte, which under
/// sanitizers takes most of a test's time.
inline chain::Bytes file_content(const std::filesystem::path& file) {
    chain::Bytes bytes(std::filesystem::file_size(file));
    std::ifstream(file, std::ios::binary)
        .read(reinterpret_cast<char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
    return bytes;
}

}  // namespace petal::test
