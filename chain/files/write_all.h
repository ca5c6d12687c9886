/// Writing to open files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "chain/bytes.h"
#include "chain/files/file_descriptor.h"

namespace petal::chain {

/// Writes all bytes, repeating partial writes. Throws std::system_error, which names `file`. A part
/// of the bytes may then be written.
///
/// offset   the position of the first byte. Empty for the file's position, as in write(2)
void write_all(const FileDescriptor& opened, ByteView bytes, const std::filesystem::path& file,
               std::optional<std::size_t> offset = std::nullopt);

}  // namespace petal::chain
