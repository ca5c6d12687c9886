/// Writing to open files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>

#include "chain/bytes.h"
#include "chain/files/file_descriptor.h"

namespace petal::chain {

/// Writes all bytes, in as many calls as the system needs. Throws std::system_error, which names
/// `file`, where it can't; some of them may be written then.
///
/// offset   where the first byte goes; empty for the file's position, as write(2)
void write_all(const FileDescriptor& opened, ByteView bytes, const std::filesystem::path& file,
               std::optional<std::size_t> offset = std::nullopt);

}  // namespace petal::chain
