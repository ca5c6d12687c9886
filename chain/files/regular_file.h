/// Opens files whose names petal has chosen. Another program may have put something else there: a
/// FIFO, which could be waited for without end, a device, or a link to another file.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <system_error>

#include "chain/files/file_descriptor.h"

namespace petal::chain {

/// The error of a FIFO, socket, device or folder in the place of a file.
std::error_code not_regular_file();

/// Like open(2), without waiting, for a regular file; a new one is readable by its owner only
/// (0600). Throws std::system_error: not_regular_file(), or too_many_symbolic_link_levels for a
/// link.
FileDescriptor open_regular_file(const std::filesystem::path& path, int flags);

/// The start of a regular file, at most `max_bytes`. Throws as open_regular_file().
std::string read_regular_file(const std::filesystem::path& path, std::size_t max_bytes);

/// Throws std::system_error with not_regular_file() if something else, even a link, has this name.
void expect_regular_or_none(const std::filesystem::path& path);

}  // namespace petal::chain
