/// Opens regular files only. Another program may have put a FIFO, on which open() would block, a
/// device or a link in the place of a file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

#include "chain/files/file_descriptor.h"

namespace petal::chain {

/// The error for a FIFO, socket, device or folder in the place of a file.
std::error_code not_regular_file();

/// Like open(2), but only for a regular file and without blocking. A new file gets mode 0600.
/// Throws std::system_error: not_regular_file(), or too_many_symbolic_link_levels for a link.
FileDescriptor open_regular_file(const std::filesystem::path& path, int flags);

/// Reads at most the first `max_bytes` of a regular file. Throws like open_regular_file().
std::string read_regular_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Throws std::system_error with not_regular_file() if the path exists and is not a regular file. A
/// link counts as not regular.
void expect_regular_or_none(const std::filesystem::path& path);

}  // namespace petal::chain
