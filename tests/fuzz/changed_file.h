/// A file that a fuzz target changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <functional>
#include <string>

#include "chain/byte_reader.h"
#include "chain/storage/sqlite_file.h"
#include "tests/support/file_content.h"

namespace petal::fuzz {

/// Keeps the original content of an SQLite file, and writes the file with changes.
class ChangedFile {
public:
    ChangedFile(std::filesystem::path file,
                const std::function<void(const std::filesystem::path&)>& make)
        : file_(std::move(file)) {
        make(file_);
        intact_ = test::file_text(file_);
    }

    /// Changes one byte of the file by five bytes of the input: a position and a change. Returns
    /// whether the file differs from the original.
    bool write(chain::ByteReader changes) const {
        std::string bytes = intact_;
        while (changes.remaining() >= 5) {
            const std::size_t at = changes.read_u32() % bytes.size();
            bytes[at] = static_cast<char>(static_cast<std::uint8_t>(bytes[at]) ^ changes.read_u8());
        }
        chain::remove_sqlite_companions(file_);  // files that the last input may have left
        std::ofstream(file_, std::ios::binary | std::ios::trunc) << bytes;
        return bytes != intact_;
    }

private:
    std::filesystem::path file_;
    std::string intact_;
};

}  // namespace petal::fuzz
